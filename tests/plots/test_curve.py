from typing import Any

import numpy as np
import pandas as pd
import pytest

from likeness.errors import InputError
from likeness.notions.methods import METHOD_TITLES
from likeness.plots import metric_curve


def _traces(figure: Any, method: str, bands: bool = False) -> list[Any]:
    return [trace for trace in figure.data if trace.legendgroup == method and (trace.fill == "toself") == bands]


def _by_hand(runs: pd.DataFrame, notion: str, method: str, x: str, value: int) -> tuple[float, float]:
    scores = [row["map_at_r"] for row in runs.to_dict("records") if (row["notion"], row["method"], row[x]) == (notion, method, value)]
    mean = sum(scores) / len(scores)
    return mean, (sum((score - mean) ** 2 for score in scores) / len(scores)) ** 0.5


@pytest.mark.parametrize("method", ["exact", "adam"])
def test_lines_are_the_means_and_bands_one_deviation(runs: pd.DataFrame, method: str) -> None:
    figure = metric_curve(runs)
    for notion, line, band in zip(["car color", "car model"], _traces(figure, method), _traces(figure, method, bands=True), strict=True):
        assert list(line.x) == [2, 8, 32]
        means, deviations = zip(*(_by_hand(runs, notion, method, "dim", dim) for dim in line.x), strict=True)
        np.testing.assert_allclose(line.y, means)
        assert list(band.x) == [2, 8, 32, 32, 8, 2]
        np.testing.assert_allclose(band.y[:3], np.add(means, deviations))
        np.testing.assert_allclose(band.y[3:], np.subtract(means, deviations)[::-1])
        assert line.hovertext[0] == f"{means[0]:.3f} ± {deviations[0]:.3f} (3 runs)"


def test_the_raw_encoder_is_a_dashed_line_through_all_sizes(runs: pd.DataFrame) -> None:
    for line in _traces(metric_curve(runs), "raw"):
        assert (list(line.x), list(line.y)) == ([2, 8, 32], [0.25, 0.25, 0.25])
        assert (line.line.dash, line.mode, line.hovertext[0]) == ("dash", "lines", "0.250")


def test_the_raw_encoder_alone_stands_at_its_own_size(runs: pd.DataFrame) -> None:
    (line, _) = _traces(metric_curve(runs[runs["method"] == "raw"]), "raw")
    assert (list(line.x), list(line.y)) == ([48], [0.25])


def test_refused_sizes_are_not_drawn(runs: pd.DataFrame) -> None:
    assert [list(line.x) for line in _traces(metric_curve(runs), "pca")] == [[2, 8], [2, 8]]
    assert _traces(metric_curve(runs), "pca", bands=True) == []


def test_a_panel_per_notion_shares_scale_and_legend(runs: pd.DataFrame) -> None:
    figure = metric_curve(runs, metric="precision_at_1", title="Sizes")
    assert [annotation.text for annotation in figure.layout.annotations] == ["car color", "car model"]
    assert figure.layout.yaxis2.matches == "y"
    assert (figure.layout.title.text, figure.layout.yaxis.title.text, figure.layout.xaxis.title.text) == ("Sizes", "Prec@1", "Embedding size")
    listed = [trace.name for trace in figure.data if trace.showlegend]
    assert sorted(listed) == sorted(METHOD_TITLES[method] for method in ("raw", "exact", "adam", "pca"))
    assert [trace.xaxis for trace in _traces(figure, "exact")] == ["x", "x2"]


def test_many_notions_take_several_rows(runs: pd.DataFrame) -> None:
    many = pd.concat([runs[runs["notion"] == "car color"].assign(notion=f"notion {number}") for number in range(4)])
    figure = metric_curve(many)
    assert [trace.xaxis for trace in _traces(figure, "exact")] == ["x", "x2", "x3", "x4"]
    assert figure.layout.xaxis4.domain[0] == figure.layout.xaxis.domain[0]
    assert figure.layout.yaxis4.domain[1] < figure.layout.yaxis.domain[0]
    assert [figure.layout[f"xaxis{number or ''}"].title.text for number in ("", 2, 3, 4)] == [
        None,
        "Embedding size",
        "Embedding size",
        "Embedding size",
    ]


def test_a_logarithmic_axis_has_a_tick_at_each_size(runs: pd.DataFrame) -> None:
    axis = metric_curve(runs, log_x=True).layout.xaxis
    assert (axis.type, list(axis.tickvals), list(axis.ticktext)) == ("log", [2, 8, 32], ["2", "8", "32"])
    assert axis.range[0] < np.log10(2) < np.log10(32) < axis.range[1]


def test_what_reads_no_prompt_is_level_along_the_prompts(runs: pd.DataFrame) -> None:
    counted = runs.assign(prompts=runs["dim"] * 5)
    counted.loc[counted["method"] == "raw", "prompts"] = 0
    level = counted[counted["method"] == "adam"].query("dim == 2").assign(method="oracle", prompts=0)
    figure = metric_curve(pd.concat([counted, level]), "prompts")
    (line, _), (band, _) = _traces(figure, "oracle"), _traces(figure, "oracle", bands=True)
    mean, deviation = _by_hand(runs, "car color", "adam", "dim", 2)
    assert list(line.x) == [10, 40, 160]
    np.testing.assert_allclose(line.y, [mean] * 3)
    np.testing.assert_allclose(band.y, [mean + deviation] * 3 + [mean - deviation] * 3)
    assert figure.layout.xaxis.title.text == "Number of prompts"
    assert figure.layout.xaxis.range[0] > 0


def test_backgrounds_are_see_through_and_no_text_has_a_color_of_its_own(runs: pd.DataFrame) -> None:
    layout = metric_curve(runs).layout
    assert layout.paper_bgcolor == layout.plot_bgcolor == layout.legend.bgcolor == "rgba(0, 0, 0, 0)"
    assert layout.font.color is None


def test_nothing_to_draw_is_an_error(runs: pd.DataFrame) -> None:
    with pytest.raises(InputError, match="There is nothing to plot"):
        metric_curve(runs[runs["refused"] != ""])
