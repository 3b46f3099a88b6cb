"""Colors of every profile become sRGB, once; those of sRGB stay what they are."""

import io
import struct
from pathlib import Path

import numpy as np
import pytest
from PIL import Image, ImageCms

from foreign_files import HEIC
from icc_profiles import (
    SPACES,
    cmyk_profile,
    converted,
    gray_profile,
    levels,
    linear,
    littlecms,
    png_with,
    rgb_profile,
    with_profile,
)
from likeness.io import REMARK, decode_image, image_remark, read_image, to_rgb

OTHERS = tuple(name for name in SPACES if name != "sRGB")
SUFFIXES = ("png", "jpg", "webp", "tif", "avif")


def colors(side: int = 32) -> np.ndarray:
    """Smooth colors (side, side, 3), from black and white to full ones."""
    across, down = np.meshgrid(np.linspace(0, 255, side), np.linspace(0, 255, side))
    return np.stack([across, down, 255 - across], axis=2).round().astype(np.uint8)


def read(content: bytes) -> np.ndarray:
    return np.asarray(decode_image(io.BytesIO(content), "a"), int)


@pytest.mark.parametrize("version", [2, 4])
@pytest.mark.parametrize("space", SPACES)
def test_the_profiles_of_these_tests_mean_what_the_formulas_say(space: str, version: int) -> None:
    profile = rgb_profile(space, version)
    assert ImageCms.ImageCmsProfile(io.BytesIO(profile)).profile.xcolor_space == "RGB "
    np.testing.assert_allclose(littlecms(colors(), profile).astype(int), converted(colors(), space, "sRGB").astype(int), atol=2)


@pytest.mark.parametrize("suffix", SUFFIXES)
@pytest.mark.parametrize("space", OTHERS)
def test_colors_of_other_spaces_become_srgb(space: str, suffix: str) -> None:
    content = with_profile(colors(), rgb_profile(space), suffix)
    stored = np.asarray(Image.open(io.BytesIO(content)).convert("RGB"))  # what loss there is, was there before
    np.testing.assert_allclose(read(content), converted(stored, space, "sRGB").astype(int), atol=2)
    assert abs(read(content) - stored.astype(int)).max() > 25


@pytest.mark.parametrize("suffix", SUFFIXES)
@pytest.mark.parametrize(
    "profile", [rgb_profile("sRGB", 2), rgb_profile("sRGB", 4), ImageCms.ImageCmsProfile(ImageCms.createProfile("sRGB")).tobytes()]
)
def test_srgb_stays_as_it_is_to_the_bit(profile: bytes, suffix: str) -> None:
    content = with_profile(colors(), profile, suffix)
    np.testing.assert_array_equal(read(content), np.asarray(Image.open(io.BytesIO(content)).convert("RGB")))


@pytest.mark.parametrize("space", OTHERS)
def test_white_black_and_gray_stay_neutral(space: str) -> None:
    ramp = np.repeat(np.arange(256, dtype=np.uint8)[:, None], 3, axis=1)[None]
    found = read(with_profile(ramp, rgb_profile(space), "png"))[0]
    assert np.ptp(found, axis=1).max() <= 1
    assert found[[0, -1]].tolist() == [[0] * 3, [255] * 3]


@pytest.mark.parametrize("mode", ["RGB", "RGBA", "P", "L"])
def test_converted_once(mode: str) -> None:
    image = Image.fromarray(colors()).convert(mode)
    image.info["icc_profile"] = rgb_profile("Adobe RGB")
    before = image.tobytes()
    once = to_rgb(image)
    np.testing.assert_array_equal(np.asarray(to_rgb(once)), np.asarray(once))
    assert (image.tobytes(), image.info["icc_profile"]) == (before, rgb_profile("Adobe RGB"))  # a person's image stays theirs
    assert "icc_profile" not in once.info


def test_transparent_parts_are_white_and_the_others_converted() -> None:
    alpha = np.linspace(0, 255, 32).round().astype(np.uint8)[None].repeat(32, 0)
    content = with_profile(np.dstack([colors(), alpha]), rgb_profile("Display P3"), "png")
    own, share = converted(colors(), "Display P3", "sRGB").astype(float), alpha[..., None] / 255
    np.testing.assert_allclose(read(content), own * share + 255 * (1 - share), atol=3)


def test_a_palette_is_converted(tmp_path: Path) -> None:
    image = Image.fromarray(colors()).quantize(16)
    image.save(tmp_path / "a.png", icc_profile=rgb_profile("ProPhoto"))
    expected = converted(np.asarray(image.convert("RGB")), "ProPhoto", "sRGB")
    np.testing.assert_allclose(np.asarray(read_image(tmp_path / "a.png"), int), expected.astype(int), atol=2)


