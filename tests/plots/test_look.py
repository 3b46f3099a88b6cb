import json
import re

import pandas as pd
import pytest

from likeness.notions.methods import METHODS
from likeness.plots import as_page, metric_curve
from likeness.plots.lines import banded_line, padded
from likeness.plots.look import GRAY, OKABE_ITO, faded, look_at, look_of, method_looks


def test_methods_differ_in_line_and_bar_and_baselines_that_learn_nothing_are_grey() -> None:
    looks = [look_of(method) for method in METHODS]
    assert len({(look.color, look.dash) for look in looks}) == len(METHODS)
    assert len({(look.color, look.pattern) for look in looks}) == len(METHODS)
    assert len({look.symbol for look in looks}) == len(METHODS)
    colors = {method: look_of(method).color for method in METHODS}
    assert set(colors.values()) <= {*OKABE_ITO, GRAY}
    assert {method for method, color in colors.items() if color == GRAY} == {"random", "raw", "raw-code", "random-transform"}
    assert look_of("a trained model").color in OKABE_ITO


def test_places_differ_in_color_and_form() -> None:
    looks = [look_at(place) for place in range(35)]
    assert len({(look.color, look.dash) for look in looks}) == len({(look.color, look.pattern) for look in looks}) == 35
    assert len({look.color for look in looks[:7]}) == 7
    assert look_at(35) == look_at(0)
    assert faded("#0072B2", 0.5) == "rgba(0, 114, 178, 0.5)"


def test_what_is_not_trained_is_grey_and_takes_no_color_and_twelve_methods_differ() -> None:
    looks = method_looks(["Raw encoder", "Margin", "ArcFace", "Margin"])
    assert list(looks) == ["Raw encoder", "Margin", "ArcFace"]
    assert looks["Raw encoder"].color == GRAY
    assert (looks["Margin"], looks["ArcFace"]) == (look_at(0), look_at(1))
    looks = method_looks(["raw", *(f"method {number}" for number in range(11))])
    assert len({(look.color, look.symbol) for look in looks.values()}) == 12
    assert looks["method 7"].symbol == "circle-open"


@pytest.mark.parametrize(
    ("means", "mode"), [([0.1, 0.2], "lines+markers"), ([0.1, 0.1], "lines"), ([0.1], "lines+markers"), ([0.1, 0.2] * 30, "lines")]
)
def test_points_are_marked_unless_flat_or_many(means: list[float], mode: str) -> None:
    from plotly.subplots import make_subplots

    figure = make_subplots(1, 1)
    line = pd.DataFrame({"epoch": range(len(means)), "mean": means, "std": 0.0, "runs": 1})
    banded_line(figure, line, "epoch", look_at(1), {"name": "a", "showlegend": True}, {"row": 1, "col": 1})
    (trace,) = figure.data
    assert (trace.mode, list(trace.y), trace.line.color) == (mode, means, look_at(1).color)
    assert [*padded(0, 100), *padded(3, 3)] == pytest.approx([-4, 104, 2.5, 3.5])


def test_the_page_holds_the_figure_and_needs_no_network(runs: pd.DataFrame) -> None:
    page = as_page(metric_curve(runs), "Sizes <1>", ["car color, PCA: a & b"])
    assert re.search(r"<script[^>]+src=", page) is None
    assert "<title>Sizes &lt;1&gt;</title>" in page
    assert "<p>car color, PCA: a &amp; b</p>" in page
    data = json.JSONDecoder().raw_decode(page, page.index('[{"', page.index("Plotly.newPlot(")))[0]
    raw = next(trace for trace in data if trace["legendgroup"] == "raw")
    assert (raw["x"], raw["y"]) == ([2, 8, 32], [0.25, 0.25, 0.25])
