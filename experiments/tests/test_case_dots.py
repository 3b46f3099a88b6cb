from collections.abc import Callable

import numpy as np
import pandas as pd
import pytest

from experiments.case_dots import case_dots, trust_scatter
from likeness.errors import InputError
from likeness.plots.look import look_at, look_of


def _frame(columns: str, *rows: tuple[object, ...]) -> pd.DataFrame:
    return pd.DataFrame(list(rows), columns=columns.split())


SCORES = pd.DataFrame({"raw": [0.1, 0.3], "new": [0.9, 0.2], "part": [np.nan, 0.5]}, index=["cars: color", "birds: names"])
VERDICTS = _frame(
    "images notion score gain verdict",
    *(("cars", "color", 0.9, 0.8, "reads it"), ("cars", "sun", 0.7, 0.0, "flagged"), ("birds", "names", 0.3, -0.1, "flagged")),
)


def test_a_dot_per_score_the_first_case_on_top_with_looks_as_given() -> None:
    spans, raw, new, _ = case_dots(SCORES, "MAP@R").data
    assert list(spans.y) == ["cars: color"] * 3 + ["birds: names"] * 3
    assert list(spans.x) == [0.1, 0.9, None, 0.2, 0.5, None]
    assert (raw.name, list(raw.x), list(raw.y)) == ("raw", [0.1, 0.3], ["cars: color", "birds: names"])
    assert list(new.x) == [0.9, 0.2]
    figure = case_dots(SCORES, "MAP@R", looks={"raw": look_of("raw")}, at=1.0, title="All")
    low, high = figure.layout.yaxis.range
    assert low < high
    assert figure.layout.yaxis.categoryarray[-1] == "cars: color"
    assert (figure.data[1].marker.color, figure.data[1].marker.symbol) == (look_of("raw").color, "line-ns")
    assert figure.data[2].marker.color == look_at(1).color
    assert (figure.layout.shapes[0].x0, figure.layout.title.text) == (1.0, "All")


def test_a_color_per_set_of_images_and_a_cross_for_what_is_flagged() -> None:
    read, sun, birds = trust_scatter(VERDICTS).data
    assert [(trace.name, list(trace.x), list(trace.y), trace.marker.symbol) for trace in (read, sun, birds)] == [
        ("cars", [0.9], [0.8], "circle"),
        ("cars, flagged", [0.7], [0.0], "x"),
        ("birds, flagged", [0.3], [-0.1], "x"),
    ]
    assert read.marker.color == sun.marker.color != birds.marker.color
    assert list(birds.hovertext) == ["names"]


@pytest.mark.parametrize(
    ("draw", "message"),
    [
        (lambda: case_dots(SCORES.iloc[:0], "MAP@R"), "There is no score to draw"),
        (lambda: case_dots(SCORES.set_axis(["a", "a"]), "MAP@R"), "Two cases are called 'a'"),
        (lambda: trust_scatter(VERDICTS.drop(columns="gain")), "There is no 'gain' to draw; pass the table of"),
    ],
)
def test_what_cannot_be_drawn_is_named(draw: Callable[[], object], message: str) -> None:
    with pytest.raises(InputError, match=message):
        draw()
