import math
from typing import Any

import pandas as pd
import pytest

from likeness.errors import InputError
from likeness.plots import size_curves


@pytest.fixture
def measured() -> pd.DataFrame:
    """Two seeds of Log-ratio at 16, 64 and 128 dimensions, Triplet at 16 and 128, in no order."""
    rows = [
        ("Log-ratio", 0, 128, 10.0, 0.9), ("Log-ratio", 1, 128, 12.0, 0.8), ("Log-ratio", 0, 16, 14.0, 0.7), ("Log-ratio", 1, 16, 14.0, 0.7),
        ("Log-ratio", 0, 64, 11.0, 0.8), ("Triplet", 0, 128, 15.0, 0.6), ("Triplet", 0, 16, 25.0, 0.3),
    ]  # fmt: skip
    return pd.DataFrame(rows, columns=["row", "seed", "dim", "mean_label_distance_at_10", "ndcg_at_10"])


def _lines(figure: Any, axis: str) -> dict[str, Any]:
    return {trace.name: trace for trace in figure.data if trace.xaxis == axis and trace.fill is None}


def test_lines_are_means_by_dimension_of_any_column_with_a_band_of_one_deviation(measured: pd.DataFrame) -> None:
    figure = size_curves(measured, unit="px")
    left, right = _lines(figure, "x"), _lines(figure, "x2")
    assert (list(left["Log-ratio"].x), list(left["Log-ratio"].y)) == ([16, 64, 128], [14.0, 11.0, 11.0])
    assert (list(left["Triplet"].x), list(left["Triplet"].y)) == ([16, 128], [25.0, 15.0])
    assert list(right["Log-ratio"].y) == pytest.approx([0.7, 0.8, 0.85])
    assert [each.text for each in figure.layout.annotations] == ["Mean label distance at 10: smaller is better", "nDCG at 10: larger is better"]
    assert (figure.layout.yaxis.title.text, figure.layout.yaxis2.title.text) == ("px", None)
    assert [trace.name for trace in figure.data if trace.showlegend] == ["Log-ratio", "Triplet"]
    bands = [trace for trace in size_curves(measured).data if trace.fill == "toself"]
    assert list(bands[0].x) == [16, 64, 128, 128, 64, 16]
    assert list(bands[0].y) == pytest.approx([14.0, 11.0, 12.0, 10.0, 11.0, 14.0])
    renamed = measured.rename(columns={"dim": "size", "mean_label_distance_at_10": "mean_label_distance_at_1", "ndcg_at_10": "ndcg_at_1"})
    assert list(_lines(size_curves(renamed, "size", 1), "x")["Triplet"].y) == [25.0, 15.0]


def test_the_axis_is_logarithmic_with_a_tick_at_each_size(measured: pd.DataFrame) -> None:
    axis = size_curves(measured).layout.xaxis
    assert (axis.type, list(axis.tickvals), list(axis.ticktext)) == ("log", [16, 64, 128], ["16", "64", "128"])
    assert axis.range[0] < math.log10(16) < math.log10(128) < axis.range[1]


def test_bad_tables_are_errors(measured: pd.DataFrame) -> None:
    with pytest.raises(InputError, match="There is no 'dim' to draw; give a row per run with row, dim, mean_label_distance_at_10, ndcg_at_10"):
        size_curves(measured.drop(columns="dim"))
    with pytest.raises(InputError, match="There is no 'row' to draw"):
        size_curves(measured.iloc[:0])
    with pytest.raises(InputError, match="The dimensions in 'dim' begin at 0; give numbers of 1 or more"):
        size_curves(measured.assign(dim=0))
