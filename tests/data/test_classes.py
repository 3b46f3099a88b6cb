from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from likeness.data import ImageTable, has_label, image_classes, labeled_images, part_of
from likeness.errors import InputError


@pytest.fixture
def cars() -> ImageTable:
    rows = {
        "path": list("abcde"),
        "color": ["red", "blue", "red", "red", None],
        "doors": [10, 2, 2, 10, 2],
        "body": ["van", "van", "suv", "van", "suv"],
    }
    return ImageTable("cars", Path("."), pd.DataFrame(rows))


def test_classes_are_numbered_in_natural_order_and_several_attributes_combined_in_theirs(cars: ImageTable) -> None:
    classes = image_classes(cars, "doors")
    assert (classes.names, classes.labels.tolist()) == (["2", "10"], [1, 0, 0, 1, 0])
    classes = image_classes(cars, ["body", "doors"])
    assert classes.names == ["suv 2", "van 2", "van 10"]
    assert [classes.names[label] for label in classes.labels] == ["van 10", "van 2", "suv 2", "van 10", "suv 2"]


def test_a_part_is_numbered_anew(cars: ImageTable) -> None:
    rows, part = part_of(image_classes(cars, ["body", "doors"]), {"van 10", "suv 2", "unknown"})
    assert rows.tolist() == [0, 2, 3, 4]
    assert (part.names, part.labels.tolist()) == (["suv 2", "van 10"], [1, 0, 1, 0])
    assert part.labels.dtype == np.int64
    rows, part = part_of(image_classes(cars, "body"), set())
    assert (len(rows), part.names) == (0, [])


def test_an_image_without_a_label_is_in_no_class(cars: ImageTable) -> None:
    classes = image_classes(cars, "color")
    assert (classes.names, classes.labels.tolist(), classes.left_out) == (["blue", "red"], [1, 0, 1, 1, -1], 1)
    assert classes.rows.tolist() == [0, 1, 2, 3]
    both = image_classes(ImageTable("cars", Path("."), cars.frame.assign(body=["van", "(unlabeled)", "suv", "", "suv"])), ["color", "body"])
    assert (both.names, both.labels.tolist(), both.left_out) == (["red suv", "red van"], [1, -1, 0, -1, -1], 3)
    for kept, row in (("red suv", 2), ("red van", 0)):
        rows, part = part_of(both, {kept})
        assert (rows.tolist(), part.labels.tolist()) == ([row], [0])
    kept = labeled_images(cars, "color")
    assert kept.frame["path"].tolist() == list("abcd")
    assert labeled_images(kept, "color") is kept


@pytest.mark.parametrize(
    ("labels", "expected"),
    [
        (["a", None, "", "(unlabeled)", " ", float("nan"), pd.NA, "None", "nan"], [True, *[False] * 6, True, True]),
        (pd.Series([1.0, np.nan, 0.0]), [True, False, True]),
        (pd.Series([True, None, False], dtype="boolean"), [True, False, True]),
        (pd.Series(["x", "(unlabeled)", None], dtype="category"), [True, False, False]),
        (pd.Series(["x", "(unlabeled)", None], dtype="string"), [True, False, False]),
        (pd.Series([["x"], [], None], dtype=object), [True, True, False]),
        (np.array([0, -1, 3]), [True, True, True]),
        (pd.to_datetime(pd.Series(["2020-01-01", None])), [True, False]),
    ],
)
def test_what_is_a_label(labels: Any, expected: list[bool]) -> None:
    assert has_label(labels).tolist() == expected


def test_bad_attributes_are_named(cars: ImageTable) -> None:
    with pytest.raises(InputError, match="'cars' has no attribute 'colour'; it has color, doors, body"):
        image_classes(cars, ["body", "colour"])  # codespell:ignore
    without = ImageTable("cars", Path("."), cars.frame.assign(color=[None, "", "(unlabeled)", float("nan"), None]))
    with pytest.raises(InputError, match="No image of 'cars' has a label of 'color'; fill it in or choose another attribute"):
        image_classes(without, "color")
    with pytest.raises(InputError, match="No attribute is given; choose from color, doors, body"):
        image_classes(cars, [])
