"""What EXIF data tell, beside Pillow's own reading of them."""

import math
from pathlib import Path

import pytest

from foreign_files import HEIC, dng, exif, jpeg, picture
from likeness.io import PhotoData, photo_data
from likeness.io.exif import parse_exif

_TOLD = PhotoData("2024-05-03 14:22:10", "Apple iPhone 15")


def write(path: Path, kind: str, **options) -> Path:
    picture().save(path, kind, **options)
    return path


@pytest.mark.parametrize("kind", ["JPEG", "PNG"])
def test_time_and_camera(tmp_path: Path, kind: str) -> None:
    with_data, without = write(tmp_path / "a", kind, exif=exif()), write(tmp_path / "b", kind)
    (found, none) = photo_data([with_data, without])
    assert (found.taken, found.camera) == (_TOLD.taken, _TOLD.camera)
    assert (none.taken, none.camera) == ("", "")
    assert all(math.isnan(each) for each in (found.latitude, found.longitude))
    (tmp_path / "a.dng").write_bytes(dng())
    (raw,) = photo_data([tmp_path / "a.dng"])
    assert (raw.taken, raw.camera) == (_TOLD.taken, _TOLD.camera)
    hidden = exif()
    hidden[0x010F], hidden[0x0110] = "Canon", "Canon\x1b[2J EOS"
    assert parse_exif(hidden.tobytes().removeprefix(b"Exif\0\0")).camera == "Canon_[2J EOS"


@pytest.mark.parametrize("head", [1 << 16, HEIC.index(b"Exif\0\0")], ids=["at the beginning", "far behind"])
def test_heic(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, head: int) -> None:
    from likeness.io import exif as module

    monkeypatch.setattr(module, "_HEAD", min(head, module._HEAD))
    monkeypatch.setattr(module, "_MOST", head)
    (tmp_path / "a.heic").write_bytes(HEIC)
    (found,) = photo_data([tmp_path / "a.heic"])
    assert (found.taken, found.camera) == (_TOLD.taken, _TOLD.camera)


def test_places_only_where_they_are_asked_for(tmp_path: Path) -> None:
    path = write(tmp_path / "a.jpg", "JPEG", exif=exif(place=True))
    (without,) = photo_data([path])
    (found,) = photo_data([path], gps=True)
    assert math.isnan(without.latitude)
    assert (found.latitude, found.longitude) == pytest.approx((47 + 30 / 60 + 36 / 3600, -8.25))
    data = exif(place=True)
    data.get_ifd(0x8825).update({3: "E", 4: (174.0, 46.0, 30.0)})
    (east,) = photo_data([write(tmp_path / "east.jpg", "JPEG", exif=data)], gps=True)
    assert east.longitude == pytest.approx(174.775)
    # behind a large note of the maker
    data = exif(place=True)
    data.get_ifd(0x8769)[0x927C] = bytes(40_000)
    path = write(tmp_path / "a.jpg", "JPEG", exif=data)
    (found,) = photo_data([path], gps=True)
    assert (found.taken, found.longitude) == (_TOLD.taken, -8.25)


@pytest.mark.parametrize(
    ("taken", "told"),
    [
        ("2024:02:29 23:59:59", "2024-02-29 23:59:59"),
        ("0000:00:00 00:00:00", ""),
        ("2023:02:29 10:00:00", ""),
        ("yesterday", ""),
        ("    :  :     :  :  ", ""),
        ("2024:05:03 14:22:10\0\0", "2024-05-03 14:22:10"),
    ],
)
def test_times_that_are_none(taken: str, told: str) -> None:
    assert parse_exif(exif(taken).tobytes().removeprefix(b"Exif\0\0")).taken == told


def test_no_damage_is_more_than_nothing_told() -> None:
    sound = exif(place=True).tobytes().removeprefix(b"Exif\0\0")
    assert parse_exif(sound).taken == _TOLD.taken
    for end in range(len(sound)):
        assert isinstance(parse_exif(sound[:end], gps=True), PhotoData)
    for place in range(len(sound)):
        for value in (0, 255):
            parse_exif(sound[:place] + bytes([value]) + sound[place + 1 :], gps=True)


def test_either_byte_order() -> None:
    for order in ("<", ">"):
        data = exif(place=True)
        data.endian = order
        content = data.tobytes().removeprefix(b"Exif\0\0")
        assert content[:2] == (b"II" if order == "<" else b"MM")
        assert parse_exif(content).taken == _TOLD.taken
        assert parse_exif(content, gps=True).longitude == -8.25


def test_files_that_are_none(tmp_path: Path) -> None:
    (tmp_path / "link.jpg").symlink_to(tmp_path / "nowhere.jpg")
    (tmp_path / "loop.jpg").symlink_to(tmp_path / "loop.jpg")
    (tmp_path / "folder.jpg").mkdir()
    (tmp_path / "a.jpg").write_bytes(jpeg(exif=exif()))
    names = ["link.jpg", "a.jpg", "loop.jpg", "folder.jpg", "nowhere.jpg"]
    assert [found.taken for found in photo_data([tmp_path / name for name in names])] == ["", _TOLD.taken, "", "", ""]
