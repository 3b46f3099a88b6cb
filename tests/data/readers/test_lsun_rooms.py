"""LSUN Room Layout on miniature copies."""

from pathlib import Path

import numpy as np
import pytest
from numpy.lib.recfunctions import repack_fields
from PIL import Image
from scipy.io import savemat
from tests.data import conftest as parts

from likeness.data import read_dataset
from likeness.data.readers import lsun_rooms
from likeness.data.readers.lsun_rooms import read_lsun_rooms
from likeness.errors import InputError
from likeness.labels import LabelsConfig, known_labels, label_distances, layout_distances

DATASET = "lsun-rooms"


def test_the_type_with_the_most_images(root: Path) -> None:
    frame = read_lsun_rooms(root.parent).frame
    assert list(frame["path"]) == [f"images/sun_{letter}.jpg" for letter in "acdeghjk"]
    assert list(frame["split"]) == ["train"] * 4 + ["query"] * 2 + ["test"] * 2
    assert set(frame["type"]) == {4}
    assert list(frame["scene"][3:5]) == ["bedroom", "é"]
    assert frame["layout"][0] == "layout_seg/sun_a.mat"
    (root / "images").rename(root / "image")
    assert read_lsun_rooms(root).frame["path"][0] == "image/sun_a.jpg"


def test_the_type_with_the_most_images_may_be_another_and_what_has_no_layout_takes_no_part(tmp_path: Path) -> None:
    rooms = {part: [(name, scene, {4: 5, 5: 4}.get(kind, kind)) for name, scene, kind in images] for part, images in parts.LSUN_ROOMS.items()}
    frame = read_lsun_rooms(parts.write_lsun_rooms(tmp_path / "other", rooms)).frame
    assert list(frame["path"]) == [f"images/sun_{letter}.jpg" for letter in "acdeghjk"]
    assert set(frame["type"]) == {5}
    rooms = parts.LSUN_ROOMS | {"training": [("sun_x", "attic", 11), *parts.LSUN_ROOMS["training"]]}
    assert "images/sun_x.jpg" not in set(read_lsun_rooms(parts.write_lsun_rooms(tmp_path / "some", rooms), "every").frame["path"])


def test_types_and_parts_by_name_and_the_first_30_test_images_are_the_queries(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert lsun_rooms.QUERIES == 30
    monkeypatch.setattr(lsun_rooms, "QUERIES", 1)
    assert list(read_lsun_rooms(root, "test").frame["split"]) == ["query"] + ["test"] * 3
    assert len(read_dataset(f"lsun-rooms:{root}")) == 8
    assert list(read_dataset(f"lsun-rooms/type5:{root}").frame["path"]) == ["images/sun_b.jpg", "images/sun_f.jpg"]
    assert len(read_dataset(f"lsun-rooms/every:{root}")) == 11
    assert len(read_dataset(f"lsun-rooms/train:{root}")) == 4
    with pytest.raises(InputError, match=r"The split 'type7' of LSUN Room Layout in '.*' has no images in 'validation\.mat'; choose another"):
        read_lsun_rooms(root, "type7")
    with pytest.raises(InputError, match="There is no split 'type11'; choose from test, train, all, every, type0, type1"):
        read_lsun_rooms(root, "type11")


def test_layouts_from_mat_files_and_from_images_are_the_same(root: Path) -> None:
    table = read_lsun_rooms(root)
    assert known_labels(table) == {"Layout": LabelsConfig(kind="layout")}
    everything = np.arange(len(table))
    found = label_distances(table, LabelsConfig(kind="layout")).between(everything, everything)
    (root / "layout_seg_images").mkdir()
    names = [f"sun_{letter}" for letter in "abcdefghijk"]
    for number, name in enumerate(names):
        Image.fromarray(parts.room_layout(number)).save(root / "layout_seg_images" / f"{name}.png")
    drawn = read_lsun_rooms(root)
    assert drawn.frame["layout"][0] == "layout_seg_images/sun_a.png"
    np.testing.assert_array_equal(label_distances(drawn, LabelsConfig(kind="layout")).between(everything, everything), found)
    numbers = [names.index(Path(path).stem) for path in table.frame["path"]]
    whole = np.stack([parts.room_layout(number) for number in numbers])
    np.testing.assert_allclose(found, layout_distances(whole, whole), atol=0.05)  # other pixels at 64 x 64
    (root / "layout_seg_images" / "sun_g.png").unlink()
    with pytest.raises(InputError, match=r"The layout 'sun_g\.png' cannot be read \(.*\); leave this image out"):
        label_distances(read_lsun_rooms(root), LabelsConfig(kind="layout"))


def test_damaged_files(root: Path) -> None:
    records = np.array([("sun_a", "bedroom", 4), ("sun_b", "bedroom", 12)], dtype=[(name, object) for name in ("image", "scene", "type")])
    texts = records.copy()
    texts["type"][1] = "five"
    for content, message in (
        ({"training": records}, r"In 'training\.mat' of LSUN Room Layout, the type of image 2 is '12', expected a number from 0 to 11; take"),
        ({"training": texts}, "the type of image 2 is 'five', expected a number from 0 to 11"),
        ({"training": repack_fields(records[["image", "type"]])}, r"'training\.mat' of LSUN Room Layout has annotations without the field 'scene'"),
        ({"testing": records}, r"'training\.mat' of LSUN Room Layout has no variable 'training'"),
        ({"training": np.arange(4)}, r"without the field 'image'"),
        (None, r"'training\.mat' of LSUN Room Layout cannot be read as a MATLAB file"),
    ):
        if content is None:
            (root / "training.mat").write_bytes(b"no such thing")
        else:
            savemat(root / "training.mat", content)
        with pytest.raises(InputError, match=message) as caught:
            read_lsun_rooms(root)
        assert len(str(caught.value).splitlines()) == 1
