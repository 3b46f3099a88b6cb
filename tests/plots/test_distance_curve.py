import pandas as pd
import pytest

from likeness.errors import InputError
from likeness.plots import distance_curve


@pytest.fixture
def steps() -> pd.DataFrame:
    rows = [("easier 2", "easier", 0.05), ("easier 1", "easier", 0.08), ("start", "start", 0.1)]
    rows += [("swap 1", "swap", 0.2), ("swap 2", "swap", 0.25), ("removal 1", "removal", 0.4)]
    return pd.DataFrame(rows, columns=["name", "kind", "distance"])


def test_each_kind_has_its_steps_and_joins_the_one_before(steps: pd.DataFrame) -> None:
    easier, start, swap, removal, _ = distance_curve(steps).data
    assert [(trace.name, list(trace.x), list(trace.y)) for trace in (easier, start, swap, removal)] == [
        ("Easier", [-2, -1, 0], [0.05, 0.08, 0.1]),
        ("Start", [0], [0.1]),
        ("Classes exchanged", [0, 1, 2], [0.1, 0.2, 0.25]),
        ("Classes taken out", [2, 3], [0.25, 0.4]),
    ]
    assert list(easier.marker.size) == [7, 7, 0]  # the point of another kind is drawn by that
    assert list(removal.marker.size) == [0, 7]
    assert list(swap.hovertext) == ["start", "swap 1", "swap 2"]
    assert len({trace.line.color for trace in (easier, start, swap, removal)}) == 4
    assert len({trace.marker.symbol for trace in (easier, start, swap, removal)}) == 4


def test_the_chosen_step_is_ringed_and_references_go_all_the_way(steps: pd.DataFrame) -> None:
    figure = distance_curve(steps, "swap 2", {"At random": 0.04, "Same classes": 0.01}, title="Progress")
    chosen, random, same = figure.data[-3:]
    assert (list(chosen.x), list(chosen.y), chosen.marker.symbol) == ([2], [0.25], "circle-open")
    assert (random.name, list(random.x), list(random.y)) == ("At random", [-2, 3], [0.04, 0.04])
    assert (same.name, list(same.y)) == ("Same classes", [0.01, 0.01])
    assert random.line.dash != same.line.dash
    assert figure.layout.title.text == "Progress"


def test_rows_of_any_number_kinds_unknown_and_a_single_step(steps: pd.DataFrame) -> None:
    swap = distance_curve(steps.set_index(pd.Index([9, 9, 4, 3, 2, 1]))).data[2]
    assert list(swap.y) == [0.1, 0.2, 0.25]
    figure = distance_curve(pd.DataFrame({"name": ["a", "b"], "kind": ["other", "other"], "distance": [1.0, 3.0]}))
    assert (figure.data[0].name, list(figure.data[0].x), list(figure.data[0].y)) == ("Splits", [0, 1], [1.0, 3.0])
    assert list(distance_curve(steps.iloc[[2]], "start").layout.xaxis.range) == [-0.5, 0.5]


def test_bad_input_is_named(steps: pd.DataFrame) -> None:
    with pytest.raises(InputError, match="There is no step to draw"):
        distance_curve(steps.iloc[:0])
    with pytest.raises(InputError, match="There is no step 'swap 9'; the steps are easier 2, easier 1, start"):
        distance_curve(steps, "swap 9")
