import io
import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from PIL import Image

from likeness.data import ImageTable
from likeness.errors import InputError
from likeness.labels import JOINTS, LabelsConfig, label_distances
from likeness.plots import distance_text, label_text, labeled_image, retrieval_figure, squared_webp as squared
from likeness.plots.label_pictures import blend_layout, draw_numbers, draw_pose, draw_viewpoint

GRAY = (90, 90, 90)


@pytest.fixture
def table(tmp_path: Path) -> ImageTable:
    """Three images, 60 by 40, with every kind of label."""
    rows = []
    for row in range(3):
        Image.new("RGB", (60, 40), GRAY).save(tmp_path / f"{row}.png")
        mask = np.ones((40, 60), np.uint8)
        mask[:, 20 + 10 * row :] = 2
        Image.fromarray(mask).save(tmp_path / f"mask{row}.png")
        joints = {f"{name}_{axis}": 5.0 + place + 5 * row for place, name in enumerate(JOINTS) for axis in "xy"}
        captions = json.dumps([f"car number {row} on a road", "a car"])
        labels = {"yaw": 90.0 * row, "elevation": 10.5, "year": 2000 + row, "captions": captions, "layout": f"mask{row}.png"}
        rows.append({"path": f"{row}.png"} | joints | labels)
    return ImageTable("mine", tmp_path, pd.DataFrame(rows))


def test_each_kind_is_drawn_at_the_size_of_the_picture(table: ImageTable) -> None:
    plain = Image.new("RGB", (240, 160), GRAY)
    joints = np.array([[5.0 + place + 5] * 2 for place in range(len(JOINTS))]) * 4
    mask = np.ones((256, 256), np.uint8)
    mask[:, 128:] = 2
    expected = {
        LabelsConfig(kind="pose"): draw_pose(plain, joints, JOINTS),
        LabelsConfig(kind="layout"): blend_layout(plain, np.repeat(np.repeat([[1, 2]], 80, 1), 160, 0)),
        LabelsConfig(kind="angles", columns=("yaw", "elevation")): draw_viewpoint(plain, 90, 10.5),
        LabelsConfig(kind="angles", columns=("yaw",)): draw_viewpoint(plain, 90),
        LabelsConfig(kind="numbers", columns=("year", "elevation")): draw_numbers(plain, [0.5, 0.5]),
        LabelsConfig(kind="captions"): plain,
        None: plain,
    }
    for config, picture in expected.items():
        drawn = labeled_image(table, config, 1, 240)
        assert drawn.size == (240, 160)
        if config is not None and config.kind == "layout":
            pixels = [drawn.getpixel(place) for place in ((60, 80), (180, 80), (119, 80), (120, 80))]
            assert pixels == [picture.getpixel((60, 80)), picture.getpixel((180, 80)), (255, 255, 255), (255, 255, 255)]
        else:
            assert (np.asarray(drawn) == np.asarray(picture)).all(), config


def test_labels_and_distances_in_words(table: ImageTable) -> None:
    for config, row, text in (
        (LabelsConfig(kind="angles", columns=("yaw", "elevation")), 1, "yaw 90.0°, elevation 10.5°"),
        (LabelsConfig(kind="numbers", columns=("year",)), 2, "year 2002"),
        (LabelsConfig(kind="captions"), 2, "car number 2 on a road"),
        (LabelsConfig(kind="pose"), 2, ""),
    ):
        assert label_text(table, config, row) == text
    for value, unit, text in (
        *((12.34, "degrees", "12.3°"), (42, "px", "42.0 px"), (123.4, "px", "123 px"), (999.9, "px", "1,000 px"), (12345.6, "", "12,346")),
        *((0.21234, "1 - mIoU", "0.212"), (0.012345, "", "0.0123"), (1, "", "1.00"), (0, "px", "0.00 px"), (1.5, "word mover's distance", "1.50")),
    ):
        assert distance_text(value, unit) == text


def test_pictures_travel_as_squares_that_are_see_through_beside_the_image(table: ImageTable) -> None:
    with Image.open(io.BytesIO(squared(labeled_image(table, None, 0, 120)))) as sent:
        assert (sent.size, sent.mode) == ((120, 120), "RGBA")
        assert [sent.getpixel(place)[3] for place in ((60, 10), (60, 60), (60, 110))] == [0, 255, 0]
    with Image.open(io.BytesIO(squared(Image.new("RGB", (50, 50), GRAY)))) as sent:
        assert (sent.size, sent.mode) == ((50, 50), "RGB")


def test_a_figure_has_the_query_and_a_row_of_pictures_for_each_space(table: ImageTable) -> None:
    config = LabelsConfig(kind="angles", columns=("yaw",))
    labels = label_distances(table, config)
    figure = retrieval_figure(table, config, labels, 0, {"Raw encoder": [1, 2], "Oracle": [2, 1]}, tile=120)
    pixels = np.asarray(figure)
    assert pixels[0, 0].tolist() == [255, 255, 255]
    picture = np.asarray(labeled_image(table, config, 1, 120))
    found = [
        (x, y)
        for y in range(figure.height - picture.shape[0])
        for x in range(figure.width - picture.shape[1])
        if (pixels[y, x] == GRAY).all() and (pixels[y : y + picture.shape[0], x : x + picture.shape[1]] == picture).all()
    ]
    assert len(found) == 2  # image 1: first of the upper row, second of the lower
    (x, y), (right, lower) = found
    assert (right - x, lower > y + 100) == (128, True)
    longer = retrieval_figure(table, LabelsConfig(kind="captions"), labels, 0, {"Raw encoder": [1, 2]}, tile=120)
    single = retrieval_figure(table, config, labels, 0, {"Raw encoder": [1, 2]}, tile=120)
    assert longer.height > single.height  # room for the captions
    assert longer.width == single.width


def test_pictures_that_cannot_be_made_are_errors(table: ImageTable) -> None:
    config = LabelsConfig(kind="angles", columns=("yaw",))
    labels = label_distances(table, config)
    for images, query, retrieved, message in (
        (table, 0, {}, "Nothing is retrieved"),
        (table, 0, {"Raw encoder": []}, "Nothing is retrieved"),
        (table, 0, {"Raw encoder": [3]}, "There is no row 3 in a table of 3 images"),
        (table, -1, {"Raw encoder": [2]}, "There is no row -1"),
        (ImageTable("mine", table.root, table.frame.iloc[:2]), 0, {"Raw encoder": [1]}, "There are 2 images, but label distances of 3"),
    ):
        with pytest.raises(InputError, match=message):
            retrieval_figure(images, config, labels, query, retrieved)
    with pytest.raises(InputError, match="The joints of image 1 of 'mine' are missing or not numbers"):
        labeled_image(ImageTable("mine", table.root, table.frame.assign(neck_x="left")), LabelsConfig(kind="pose"), 1)
