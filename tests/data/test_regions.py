"""Rows that are regions of images, from tables with boxes of every kind."""

import io
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from PIL import Image

import likeness as lk
from likeness.data import ImageTable, with_regions
from likeness.encoders.store.pipeline import ImageUrl, prepared_batches
from likeness.errors import InputError
from likeness.io import Part, UnreadableImageError, image_size, part_path, read_image, split_part

# left, top, width and height of two regions of an image of 40 x 20 pixels
BOXES = np.array([[4.0, 2.0, 8.0, 10.0], [20.0, 5.0, 20.0, 15.0]])
SIZE = np.array([40.0, 20.0, 40.0, 20.0])
LEFT, TOP, WIDTH, HEIGHT = BOXES.T
CORNERS, CENTERS = np.c_[LEFT, TOP, LEFT + WIDTH, TOP + HEIGHT], np.c_[LEFT + WIDTH / 2, TOP + HEIGHT / 2, WIDTH, HEIGHT]
WAYS: dict[str, tuple[str, Any]] = {
    "x y w h": ("x y w h", BOXES),
    "x y width height, of one image": ("x y width height", BOXES),
    "corners": ("xmin ymin xmax ymax", CORNERS),
    "corners, numbered": ("X1 Y1 X2 Y2", CORNERS),
    "centers": ("x_center y_center width height", CENTERS),
    "shares": ("x y w h", BOXES / SIZE),
    "shares of centers, as YOLO has them": ("x_center y_center width height", CENTERS / SIZE),
}


def table(frame: pd.DataFrame) -> ImageTable:
    return ImageTable("boxes", Path(), frame.assign(path="a.png"))


def boxes_of(found: ImageTable) -> np.ndarray[Any, Any]:
    return np.array([part.clipped(40, 20) for path in found.frame["path"] if (part := split_part(path)[1])])


@pytest.mark.parametrize("way", WAYS)
def test_every_way_of_writing_boxes_names_the_same_regions(way: str, tmp_path: Path) -> None:
    columns, numbers = WAYS[way]
    pixels = np.random.default_rng(0).integers(0, 256, (20, 40, 3), dtype=np.uint8)
    Image.fromarray(pixels).save(tmp_path / "a.png")
    pd.DataFrame(numbers, columns=columns.split()).assign(file="a.png", label=["one", "two"]).to_csv(tmp_path / "boxes.csv", index=False)
    found = lk.read(tmp_path / "boxes.csv")
    np.testing.assert_allclose(boxes_of(found), BOXES, rtol=0, atol=1e-6)
    assert found.attributes == ["label", *columns.split()]  # so that exports have them
    unit = "shares of its size" if "shares" in way else "pixels"
    assert found.notes == (f"Each row is the region of its image in {', '.join(columns.split())}, in {unit}.",)
    for row, (x, y, w, h) in enumerate(BOXES.astype(int)):
        np.testing.assert_array_equal(np.asarray(read_image(found.file(row))), pixels[y : y + h, x : x + w])
        assert image_size(found.file(row)) == (w, h)
    again = lk.export(found, "csv", tmp_path / "again.csv")
    assert lk.read(again.place).frame["path"].tolist() == found.frame["path"].tolist()


@pytest.mark.parametrize("write", [list, np.array, lambda box: str(list(box)), lambda box: "{} {} {} {}".format(*box)])
def test_a_column_of_boxes_as_coco_has(write: Any) -> None:
    found = with_regions(table(pd.DataFrame({"bbox": [write(box) for box in BOXES.tolist()]})))
    np.testing.assert_array_equal(boxes_of(found), BOXES)


def test_rows_without_a_box_stay_whole_images() -> None:
    found = with_regions(table(pd.DataFrame(np.vstack([BOXES, [np.nan] * 4]), columns=list("xywh"))))
    assert split_part(found.frame["path"][2]) == ("a.png", None)


@pytest.mark.parametrize(
    "frame",
    [
        pd.DataFrame({"x": [0.1, 0.2], "y": [5, 6]}),
        pd.DataFrame({"x": [1.5], "y": [-2.5], "width": [640], "height": [480]}),  # a map of images, and their sizes
        pd.DataFrame({"x": ["a", "b"], "y": ["a", "b"], "w": ["a", "b"], "h": ["a", "b"]}),
        pd.DataFrame({"x1": [9, 8, 1], "y1": [9, 8, 1], "x2": [1, 2, 3], "y2": [1, 2, 3]}),  # joints
        pd.DataFrame({"bbox": ["yes", "no"]}),
        pd.DataFrame({"bbox": [[1, 2, 3], [1, 2, 3]]}),
        pd.DataFrame({"bbox": [None, None]}),
    ],
)
def test_what_may_be_something_else_is_no_box(frame: pd.DataFrame) -> None:
    given = table(frame)
    assert with_regions(given) is given


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ([0.2, 0.1, 0.5, 0.5], r"The box of row 3 of 'boxes' \(x, y, w, h\) is smaller than a pixel, but others are in pixels, not in shares"),
        ([1, 2, np.nan, 4], r"The box of row 3 of 'boxes' \(x, y, w, h\) has a missing or infinite number"),
        ([1, 2, np.inf, 4], r"The box of row 3 of 'boxes' \(x, y, w, h\) has a missing or infinite number"),
    ],
)
def test_what_is_ambiguous_is_refused(row: list[float], message: str) -> None:
    with pytest.raises(InputError, match=message):
        with_regions(table(pd.DataFrame(np.vstack([BOXES, row]), columns=list("xywh"))))


