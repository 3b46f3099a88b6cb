"""The comparison's table: what is best, what is against the raw encoder, what does not apply, what is still missing."""

import re
from typing import Any

import pandas as pd
import pytest

from likeness.data import read_dataset
from likeness.embedding import embed
from likeness.evaluation import METRICS
from likeness.notions import METHODS, NotionMethod, get_notion
from likeness.studies import compare
from pages.compare import request as request_module
from pages.compare.table import Line, Results, printed, table_html

LINES = [Line("car color", *rest) for rest in [("raw", 512, 1), ("pca", 128, 1), ("exact", 128, 2), ("oracle", 128, 2)]]


def _run(method: str, dim: int, seed: int, value: float, refused: str = "") -> dict[str, object]:
    figures = dict.fromkeys(METRICS, float("nan") if refused else value)
    return {"notion": "car color", "method": method, "dim": dim, "seed": seed, "fit_seconds": 0.004, "refused": refused} | figures


@pytest.fixture
def runs() -> pd.DataFrame:
    return pd.DataFrame(
        [
            _run("raw", 512, 0, 0.25),
            _run("pca", 128, 0, 0.0, "PCA needs more than 128 prompts, but there are <17>."),
            _run("exact", 128, 0, 0.30),
            _run("exact", 128, 1, 0.40),
            _run("oracle", 128, 0, 0.90),
            _run("oracle", 128, 1, 0.90),
        ]
    )


def _rows(html: str) -> dict[str, str]:
    """Method -> HTML of its row."""
    rows = re.findall(r"<tr class=\"[^\"]*\"><th scope=\"row\".*?</tr>", html)
    return {re.search(r"class=\"tip\">([^<]+)<", row)[1]: row for row in rows}


def _words(html: str) -> str:
    return re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", html))


def _html(runs: pd.DataFrame, lines: list[Line] = LINES, **more: Any) -> str:
    return table_html(Results(lines, runs), "map_at_r", {}, **more)


def test_a_row_has_mean_deviation_and_the_difference_to_the_raw_encoder(runs: pd.DataFrame) -> None:
    rows = _rows(_html(runs))
    exact = rows["InDiReCT (exact)"]
    assert "▲ +0.100" in exact
    assert _words(exact).count("0.350 ± 0.050") == len(METRICS)  # the deviation of .3 and .4 is .05
    assert "4 ms" in exact
    assert "Does not apply: PCA needs more than 128 prompts, but there are &lt;17&gt;." in rows["PCA"]
    runs.loc[runs["method"] == "exact", "map_at_r"] = 0.1
    runs.loc[runs["method"] == "exact", "ami"] = -0.0004
    assert "▼ −0.150" in _rows(_html(runs))["InDiReCT (exact)"]
    assert "−0.000" not in table_html(Results(LINES, runs), "ami", {})


def test_dimensions_that_nobody_chooses_are_shown_once_a_run_has_them() -> None:
    lines = [Line("car color", "raw", None, 1), Line("car color", "scaled-pca", None, 1), Line("car color", "exact", 6, 2)]
    assert '<td class="number"></td>' in _rows(_html(pd.DataFrame(), lines))["Scaled PCA"]
    html = _html(pd.DataFrame([_run("raw", 512, 0, 0.25), _run("scaled-pca", 16, 0, 0.5)]), lines)
    rows = _rows(html)
    assert '<td class="number">16</td>' in rows["Scaled PCA"]
    assert _words(rows["Scaled PCA"]).count("0.500") == len(METRICS)
    assert '<td class="number">512</td>' in rows["Raw encoder"]
    assert "with 16 dimensions, +0.250 against the raw encoder" in html


@pytest.mark.parametrize("method", [method for method in METHODS.values() if method.name not in request_module._SLOW], ids=lambda method: method.name)
def test_a_request_expects_the_runs_that_come(method: NotionMethod, monkeypatch: pytest.MonkeyPatch) -> None:
    base, notion = embed(read_dataset("cars")), get_notion("viewpoint")
    monkeypatch.setattr(request_module.cached, "dim_of", lambda dataset, notion: 5)
    request = request_module.Request("cars", (notion,), tuple(dict.fromkeys(("raw", method.name))), ("suggested",), 2)
    found = Results(request.lines(), compare(base, [notion], request.methods, request.dims, range(2), metrics=["map_at_r"]))
    assert found.refused or found.is_complete("viewpoint", "map_at_r")
    assert set(found.widths) | set(found.refused) == set(found.lines)


def test_the_best_is_bold_and_named_but_never_the_oracle(runs: pd.DataFrame) -> None:
    rows = _rows(_html(runs))
    assert rows["InDiReCT (exact)"].count("<b>0.350</b>") == len(METRICS)
    assert "<b>" not in rows["Oracle"] + rows["Raw encoder"]
    assert "Best: InDiReCT (exact) with 128 dimensions, +0.100 against the raw encoder." in _html(runs)
    runs.loc[runs["method"] == "exact", list(METRICS)] = 0.2504  # a tie
    assert all("<b>0.250</b>" in _rows(_html(runs))[method] for method in ("Raw encoder", "InDiReCT (exact)"))
    none = "Nothing is better than the raw encoder."
    assert none in _html(runs)
    runs.loc[runs["method"] == "exact", list(METRICS)] = 0.1
    assert [none in _html(some) for some in (runs, runs[runs["seed"] == 0], runs[runs["method"] != "exact"])] == [True, False, False]


def test_rows_stand_before_their_runs_and_are_marked_until_all_are_there(runs: pd.DataFrame) -> None:
    assert _html(pd.DataFrame()).count('class="waiting ') == len(LINES)
    assert _html(runs[runs["seed"] == 0]).count('class="partial ') == 2
    assert 'class="partial' not in _html(runs)


def test_the_papers_figures_stand_in_a_second_line_at_its_own_size_only(runs: pd.DataFrame) -> None:
    frame = pd.DataFrame([{"dataset": "Synthetic Cars", "notion": "car color", "metric": "map_at_r", "method": "exact", "mean": 0.091, "std": 0.001}])
    rows = _rows(_html(runs, paper=printed(frame)))
    assert '<span class="printed">0.091 <small>± 0.001</small></span>' in rows["InDiReCT (exact)"]
    assert "printed" not in rows["Oracle"]
    lines = [Line("car color", "raw", 512, 1), Line("car color", "exact", 8, 2)]
    assert "printed" not in _html(runs.replace({"dim": {128: 8}}), lines, paper=printed(frame))


def test_names_are_escaped(runs: pd.DataFrame) -> None:
    line = Line("<i>red</i>", "raw", 512, 1)
    html = table_html(Results([line], pd.DataFrame()), "map_at_r", {line.notion: "<b>about</b>"})
    assert "<i>red" not in html
    assert "<b>about" not in html
