import statistics
from typing import Any

import numpy as np
import pandas as pd
import pytest

from likeness.errors import InputError
from likeness.notions.methods import METHOD_TITLES
from likeness.plots import convergence_curves, metric_bars, metric_curve
from likeness.plots.curve import spread

NOTIONS = ["car color", "car model"]


def _traces(figure: Any, method: str, bands: bool = False) -> list[Any]:
    return [trace for trace in figure.data if trace.legendgroup == method and (getattr(trace, "fill", None) == "toself") == bands]


def _by_hand(runs: pd.DataFrame, **values: Any) -> tuple[float, float]:
    """Mean and deviation of MAP@R over the runs that have these values."""
    scores = [row["map_at_r"] for row in runs.to_dict("records") if values.items() <= row.items()]
    return statistics.fmean(scores), statistics.pstdev(scores)


def test_lines_are_the_means_and_bands_one_deviation_without_refused_sizes(runs: pd.DataFrame) -> None:
    figure = metric_curve(runs)
    for method in ("exact", "adam"):
        for notion, line, band in zip(NOTIONS, _traces(figure, method), _traces(figure, method, bands=True), strict=True):
            assert list(line.x) == [2, 8, 32]
            means, deviations = zip(*(_by_hand(runs, notion=notion, method=method, dim=dim) for dim in line.x), strict=True)
            np.testing.assert_allclose(line.y, means)
            assert list(band.x) == [2, 8, 32, 32, 8, 2]
            np.testing.assert_allclose(band.y, [*np.add(means, deviations), *np.subtract(means, deviations)[::-1]])
            assert line.hovertext[0] == f"{means[0]:.3f} ± {deviations[0]:.3f} (3 runs)"
    assert [list(line.x) for line in _traces(figure, "pca")] == [[2, 8], [2, 8]]
    assert _traces(figure, "pca", bands=True) == []
    # the raw encoder is a dashed line through all sizes, and alone stands at its own
    for line in _traces(figure, "raw"):
        assert (list(line.x), list(line.y)) == ([2, 8, 32], [0.25, 0.25, 0.25])
        assert (line.line.dash, line.mode, line.hovertext[0]) == ("dash", "lines", "0.250")
    (line, _) = _traces(metric_curve(runs[runs["method"] == "raw"]), "raw")
    assert (list(line.x), list(line.y)) == ([48], [0.25])


def test_a_panel_per_notion_shares_scale_and_legend(runs: pd.DataFrame) -> None:
    figure = metric_curve(runs, metric="precision_at_1", title="Sizes")
    layout = figure.layout
    assert ([annotation.text for annotation in layout.annotations], layout.yaxis2.matches) == (NOTIONS, "y")
    assert (layout.title.text, layout.yaxis.title.text, layout.xaxis.title.text) == ("Sizes", "Prec@1", "Embedding size")
    listed = [trace.name for trace in figure.data if trace.showlegend]
    assert sorted(listed) == sorted(METHOD_TITLES[method] for method in ("raw", "exact", "adam", "pca"))
    assert [trace.xaxis for trace in _traces(figure, "exact")] == ["x", "x2"]
    # backgrounds are see-through, and no text has a color of its own
    assert layout.paper_bgcolor == layout.plot_bgcolor == layout.legend.bgcolor == "rgba(0, 0, 0, 0)"
    assert layout.font.color is None
    axis = metric_curve(runs, log_x=True).layout.xaxis
    assert (axis.type, list(axis.tickvals), list(axis.ticktext)) == ("log", [2, 8, 32], ["2", "8", "32"])
    assert axis.range[0] < np.log10(2) < np.log10(32) < axis.range[1]
    # many notions take several rows
    many = pd.concat([runs[runs["notion"] == "car color"].assign(notion=f"notion {number}") for number in range(4)])
    figure = metric_curve(many)
    layout = figure.layout
    assert [trace.xaxis for trace in _traces(figure, "exact")] == ["x", "x2", "x3", "x4"]
    assert layout.xaxis4.domain[0] == layout.xaxis.domain[0]
    assert layout.yaxis4.domain[1] < layout.yaxis.domain[0]
    assert [layout[f"xaxis{number}"].title.text for number in ("", 2, 3, 4)] == [None, *["Embedding size"] * 3]


def test_what_reads_no_prompt_is_level_along_the_prompts(runs: pd.DataFrame) -> None:
    counted = runs.assign(prompts=runs["dim"] * 5)
    counted.loc[counted["method"] == "raw", "prompts"] = 0
    level = counted[counted["method"] == "adam"].query("dim == 2").assign(method="oracle", prompts=0)
    figure = metric_curve(pd.concat([counted, level]), "prompts")
    (line, _), (band, _) = _traces(figure, "oracle"), _traces(figure, "oracle", bands=True)
    mean, deviation = _by_hand(runs, notion="car color", method="adam", dim=2)
    assert list(line.x) == [10, 40, 160]
    np.testing.assert_allclose(line.y, [mean] * 3)
    np.testing.assert_allclose(band.y, [mean + deviation] * 3 + [mean - deviation] * 3)
    assert figure.layout.xaxis.title.text == "Number of prompts"
    assert figure.layout.xaxis.range[0] > 0


