import numpy as np
import pandas as pd
import pytest

from likeness.errors import InputError
from likeness.plots import case_dots
from likeness.plots.look import look_at, look_of


@pytest.fixture
def scores() -> pd.DataFrame:
    return pd.DataFrame({"raw": [0.1, 0.3], "new": [0.9, 0.2], "part": [np.nan, 0.5]}, index=["cars: color", "birds: names"])


def test_a_dot_per_score_the_first_case_on_top_with_looks_as_given(scores: pd.DataFrame) -> None:
    spans, raw, new, _ = case_dots(scores, "MAP@R").data
    assert list(spans.y) == ["cars: color"] * 3 + ["birds: names"] * 3
    assert list(spans.x) == [0.1, 0.9, None, 0.2, 0.5, None]
    assert (raw.name, list(raw.x), list(raw.y)) == ("raw", [0.1, 0.3], ["cars: color", "birds: names"])
    assert list(new.x) == [0.9, 0.2]
    figure = case_dots(scores, "MAP@R", looks={"raw": look_of("raw")}, at=1.0, title="All")
    low, high = figure.layout.yaxis.range
    assert low < high
    assert figure.layout.yaxis.categoryarray[-1] == "cars: color"
    assert (figure.data[1].marker.color, figure.data[1].marker.symbol) == (look_of("raw").color, "line-ns")
    assert figure.data[2].marker.color == look_at(1).color
    assert figure.layout.shapes[0].x0 == 1.0
    assert figure.layout.title.text == "All"


def test_what_can_not_be_drawn_is_refused(scores: pd.DataFrame) -> None:
    with pytest.raises(InputError, match="There is no score to draw"):
        case_dots(scores.iloc[:0], "MAP@R")
    with pytest.raises(InputError, match="Two cases are called 'a'"):
        case_dots(scores.set_axis(["a", "a"]), "MAP@R")
