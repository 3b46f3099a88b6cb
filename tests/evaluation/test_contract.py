"""What holds for every metric: complete, listed once, right about which way is better, and found wherever people choose one."""

import re
from collections.abc import Callable
from typing import Any
from unittest.mock import MagicMock

import numpy as np
import pytest

import worlds
from likeness.errors import InputError
from likeness.evaluation import METRICS, Metric, definitions, find_metric, metric_names, metric_title, metrics
from likeness.notions import Notion
from likeness.plots import metric_bars
from likeness.space import Space
from likeness.studies import compare, paper_table, summarize

LISTED = pytest.mark.parametrize("metric", definitions.LISTED, ids=lambda metric: metric.name)
ROWS, LABELS = np.random.default_rng(0).normal(size=(60, 8)), np.arange(60) % 4


@LISTED
def test_all_about_it_is_said(metric: Metric) -> None:
    assert re.fullmatch(r"[a-z0-9_]+(\{k\})?", metric.name)
    assert re.fullmatch(r"[A-Z].+[.]", metric.help)
    assert metric.title
    assert ("{k}" in metric.name) == ("{k}" in metric.title)
    assert re.fullmatch(r"0\.5(00)?", format(0.5, metric.format))
    assert (metric.compute is None) == (metric.kind in ("continuous", "captions", "words"))
    at = find_metric(metric.name.replace("{k}", "7"))
    assert "{k}" not in at.name + at.title + at.help


def test_names_and_titles_are_taken_once() -> None:
    for values in (metric_names(), [metric.title for metric in definitions.LISTED]):
        assert len(values) == len(set(values))
    assert [metric_title(name) for name in ("my_own", "validation_my_own")] == ["my_own", "my_own, validation"]  # not listed


@LISTED
def test_what_separates_classes_is_better(metric: Metric) -> None:
    if metric.compute is None or metric.larger_is_better is None:
        pytest.skip("judged by other labels, or a property")
    name = metric.name.replace("{k}", "2")
    close = np.eye(8)[LABELS] + 0.01 * ROWS
    good, bad = metrics(close, LABELS, name)[name], metrics(ROWS, LABELS, name)[name]
    assert (good > bad) == metric.larger_is_better
    assert good != bad


@pytest.fixture
def colored() -> tuple[Space, Notion]:
    table = worlds.few_images({"color": [f"c{label}" for label in LABELS]}, 60).table
    return Space(ROWS, table), Notion(name="color", template="a {} thing", aspects=("c0", "c1"), attribute="color")


def spread(vectors: Any, labels: Any) -> float:
    return float(np.std(vectors))


def test_one_that_is_listed_is_measured_shown_and_offered(
    colored: tuple[Space, Notion], run: Callable[..., tuple[int, str, str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    own = Metric("spread", "Spread", "How wide the rows are.", "own", lambda rows, labels, *_: {"spread": spread(rows, labels)}, compared=True)
    monkeypatch.setattr(definitions, "LISTED", (*definitions.LISTED, own))
    monkeypatch.setenv("COLUMNS", "300")
    runs = compare(colored[0], [colored[1]], ["raw"], metrics=None)
    assert runs["spread"][0] == pytest.approx(spread(colored[0].vectors, None))
    assert list(METRICS)[-1] == "spread"  # the app's menu and its table
    assert "Spread" in summarize(runs)
    assert "Spread" in list(paper_table(runs)["metric"])
    assert metric_bars(runs, "dim", "spread").layout.yaxis.title.text == "Spread"
    assert "spread" in run("evaluate", "--help")[1]
    assert "spread" in run("analyze", "embedding-size", "--help")[1]
    assert metrics(ROWS, LABELS, "spread")["spread"] == pytest.approx(1, abs=0.1)


def test_a_function_is_taken_where_a_name_is(colored: tuple[Space, Notion]) -> None:
    runs = compare(colored[0], [colored[1]], ["raw"], metrics=["map_at_r", spread])
    assert list(runs.columns[-2:]) == ["map_at_r", "spread"]
    assert colored[0].metrics(by="color", include=[spread, "map_at_r"]) == {
        "spread": pytest.approx(runs["spread"][0]),
        "map_at_r": pytest.approx(runs["map_at_r"][0]),
    }


def test_what_is_computed_together_is_computed_once_and_without_a_choice_those_of_the_paper(monkeypatch: pytest.MonkeyPatch) -> None:
    assert list(metrics(ROWS, LABELS)) == list(METRICS) == ["map_at_r", "precision_at_1", "r_precision", "ami", "nmi", "map", "mrr"]
    once = MagicMock(return_value={"a": 1.0, "b": 2.0, "c": 3.0})
    monkeypatch.setattr(definitions, "LISTED", tuple(Metric(name, name.upper(), "One.", "own", once) for name in "ab"))
    assert metrics(ROWS, LABELS, ["b", "a"], distance="euclidean", seed=3) == {"b": 2.0, "a": 1.0}
    ((_, _, *asked),) = [call.args for call in once.call_args_list]
    assert [tuple(asked[0]), *asked[1:]] == [("b", "a"), "euclidean", 3]


@pytest.mark.parametrize(
    ("include", "message"),
    [
        ("accuracy", r"There is no metric 'accuracy'; choose from map_at_r, .*recall_at_\{k\}"),
        ("recall_at_0", "There is no metric 'recall_at_0'"),
        ("recall_at_many", "There is no metric 'recall_at_many'"),
        ([], "There is no metric to measure; choose from map_at_r"),
        ("ndcg_at_5", "The metric 'ndcg_at_5' needs distances between labels; use `likeness.evaluation.continuous_metrics`"),
        ([lambda rows, labels: 0.0, lambda rows, labels: 1.0], "Two metrics are called '<lambda>'"),
    ],
)
def test_what_cannot_be_measured(include: Any, message: str) -> None:
    with pytest.raises(InputError, match=message):
        metrics(ROWS, LABELS, include)