def test_mean_deviation_and_count_by_hand_without_refused_runs_if_there_are_any(runs: pd.DataFrame) -> None:
    few = pd.DataFrame({"notion": "color", "method": ["exact", "exact", "raw"], "dim": [4, 4, 512], "refused": "", "map_at_r": [0.2, 0.4, 0.1]})
    assert spread(few, "dim", "map_at_r").to_dict("records") == [
        {"notion": "color", "method": "exact", "dim": 4, "mean": pytest.approx(0.3), "std": pytest.approx(0.1), "runs": 2},
        {"notion": "color", "method": "raw", "dim": 512, "mean": 0.1, "std": 0.0, "runs": 1},
    ]
    points = spread(runs, "dim", "map_at_r")
    assert set(points.loc[points["method"] == "pca", "dim"]) == {2, 8}
    assert points["mean"].notna().all()
    pd.testing.assert_frame_equal(spread(runs[runs["refused"] == ""].drop(columns="refused"), "dim", "map_at_r"), points)


@pytest.fixture
def by_encoder(runs: pd.DataFrame) -> pd.DataFrame:
    """Two encoders with runs, one that could not be loaded between them."""
    small = runs[runs["dim"].isin([2, 48])].assign(encoder="small", dim=2)
    large = runs[runs["dim"].isin([8, 48])].assign(encoder="large", dim=2)
    absent = small.drop_duplicates(["notion", "method"]).assign(encoder="absent", refused="no network", map_at_r=np.nan)
    return pd.concat([small, absent, large], ignore_index=True)


def test_bars_are_the_means_with_their_deviations_if_there_is_one_and_refused_encoders_keep_their_place(by_encoder: pd.DataFrame) -> None:
    figure = metric_bars(by_encoder, title="Encoders")
    for notion, trace in zip(NOTIONS, _traces(figure, "exact"), strict=True):
        assert list(trace.x) == ["small", "large"]
        for encoder, height, error, text in zip(trace.x, trace.y, trace.error_y.array, trace.hovertext, strict=True):
            mean, deviation = _by_hand(by_encoder, encoder=encoder, notion=notion, method="exact")
            assert (height, error, text) == (pytest.approx(mean), pytest.approx(deviation), f"{mean:.3f} ± {deviation:.3f} (3 runs)")
    assert [(list(trace.y), trace.error_y.visible) for trace in _traces(figure, "raw")] == [([0.25, 0.25], False)] * 2
    axis = figure.layout.xaxis
    assert list(axis.categoryarray) == ["small", "absent", "large"]
    assert list(axis.ticktext) == ["small", "absent<br>(refused)", "large"]
    assert [trace.legendgroup for trace in figure.data if trace.showlegend] == ["raw", "exact", "adam", "pca"]
    assert (figure.layout.yaxis2.matches, figure.layout.title.text) == ("y", "Encoders")


def test_nothing_to_draw_is_an_error(runs: pd.DataFrame, by_encoder: pd.DataFrame) -> None:
    refused = "There is nothing to plot: every run was refused; choose other methods"
    for draw, arguments, message in (
        (spread, (runs, "size", "map_at_r"), r"The runs have no 'size'; choose from their columns notion, method, dim"),
        (spread, (runs, "dim", "ami"), r"The runs have no 'ami'; choose from their metrics map_at_r, precision_at_1\."),
        *((metric_curve, (given,), refused) for given in (runs[runs["refused"] != ""], runs.iloc[:0])),
        (metric_bars, (by_encoder[by_encoder["encoder"] == "absent"],), refused),
    ):
        with pytest.raises(InputError, match=message):
            draw(*arguments)


def test_a_line_per_name_with_a_look_of_its_own_and_a_band_over_its_seeds() -> None:
    """Two seeds of "base", of which one stopped after epoch 2, and one of "ELG"."""
    rows = [("base", 0, 1, 0.2), ("base", 0, 2, 0.4), ("base", 0, 3, 0.5), ("base", 1, 1, 0.4), ("base", 1, 2, 0.6)]
    rows += [("ELG", 0, 1, 0.5), ("ELG", 0, 2, 0.7), ("ELG", 0, 3, 0.8)]
    curves = pd.DataFrame(rows, columns=["run", "seed", "epoch", "recall_at_1"])
    figure = convergence_curves(curves, title="Courses")
    band, base, elg = figure.data
    assert (base.name, list(base.x)) == ("base", [1, 2, 3])
    np.testing.assert_allclose(base.y, [0.3, 0.5, 0.5])
    np.testing.assert_allclose(band.y, [0.4, 0.6, 0.5, 0.5, 0.4, 0.2])
    assert (band.fill, band.legendgroup, band.showlegend) == ("toself", "base", False)
    assert list(base.hovertext) == ["0.300 ± 0.100 (2 runs)", "0.500 ± 0.100 (2 runs)", "0.500"]
    assert (elg.name, list(elg.y)) == ("ELG", [0.5, 0.7, 0.8])
    layout = figure.layout
    assert (layout.title.text, layout.yaxis.title.text, layout.xaxis.title.text) == ("Courses", "R@1", "Epoch")
    assert layout.yaxis.rangemode == "normal"
    assert all(a != b for a, b in ((base.line.color, elg.line.color), (base.line.dash, elg.line.dash), (base.marker.symbol, elg.marker.symbol)))
    for given, metric in ((curves, "nmi"), (curves.iloc[:0], "recall_at_1")):
        with pytest.raises(InputError, match=f"There is no '{metric}' to draw"):
            convergence_curves(given, metric)
