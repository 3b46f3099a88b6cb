import math
from typing import Any

import pandas as pd
import pytest

from likeness.errors import InputError
from likeness.plots import continuous_curves, size_curves
from likeness.plots.look import GRAY


@pytest.fixture
def measured() -> pd.DataFrame:
    """Log-ratio with two seeds, Triplet with one; label distance at 1 to 3, nDCG at 10 and 20, and bounds, which differ a little between runs."""
    rows = []
    for row, seed, apart, ndcg, oracle in (("Log-ratio", 0, 2.0, 0.8, 1.0), ("Log-ratio", 1, 4.0, 0.6, 1.0), ("Triplet", 0, 5.0, 0.4, 1.3)):
        distances = {f"mean_label_distance_at_{k}": apart + k for k in (1, 2, 3)}
        distances |= {f"oracle_mean_label_distance_at_{k}": oracle * k for k in (1, 2, 3)}
        chance = {"chance_mean_label_distance": 9.0, "chance_ndcg_at_10": 0.1, "chance_ndcg_at_20": 0.2}
        rows.append({"row": row, "seed": seed, "ndcg_at_10": ndcg, "ndcg_at_20": ndcg + 0.1} | distances | chance)
    return pd.DataFrame(rows)


def _lines(figure: Any, axis: str) -> dict[str, Any]:
    return {trace.name: trace for trace in figure.data if trace.xaxis == axis and trace.fill is None}


def test_lines_are_means_over_seeds_at_every_k_with_a_band_between_bounds_that_are_broken_and_named(measured: pd.DataFrame) -> None:
    figure = continuous_curves(measured, unit="px")
    left, right = _lines(figure, "x"), _lines(figure, "x2")
    assert list(left) == list(right) == ["Log-ratio", "Triplet", "Oracle", "Chance"]
    assert list(left["Log-ratio"].x) == [1, 2, 3]
    assert list(left["Log-ratio"].y) == pytest.approx([4.0, 5.0, 6.0])
    assert list(left["Triplet"].y) == pytest.approx([6.0, 7.0, 8.0])
    assert list(right["Log-ratio"].x) == [10, 20]
    assert list(right["Log-ratio"].y) == pytest.approx([0.7, 0.8])
    assert left["Log-ratio"].hovertext[0] == "4.000 ± 1.000 (2 runs)"
    assert [annotation.text for annotation in figure.layout.annotations] == ["Mean label distance: smaller is better", "nDCG: larger is better"]
    assert (figure.layout.yaxis.title.text, figure.layout.yaxis2.title.text) == ("px", None)
    bands = [trace for trace in figure.data if trace.fill == "toself"]
    assert [band.name for band in bands] == ["Log-ratio", "Log-ratio"]
    assert list(bands[0].y) == pytest.approx([5.0, 6.0, 7.0, 5.0, 4.0, 3.0])
    assert list(left["Oracle"].y) == pytest.approx([1.1, 2.2, 3.3])  # the mean over the runs
    assert (list(left["Chance"].y), list(right["Oracle"].y)) == ([9.0, 9.0, 9.0], [1.0, 1.0])
    assert list(right["Chance"].y) == pytest.approx([0.1, 0.2])
    for name in ("Oracle", "Chance"):
        bound = left[name]
        assert (bound.line.dash, bound.line.color, bound.showlegend, list(bound.text)) == ("dot", GRAY, False, ["", "", name])
    assert [trace.name for trace in figure.data if trace.showlegend] == ["Log-ratio", "Triplet"]


def test_a_table_without_bounds_or_without_a_metric_draws_what_there_is(measured: pd.DataFrame) -> None:
    bare = measured[["row", "mean_label_distance_at_1", "mean_label_distance_at_2", "ndcg_at_10"]].assign(ndcg_at_10=[0.5, None, None])
    figure = continuous_curves(bare)
    assert list(_lines(figure, "x")) == ["Log-ratio", "Triplet"]
    right = _lines(figure, "x2")
    assert list(right) == ["Log-ratio", "Oracle"]
    assert (list(right["Log-ratio"].x), list(right["Log-ratio"].y)) == ([10], [0.5])
    alone = continuous_curves(measured[["row", "ndcg_at_10"]])
    assert (_lines(alone, "x"), list(_lines(alone, "x2"))) == ({}, ["Log-ratio", "Triplet", "Oracle"])
    # methods keep their looks
    whole = _lines(continuous_curves(measured, methods=["Triplet", "Log-ratio"]), "x")
    part = _lines(continuous_curves(measured[measured["row"] == "Log-ratio"], methods=["Triplet", "Log-ratio"]), "x")
    assert part["Log-ratio"].line.color == whole["Log-ratio"].line.color != whole["Triplet"].line.color
    for given in (measured[["row"]], measured[["seed", "ndcg_at_10"]], measured.iloc[:0]):
        with pytest.raises(InputError, match="There is no mean label distance or nDCG to draw"):
            continuous_curves(given)


def test_lines_are_means_by_dimension_on_a_logarithmic_axis() -> None:
    """Two seeds of Log-ratio at 16, 64 and 128 dimensions, Triplet at 16 and 128, in no order."""
    rows = [
        ("Log-ratio", 0, 128, 10.0, 0.9), ("Log-ratio", 1, 128, 12.0, 0.8), ("Log-ratio", 0, 16, 14.0, 0.7), ("Log-ratio", 1, 16, 14.0, 0.7),
        ("Log-ratio", 0, 64, 11.0, 0.8), ("Triplet", 0, 128, 15.0, 0.6), ("Triplet", 0, 16, 25.0, 0.3),
    ]  # fmt: skip
    by_size = pd.DataFrame(rows, columns=["row", "seed", "dim", "mean_label_distance_at_10", "ndcg_at_10"])
    figure = size_curves(by_size, unit="px")
    left, right = _lines(figure, "x"), _lines(figure, "x2")
    assert (list(left["Log-ratio"].x), list(left["Log-ratio"].y)) == ([16, 64, 128], [14.0, 11.0, 11.0])
    assert (list(left["Triplet"].x), list(left["Triplet"].y)) == ([16, 128], [25.0, 15.0])
    assert list(right["Log-ratio"].y) == pytest.approx([0.7, 0.8, 0.85])
    assert [each.text for each in figure.layout.annotations] == ["Mean label distance at 10: smaller is better", "nDCG at 10: larger is better"]
    assert (figure.layout.yaxis.title.text, figure.layout.yaxis2.title.text) == ("px", None)
    assert [trace.name for trace in figure.data if trace.showlegend] == ["Log-ratio", "Triplet"]
    band = next(trace for trace in figure.data if trace.fill == "toself")
    assert list(band.x) == [16, 64, 128, 128, 64, 16]
    assert list(band.y) == pytest.approx([14.0, 11.0, 12.0, 10.0, 11.0, 14.0])
    axis = figure.layout.xaxis
    assert (axis.type, list(axis.tickvals), list(axis.ticktext)) == ("log", [16, 64, 128], ["16", "64", "128"])
    assert axis.range[0] < math.log10(16) < math.log10(128) < axis.range[1]
    for given, message in (
        (by_size.drop(columns="dim"), "There is no 'dim' to draw; pass a row per run with row, dim, mean_label_distance_at_10, ndcg_at_10"),
        (by_size.iloc[:0], "There is no 'row' to draw"),
        (by_size.assign(dim=0), "The smallest number in 'dim' is 0; pass numbers of at least 1"),
    ):
        with pytest.raises(InputError, match=message):
            size_curves(given)
