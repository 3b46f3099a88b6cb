import pandas as pd
import pytest

from likeness.errors import InputError
from likeness.evaluation import structure_correlations
from likeness.plots import structure_scatter


@pytest.fixture
def scaled() -> pd.DataFrame:
    """At the start score = structure, on the other split score = 1 - structure / 2; of two properties."""
    rows = []
    for name in ("inter", "spectral_decay"):
        for number, (method, structure) in enumerate((("Raw encoder", 0.0), ("Margin", 0.5), ("Margin", 1.0))):
            rows.append((method, number, "start", 0.1, name, structure, structure))
            rows.append((method, number, "swap 1", 0.2, name, structure, 1 - structure / 2))
    return pd.DataFrame(rows, columns=["row", "seed", "split", "distance", "property", "structure", "score"])


def test_a_point_per_run_and_lines_where_there_are_points_enough(scaled: pd.DataFrame) -> None:
    figure = structure_scatter(scaled, structure_correlations(scaled))
    raw, margin, every, start = figure.data[:4]
    assert (margin.name, list(margin.x), list(margin.y)) == ("Margin", [0.5, 0.5, 1.0, 1.0], [0.5, 0.75, 1.0, 0.5])
    assert list(raw.y) == [0.0, 1.0]
    assert (every.name, list(every.x)) == ("All splits", [0.0, 1.0])
    # by hand: the mean of y = x and y = 1 - x / 2
    assert list(every.y) == pytest.approx([0.5, 0.75])
    assert list(start.y) == pytest.approx([0.0, 1.0])
    assert every.line.dash != start.line.dash
    two = scaled[(scaled["split"] == "start") & (scaled["seed"] < 2)]
    lines = [trace for trace in structure_scatter(two, structure_correlations(two)).data if trace.mode == "lines"]
    assert {len(line.x) for line in lines} == {0}


def test_titles_have_the_correlations_and_the_legend_names_once(scaled: pd.DataFrame) -> None:
    figure = structure_scatter(scaled, structure_correlations(scaled))
    found = structure_correlations(scaled).set_index(["property", "split"])["correlation"]
    told = f"Distance between classes<br><sup>correlation: all splits {found['inter', 'all']:+.2f}, start alone +1.00</sup>"
    assert figure.layout.annotations[0].text == told
    assert figure.layout.annotations[1].text.startswith("Uneven use of directions<br>")
    assert [trace.showlegend for trace in figure.data] == [True] * 4 + [False] * 4
    assert figure.data[4].xaxis == "x2"


def test_nothing_to_draw_is_an_error(scaled: pd.DataFrame) -> None:
    with pytest.raises(InputError, match="There is no structure to draw"):
        structure_scatter(scaled.iloc[:0], structure_correlations(scaled))
