import numpy as np
import pandas as pd
import pytest

from likeness.errors import InputError
from likeness.plots.linked_map.coloring import Coloring, color_by, coloring_of


def test_classes_come_in_alphabetical_order_or_that_of_the_palette_with_their_counts() -> None:
    coloring = coloring_of("body", ["van", "suv", None, "van", float("nan"), ""])
    assert list(coloring.names) == ["suv", "van"]
    assert coloring.codes is not None
    assert coloring.codes.tolist() == [1, 0, -1, 1, -1, -1]
    assert coloring.counts.tolist() == [1, 2]
    assert coloring.palette is None
    coloring = coloring_of("color", ["red", "navy", "red"], "colors", {"navy": "#000080", "red": "#ff0000", "lime": "#00ff00"})
    assert list(coloring.names) == ["navy", "red"]
    assert coloring.palette == ["#000080", "#ff0000"]


def test_numbers_keep_their_values_be_they_texts_or_partly_missing() -> None:
    coloring = coloring_of("yaw", [1, 2.5, float("nan")], "angle")
    assert coloring.values is not None
    np.testing.assert_array_equal(coloring.values, [1, 2.5, np.nan])
    assert coloring.counts.tolist() == []
    texts = color_by([f"{number / 2:g}" for number in range(20)], "height")
    assert texts.kind == "number"
    np.testing.assert_array_equal(texts.values, np.arange(20) / 2)
    whole = color_by(pd.Series([*range(20), None], dtype="Int64"), "count")
    assert whole.kind == "number"
    np.testing.assert_array_equal(whole.values, [*range(20), np.nan])
    assert color_by([f"{number:03d}" for number in range(20)], "code").kind == "category"


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"kind": "category"}, "'category' has no codes"),
        ({"kind": "number"}, "'number' has no values"),
        ({"kind": "colors", "codes": [0], "names": ["a"]}, "'colors' has no palette"),
        ({"kind": "category", "codes": [0], "names": ["a"], "palette": ["#000", "#fff"]}, "palette of 2 colors does not fit 1 names"),
    ],
)
def test_what_is_missing_is_named(settings: dict[str, object], message: str) -> None:
    with pytest.raises(InputError, match=message):
        Coloring(**settings)  # type: ignore[arg-type]


@pytest.mark.parametrize(("largest", "degrees"), [(0.5, 180), (1, 360), (1.5, 1.5), (350, 350)])
def test_angles_up_to_1_are_shares_of_a_turn(largest: float, degrees: float) -> None:
    coloring = color_by(np.linspace(0, largest, 20), "hue")
    assert (coloring.kind, np.max(coloring.values)) == ("angle", degrees)