@pytest.mark.parametrize("kind", ["gray profile", "RGB profile"])
@pytest.mark.parametrize("mode", ["L", "LA", "I;16"])
def test_gray_is_converted(mode: str, kind: str) -> None:
    ramp, gamma = np.arange(256, dtype=np.uint8)[None].repeat(2, 0), 1.8
    image = Image.fromarray(ramp.astype(np.uint16) * 257) if mode == "I;16" else Image.fromarray(ramp).convert(mode)
    image.info["icc_profile"] = gray_profile(gamma) if kind == "gray profile" else rgb_profile("ProPhoto")
    expected = levels(linear(ramp / 255, gamma), None) * 255
    found = np.asarray(to_rgb(image), float)
    np.testing.assert_allclose(found, expected[..., None].repeat(3, 2), atol=1.5)


def test_inks_follow_their_profile_and_without_one_that_is_said(tmp_path: Path) -> None:
    """Paper is white and full ink black, with black point compensation; without, the darkest ink is gray."""
    inks = np.dstack([np.full((16, 16), value, np.uint8) for value in (200, 30, 30, 0)])
    image = Image.fromarray(inks, "CMYK")
    image.save(tmp_path / "with.jpg", quality=100, subsampling=0, icc_profile=cmyk_profile())
    image.save(tmp_path / "without.jpg", quality=100, subsampling=0)
    image.save(tmp_path / "with.tif", icc_profile=cmyk_profile())
    expected = littlecms(inks, cmyk_profile(), "CMYK").astype(int)
    for name, atol in (("with.jpg", 4), ("with.tif", 0)):
        found = read_image(tmp_path / name)
        np.testing.assert_allclose(np.asarray(found, int), expected, atol=atol)
        assert REMARK not in found.info
    without = read_image(tmp_path / "without.jpg")
    assert abs(np.asarray(without, int) - expected).max() > 20
    assert without.info[REMARK] == "its inks have no color profile, so its colors are approximate"
    image = Image.fromarray(np.array([[[0, 0, 0, 0], [255, 255, 255, 255]]], np.uint8), "CMYK")
    image.info["icc_profile"] = cmyk_profile()
    paper, ink = np.asarray(to_rgb(image), int)[0]
    assert paper.min() >= 253
    assert ink.max() <= 12


def test_code_points_of_heic(tmp_path: Path) -> None:
    """libheif gives RGB of the file's own primaries."""
    place = HEIC.index(b"colrnclx") + 8
    (tmp_path / "a.heic").write_bytes(HEIC)
    (tmp_path / "p3.heic").write_bytes(HEIC[:place] + struct.pack(">HH", 12, 13) + HEIC[place + 4 :])
    (tmp_path / "pq.heic").write_bytes(HEIC[:place] + struct.pack(">HH", 9, 16) + HEIC[place + 4 :])
    plain, p3, hdr = (read_image(tmp_path / name) for name in ("a.heic", "p3.heic", "pq.heic"))
    expected = converted(np.asarray(plain), "Display P3", "sRGB").astype(int)
    np.testing.assert_allclose(np.asarray(p3, int), expected, atol=2)
    np.testing.assert_array_equal(np.asarray(hdr), np.asarray(plain))
    assert "HDR (PQ)" in hdr.info[REMARK]


def test_code_points_of_avif() -> None:
    buffer = io.BytesIO()
    Image.fromarray(colors()).save(buffer, "AVIF", quality=100, subsampling="4:4:4")
    content = buffer.getvalue()
    place = content.index(b"colrnclx") + 8
    p3 = content[:place] + struct.pack(">HH", 12, 13) + content[place + 4 :]
    np.testing.assert_allclose(read(p3), converted(read(content).astype(np.uint8), "Display P3", "sRGB").astype(int), atol=2)


def chrm(space: str) -> tuple[bytes, bytes]:
    primaries, white, _ = SPACES[space]
    return b"cHRM", struct.pack(">8I", *(round(value * 100_000) for point in (white, *primaries) for value in point))


def gama(gamma: float) -> tuple[bytes, bytes]:
    return b"gAMA", struct.pack(">I", round(gamma * 100_000))