def test_a_box_beyond_the_edge_is_cut_off_and_one_outside_fails_alone(tmp_path: Path) -> None:
    Image.new("RGB", (40, 20), "red").save(tmp_path / "a.png")
    rows = [[-5, -5, 15, 15], [30, 10, 30, 30], [50, 0, 5, 5], [5, 5, 0, 5], [5, 5, 5, 5]]
    pd.DataFrame(rows, columns=list("xywh")).assign(path="a.png").to_csv(tmp_path / "boxes.csv", index=False)
    found = lk.read(tmp_path / "boxes.csv")
    assert [read_image(found.file(row)).size for row in (0, 1, 4)] == [(10, 10), (10, 10), (5, 5)]
    with pytest.raises(UnreadableImageError, match=r"cannot be read: its region 50,0,5,5 is empty or outside of the image of 40 x 20 pixels"):
        read_image(found.file(2))
    space = lk.embed(found, "cars")
    assert len(space) == 3
    assert [(failure.row, failure.path) for failure in space.table.failed] == [(2, "a.png#xywh=50,0,5,5"), (3, "a.png#xywh=5,5,0,5")]
    assert all("is empty or outside of the image of 40 x 20 pixels" in failure.reason for failure in space.table.failed)


@pytest.mark.parametrize("orientation", range(1, 9))
@pytest.mark.parametrize("percent", [False, True])
def test_boxes_are_of_the_upright_image_at_every_scale(orientation: int, percent: bool, tmp_path: Path) -> None:
    """A JPEG that is decoded smaller must keep `least` pixels of the region, not of the image."""
    pixels = np.zeros((1600, 800, 3), np.uint8)  # as people see it
    pixels[400:720, 160:480] = (255, 0, 0)
    pixels[400:720, 480:640] = (0, 0, 255)
    turns = {1: [], 2: [0], 3: [3], 4: [1], 5: [5], 6: [2], 7: [6], 8: [4]}  # Pillow's, which undo each
    stored = Image.fromarray(pixels)
    for turn in turns[orientation]:
        stored = stored.transpose(Image.Transpose(turn))
    data = Image.Exif()
    data[0x0112] = orientation
    stored.save(tmp_path / "a.jpg", exif=data, quality=95)
    box = Part(box=(20, 25, 40, 20), percent=True) if percent else Part(box=(160, 400, 320, 320))
    file = Path(part_path(str(tmp_path / "a.jpg"), box))
    assert read_image(tmp_path / "a.jpg").size == image_size(tmp_path / "a.jpg") == (800, 1600)
    assert image_size(file) == (320, 320)
    for least, side in ((None, 320), (320, 320), (161, 320), (160, 160), (90, 160), (40, 40), (1, 40)):
        region = np.asarray(read_image(file, least)).astype(int)
        assert region.shape[:2] == (side, side)
        assert np.abs(region[2:-2, 2:-2] - [255, 0, 0]).mean() < 4
    assert len(np.asarray(read_image(tmp_path / "a.jpg", 100))) == 200


def test_regions_of_images_at_urls() -> None:
    import fsspec

    pixels = np.random.default_rng(0).integers(0, 256, (20, 40, 3), dtype=np.uint8)
    buffer = io.BytesIO()
    Image.fromarray(pixels).save(buffer, "PNG")
    fsspec.filesystem("memory").pipe_file("/regions/a.png", buffer.getvalue())
    far = [ImageUrl(f"memory://regions/a.png#xywh={box}") for box in ("1,2,30,4", "percent:0,50,50,50", "50,0,5,5")]
    batch = next(prepared_batches(far, np.asarray, 3))
    np.testing.assert_array_equal(batch.values[0], pixels[2:6, 1:31])
    np.testing.assert_array_equal(batch.values[1], pixels[10:, :20])
    assert [(place, "is empty or outside" in str(error)) for place, error in batch.errors] == [(2, True)]
