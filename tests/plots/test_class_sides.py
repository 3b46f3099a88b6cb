import pandas as pd
import pytest

from likeness.errors import InputError
from likeness.plots import class_sides


@pytest.fixture
def classes() -> pd.DataFrame:
    rows = [
        ("red", 0.0, 0.0, "train", False),
        ("blue", 1.0, 2.0, "test", True),
        ("green", 3.0, 4.0, "train", True),
        ("gray", 10.0, 1.0, "out", False),
    ]
    return pd.DataFrame(rows, columns=["name", "x", "y", "side", "moved"])


def test_each_side_has_its_classes_with_their_names(classes: pd.DataFrame) -> None:
    train, test, out, moved = class_sides(classes).data
    assert (train.name, list(train.x), list(train.y), list(train.hovertext)) == ("Trains", [0, 3], [0, 4], ["red", "green"])
    assert (test.name, list(test.hovertext)) == ("Tests", ["blue"])
    assert (out.name, list(out.hovertext)) == ("Taken out", ["gray"])
    assert (list(moved.x), list(moved.y), moved.marker.symbol) == ([1, 3], [2, 4], "circle-open")
    assert len({trace.marker.color for trace in (train, test, out, moved)}) == 4
    assert len({trace.marker.symbol for trace in (train, test, out)}) == 3


def test_other_sides_leave_the_view_and_the_traces_as_they_are(classes: pd.DataFrame) -> None:
    figure = class_sides(classes)
    other = class_sides(classes.assign(side="train", moved=False))
    for axis in ("xaxis", "yaxis"):
        assert figure.layout[axis].range == other.layout[axis].range
    assert [trace.name for trace in figure.data] == [trace.name for trace in other.data]
    assert list(other.data[0].hovertext) == ["red", "blue", "green", "gray"]
    assert list(other.data[1].x) == [None]  # stays in the legend
    low, high = figure.layout.xaxis.range
    assert low < 0
    assert high > 10


def test_very_many_classes_are_drawn_by_the_graphics_card(classes: pd.DataFrame) -> None:
    many = pd.concat([classes] * 1_300, ignore_index=True)
    assert {trace.type for trace in class_sides(many).data} == {"scattergl"}
    assert {trace.type for trace in class_sides(classes).data} == {"scatter"}


def test_bad_input_is_named(classes: pd.DataFrame) -> None:
    with pytest.raises(InputError, match="There is no class to draw"):
        class_sides(classes.iloc[:0])
    with pytest.raises(InputError, match="There is no side 'held'; a class is of train, test, out"):
        class_sides(classes.assign(side="held"))
