from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from likeness.data import ImageTable, image_classes, part_of
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


def test_classes_are_numbered_in_natural_order(cars: ImageTable) -> None:
    classes = image_classes(cars, "doors")
    assert classes.names == ["2", "10"]
    assert classes.labels.tolist() == [1, 0, 0, 1, 0]


def test_several_attributes_are_combined_in_their_order(cars: ImageTable) -> None:
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


def test_bad_attributes_are_named(cars: ImageTable) -> None:
    with pytest.raises(InputError, match="'cars' has no attribute 'colour'; it has color, doors, body"):
        image_classes(cars, ["body", "colour"])
    with pytest.raises(InputError, match="'cars' has no 'color' for 1 images; fill it in"):
        image_classes(cars, "color")
    with pytest.raises(InputError, match="No attribute is named; choose from color, doors, body"):
        image_classes(cars, [])