@pytest.mark.parametrize(
    ("chunks", "space"),
    [
        ([(b"cICP", bytes([12, 13, 0, 1]))], "Display P3"),
        ([(b"cICP", bytes([1, 13, 0, 1])), gama(1.0)], "sRGB"),  # cICP comes first
        ([(b"cICP", bytes([2, 2, 0, 1]))], "sRGB"),
        ([(b"cICP", bytes([9, 16, 0, 1]))], "sRGB"),  # HDR: what it means here, nobody knows
        ([gama(256 / 563), chrm("Adobe RGB")], "Adobe RGB"),
        ([gama(1 / 1.8), chrm("ProPhoto")], "ProPhoto"),
        ([gama(1 / 2.2)], "sRGB"),
        ([gama(1 / 2.2), chrm("sRGB")], "sRGB"),
        ([chrm("Adobe RGB")], "sRGB"),  # without gAMA it says nothing
        ([(b"sRGB", b"\0"), gama(1.0), chrm("ProPhoto")], "sRGB"),
    ],
)
def test_chunks_of_png_count_as_in_browsers(chunks: list[tuple[bytes, bytes]], space: str) -> None:
    expected = colors() if space == "sRGB" else converted(colors(), space, "sRGB")
    np.testing.assert_allclose(read(png_with(colors(), *chunks)), expected.astype(int), atol=0 if space == "sRGB" else 2)


def test_a_gamma_alone_is_a_curve() -> None:
    found = read(png_with(colors(), gama(1.0)))
    np.testing.assert_allclose(found, levels(colors() / 255, None) * 255, atol=1)
    for chunks in ([gama(0)], [gama(1.0), (b"cHRM", bytes(32))]):
        assert "damaged" in decode_image(io.BytesIO(png_with(colors(), *chunks)), "a").info[REMARK]


@pytest.mark.parametrize("suffix", ["jpg", "webp"])
def test_cameras_name_adobe_rgb_in_exif_data(suffix: str) -> None:
    def written(space: int, interoperability: str) -> bytes:
        exif, buffer = Image.Exif(), io.BytesIO()
        exif.get_ifd(0x8769)[0xA001] = space
        exif.get_ifd(0x8769)[0xA005] = {1: interoperability}
        name, options = {"jpg": ("JPEG", {"quality": 100, "subsampling": 0}), "webp": ("WEBP", {"lossless": True})}[suffix]
        Image.fromarray(colors()).save(buffer, name, exif=exif, **options)
        return buffer.getvalue()

    plain = read(written(1, "R98"))
    np.testing.assert_allclose(read(written(0xFFFF, "R03")), converted(plain.astype(np.uint8), "Adobe RGB", "sRGB").astype(int), atol=2)
    np.testing.assert_array_equal(read(written(1, "R03")), plain)
    np.testing.assert_array_equal(read(written(0xFFFF, "R98")), plain)


@pytest.mark.parametrize(
    ("profile", "said"),
    [
        (b"", ""),
        (b"no profile", "is damaged"),
        (rgb_profile("Display P3")[:200], "is damaged"),
        (bytes(4000), "is damaged"),
        (cmyk_profile(), "is made for CMYK (prtr)"),
        (gray_profile(), "is made for GRAY (mntr)"),
        (ImageCms.ImageCmsProfile(ImageCms.createProfile("LAB")).tobytes(), "is made for Lab"),
        (rgb_profile("Display P3").replace(b"mntr", b"link"), "is made for RGB (link)"),
        (rgb_profile("Display P3") + bytes(5 << 20), "has more than 4 MB"),
    ],
)
def test_a_profile_that_cannot_be_used_is_named_and_the_image_read(profile: bytes, said: str, tmp_path: Path) -> None:
    (tmp_path / "a.tif").write_bytes(with_profile(colors(), profile, "tif"))
    found = read_image(tmp_path / "a.tif")
    np.testing.assert_array_equal(np.asarray(found), colors())
    assert said in found.info.get(REMARK, "")
    assert found.info.get(REMARK, "").endswith(", so its colors are read as sRGB" if said else "")
    assert image_remark(tmp_path / "a.tif") == found.info.get(REMARK, "")


@pytest.mark.parametrize(("mode", "times"), [("RGB", 150), ("CMYK", 30), ("L", 150)])
def test_damage_at_random_neither_crashes_nor_hangs(mode: str, times: int) -> None:
    whole = {"RGB": rgb_profile("Adobe RGB", 2), "CMYK": cmyk_profile(), "L": gray_profile()}[mode]
    pixels, rng = Image.fromarray(colors(16)).convert(mode), np.random.default_rng(0)
    for number in range(times):
        content = bytearray(whole[: rng.integers(100, len(whole))] if number % 5 == 0 else whole)
        for place in rng.integers(0, min(len(content), 500), 4):
            content[place] = rng.integers(256)
        image = pixels.copy()
        image.info["icc_profile"] = bytes(content)
        assert to_rgb(image).size == image.size
