import pandas as pd
import pytest

from likeness.errors import InputError
from likeness.plots import retrieved_bars


@pytest.fixture
def tables() -> dict[str, pd.DataFrame]:
    first = pd.DataFrame({"class": ["Pelagic", "Puffin"], "language_similarity": [0.912, 0.5], "base": [0, 10], "ELG": [25, 3]})
    return {"Brandt": first, "Gadwall": first.assign(base=[7, 8]), "Tern": first.iloc[:0]}


def test_a_bar_per_space_and_class_the_most_related_on_top(tables: dict[str, pd.DataFrame]) -> None:
    figure = retrieved_bars(tables, title="Found")
    assert [(trace.name, list(trace.x)) for trace in figure.data[:4]] == [("base", [0, 10]), ("ELG", [25, 3]), ("base", [7, 8]), ("ELG", [25, 3])]
    assert all(trace.orientation == "h" for trace in figure.data)
    assert list(figure.data[0].y) == ["Pelagic (0.91)", "Puffin (0.50)"]
    assert [trace.showlegend for trace in figure.data] == [True, True, False, False, False, False]
    assert [trace.yaxis for trace in figure.data[::2]] == ["y", "y2", "y3"]
    assert figure.layout.title.text == "Found"
    figure = retrieved_bars(tables)
    assert figure.layout.yaxis.autorange == figure.layout.yaxis2.autorange == "reversed"
    assert {trace.texttemplate for trace in figure.data} == {"%{x}"}
    figure = retrieved_bars(tables)
    assert [note.text for note in figure.layout.annotations] == ["Brandt", "Gadwall", "Tern: found no other class"]
    assert figure.layout.xaxis2.matches == figure.layout.xaxis.matches or figure.layout.xaxis.matches == "x3"
    base, elg = (trace.marker for trace in retrieved_bars(tables).data[:2])
    assert base.color != elg.color
    assert base.pattern.shape != elg.pattern.shape


def test_bad_input_is_named(tables: dict[str, pd.DataFrame]) -> None:
    with pytest.raises(InputError, match="There is no query class to draw"):
        retrieved_bars({})
    with pytest.raises(InputError, match=r"tables are of different spaces \(base, ELG; base\)"):
        retrieved_bars({"a": tables["Brandt"], "b": tables["Brandt"].drop(columns="ELG")})
