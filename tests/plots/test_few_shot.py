import pandas as pd
import pytest

from likeness.errors import InputError
from likeness.plots import few_shot_bars, few_shot_curves


@pytest.fixture
def gains() -> pd.DataFrame:
    """Two methods on two splits; 2 shots for both, 5 for Margin."""
    rows = []
    for row, shift in (("Margin", 0.0), ("ArcFace", 0.2)):
        for split, distance, zero, few in (("start", 0.1, 0.4, 0.5), ("swap 1", 0.2, 0.2, 0.4)):
            rows += [(row, split, distance, shots, zero + shift, few + shift) for shots in ((2, 5) if row == "Margin" else (2,))]
    found = pd.DataFrame(rows, columns=["row", "split", "distance", "shots", "zero_shot", "few_shot"])
    return found.assign(runs=1, gain=found["few_shot"] / found["zero_shot"] - 1)


def test_bars_are_the_mean_of_all_methods_or_of_one_with_the_gain_above(gains: pd.DataFrame) -> None:
    before, after, before_5, after_5 = few_shot_bars(gains).data
    assert (before.name, list(before.x)) == ("Before", ["start", "swap 1"])
    assert list(before.y) == pytest.approx([0.5, 0.3])
    assert list(after.y) == pytest.approx([0.6, 0.5])
    assert list(after.text) == ["+20%", "+67%"]
    assert list(before_5.y) == pytest.approx([0.4, 0.2])
    assert (after_5.xaxis, after_5.showlegend) == ("x2", False)
    assert [note.text for note in few_shot_bars(gains).layout.annotations] == ["2 images of each class", "5 images of each class"]
    before, after = few_shot_bars(gains, "ArcFace").data
    assert list(before.y) == pytest.approx([0.6, 0.4])
    assert list(after.text) == ["+17%", "+50%"]


def test_a_line_of_gains_per_method_and_number_of_shots(gains: pd.DataFrame) -> None:
    margin, arcface, margin_5 = few_shot_curves(gains, methods=["Margin", "ArcFace"]).data
    assert (margin.name, list(margin.x)) == ("Margin", [0.1, 0.2])
    assert list(margin.y) == pytest.approx([0.25, 1.0])
    assert list(arcface.y) == pytest.approx([1 / 6, 0.5])
    assert (margin_5.name, margin_5.xaxis, margin_5.showlegend) == ("Margin", "x2", False)
    assert margin.line.color != arcface.line.color


def test_nothing_to_draw_is_an_error(gains: pd.DataFrame) -> None:
    with pytest.raises(InputError, match="There is no few-shot figure of 'DiVA' to draw"):
        few_shot_bars(gains, "DiVA")
    with pytest.raises(InputError, match="There is no few-shot figure to draw"):
        few_shot_curves(gains.iloc[:0])
