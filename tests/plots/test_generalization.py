import pandas as pd
import pytest

from likeness.errors import InputError
from likeness.evaluation import by_split, generalization_scores
from likeness.plots import generalization_bars, generalization_curves


@pytest.fixture
def measured() -> pd.DataFrame:
    """Raw once, Margin with two seeds, on three splits; the last split lacks Raw."""
    rows = []
    for split, distance, raw, margin in (("start", 0.1, 0.5, (0.7, 0.9)), ("swap 1", 0.3, 0.4, (0.6, 0.6)), ("removal 1", 0.2, None, (0.5, 0.7))):
        if raw is not None:
            rows.append(("Raw encoder", 0, split, distance, raw))
        rows += [("Margin", seed, split, distance, score) for seed, score in enumerate(margin)]
    return pd.DataFrame(rows, columns=["row", "seed", "split", "distance", "recall_at_1"])


def test_a_line_per_method_with_whiskers_and_its_difference_from_the_mean(measured: pd.DataFrame) -> None:
    figure = generalization_curves(by_split(measured), methods=["Raw encoder", "Margin"])
    raw, raw_difference, margin, margin_difference = figure.data
    assert (margin.name, list(margin.x)) == ("Margin", [0.1, 0.2, 0.3])
    assert list(margin.y) == pytest.approx([0.8, 0.6, 0.6])
    assert list(margin.error_y.array) == pytest.approx([0.02**0.5, 0.02**0.5, 0])
    assert margin.error_y.visible
    assert not raw.error_y.visible
    assert list(raw.x) == [0.1, 0.3]
    assert list(margin_difference.x) == [0.1, 0.3]  # the other split lacks a method
    assert list(margin_difference.y) == pytest.approx([0.15, 0.1])
    assert list(raw_difference.y) == pytest.approx([-0.15, -0.1])
    assert (margin_difference.xaxis, margin_difference.showlegend, margin.showlegend) == ("x2", False, True)
    assert list(margin.hovertext) == ["start: 0.800 ± 0.141 (2 runs)", "removal 1: 0.600 ± 0.141 (2 runs)", "swap 1: 0.600 ± 0.000 (2 runs)"]
    assert figure.layout.annotations[0].text == "R@1"


def test_a_method_keeps_its_look_before_the_others_have_a_figure(measured: pd.DataFrame) -> None:
    methods = ["ArcFace", "Margin", "Raw encoder"]
    line = generalization_curves(by_split(measured[measured["row"] == "Margin"]), methods=methods, named="R@1 among 2 classes").data[0]
    whole = next(trace for trace in generalization_curves(by_split(measured), methods=methods).data if trace.name == "Margin")
    assert (line.line.color, line.marker.symbol) == (whole.line.color, whole.marker.symbol)


def test_bars_of_the_scores_best_on_top(measured: pd.DataFrame) -> None:
    scores = generalization_scores(measured)
    (bars,) = generalization_bars(scores, methods=["Raw encoder", "Margin"]).data
    # the area over 0, 1/2, 1: (0.7 + 2 * 0.5 + 0.6) / 4 and (0.9 + 2 * 0.7 + 0.6) / 4; Raw lacks a split
    assert list(bars.y) == ["Margin"]
    assert list(bars.x) == pytest.approx([(0.575 + 0.725) / 2])
    assert list(bars.error_x.array) == pytest.approx([0.15 / 2**0.5])
    figure = generalization_bars(pd.DataFrame({"row": ["a", "b"], "runs": [1, 1], "ags": [0.9, 0.5], "deviation": [0.0, 0.0]}))
    assert figure.layout.yaxis.autorange == "reversed"
    assert list(figure.layout.yaxis.ticktext) == ["a  <b>0.900</b>  ", "b  <b>0.500</b>  "]


def test_nothing_to_draw_is_an_error(measured: pd.DataFrame) -> None:
    with pytest.raises(InputError, match="There is no figure to draw"):
        generalization_curves(by_split(measured.iloc[:0]))
    with pytest.raises(InputError, match="There is no score to draw"):
        generalization_bars(generalization_scores(measured.iloc[:1]))
