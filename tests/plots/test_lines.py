import pandas as pd
import plotly.graph_objects as go
import pytest

from likeness.plots.lines import banded_line, padded
from likeness.plots.look import look_at


@pytest.mark.parametrize(
    ("means", "mode"), [([0.1, 0.2], "lines+markers"), ([0.1, 0.1], "lines"), ([0.1], "lines+markers"), ([0.1, 0.2] * 30, "lines")]
)
def test_points_are_marked_unless_flat_or_many(means: list[float], mode: str) -> None:
    from plotly.subplots import make_subplots

    figure = make_subplots(1, 1)
    line = pd.DataFrame({"epoch": range(len(means)), "mean": means, "std": 0.0, "runs": 1})
    banded_line(figure, line, "epoch", look_at(1), {"name": "a", "showlegend": True}, {"row": 1, "col": 1})
    (trace,) = figure.data
    assert isinstance(trace, go.Scatter)
    assert (trace.mode, list(trace.y), trace.line.color) == (mode, means, look_at(1).color)


def test_there_is_room_on_either_side() -> None:
    assert padded(0, 100) == pytest.approx([-4, 104])
    assert padded(3, 3) == pytest.approx([2.5, 3.5])
