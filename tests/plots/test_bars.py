import numpy as np
import pandas as pd
import pytest

from likeness.errors import InputError
from likeness.plots import metric_bars


@pytest.fixture
def by_encoder(runs: pd.DataFrame) -> pd.DataFrame:
    """Two encoders with runs, one that could not be loaded between them."""
    small = runs[runs["dim"].isin([2, 48])].assign(encoder="small", dim=2)
    large = runs[runs["dim"].isin([8, 48])].assign(encoder="large", dim=2)
    absent = small.drop_duplicates(["notion", "method"]).assign(encoder="absent", refused="no network", map_at_r=np.nan)
    return pd.concat([small, absent, large], ignore_index=True)


def test_bars_are_the_means_with_their_deviations_if_there_is_one(by_encoder: pd.DataFrame) -> None:
    figure = metric_bars(by_encoder)
    bars = [trace for trace in figure.data if trace.legendgroup == "exact"]
    assert len(bars) == 2
    for notion, trace in zip(["car color", "car model"], bars, strict=True):
        assert list(trace.x) == ["small", "large"]
        for encoder, height, error, text in zip(trace.x, trace.y, trace.error_y.array, trace.hovertext, strict=True):
            rows = by_encoder.to_dict("records")
            scores = [row["map_at_r"] for row in rows if (row["encoder"], row["notion"], row["method"]) == (encoder, notion, "exact")]
            mean = sum(scores) / 3
            deviation = (sum((score - mean) ** 2 for score in scores) / 3) ** 0.5
            assert (height, error) == (pytest.approx(mean), pytest.approx(deviation))
            assert text == f"{mean:.3f} ± {deviation:.3f} (3 runs)"
    raw = [trace for trace in metric_bars(by_encoder).data if trace.legendgroup == "raw"]
    assert [(list(trace.y), trace.error_y.visible) for trace in raw] == [([0.25, 0.25], False)] * 2


def test_refused_encoders_keep_their_place_and_a_method_is_listed_once(by_encoder: pd.DataFrame) -> None:
    axis = metric_bars(by_encoder).layout.xaxis
    assert list(axis.categoryarray) == ["small", "absent", "large"]
    assert list(axis.ticktext) == ["small", "absent<br>(refused)", "large"]
    figure = metric_bars(by_encoder, title="Encoders")
    assert [trace.legendgroup for trace in figure.data if trace.showlegend] == ["raw", "exact", "adam", "pca"]
    assert figure.layout.yaxis2.matches == "y"
    assert figure.layout.title.text == "Encoders"


def test_nothing_to_draw_is_an_error(by_encoder: pd.DataFrame) -> None:
    with pytest.raises(InputError, match="There is nothing to plot"):
        metric_bars(by_encoder[by_encoder["encoder"] == "absent"])
