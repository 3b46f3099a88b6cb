"""Images without a label are in no figure of the app: neither judged, nor compared with a query, nor a value of their own."""

from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest

import likeness as lk
from likeness.evaluation import retrieval_metrics
from likeness.notions import Notion
from likeness.plots.linked_map import color_by
from pages.duplicates.results import split_attributes
from pages.methods.comparison import _about
from pages.notions.beginning import _of_labels
from parts import cached, filters, neighbors

LABELS = ["snow", "snow", "grass", "grass", "(unlabeled)", None, "(unlabeled)", ""]


@pytest.fixture
def space() -> lk.Space:
    """Eight photos of which four have a setting; the other four lie at one place, as if they were alike."""
    rows = np.random.default_rng(0).normal(size=(8, 4))
    rows[4:] = rows[4] + 0.01 * rows[4:]
    return lk.Space(rows, pd.DataFrame({"path": [f"{row}.jpg" for row in range(8)], "setting": pd.Series(LABELS, dtype=object)}))


def test_they_are_neither_judged_nor_the_same_or_different_as_a_query_nor_a_value_an_aspect_or_a_color(space: lk.Space) -> None:
    expected = retrieval_metrics(space.vectors[:4], LABELS[:4])
    assert cached.metrics("eight photos", space, "setting") == pytest.approx(expected)
    frame, rows = space.table.frame, np.array([1, 2, 4, 5, 7])
    view = SimpleNamespace(frame=frame, aspects=None)
    assert neighbors.same(view, neighbors.Query(row=0), rows, "setting") == [True, False, None, None, None]
    assert [neighbors.same(view, neighbors.Query(row=row), rows, "setting") for row in range(4, 8)] == [None] * 4
    assert filters.distinct(frame, "setting") == 2
    assert split_attributes(space.table) == ["setting"]
    [draft] = _of_labels(SimpleNamespace(frame=frame, base=space), [])
    assert draft.notion.aspects == ("grass", "snow")
    coloring = color_by(frame["setting"], "setting")
    assert (list(coloring.names), coloring.codes.tolist()) == (["grass", "snow"], [1, 1, 0, 0, -1, -1, -1, -1])


def test_how_many_are_left_out_stands_in_the_comparison() -> None:
    notion = Notion("setting", "a photo of {}", ["snow", "grass"], attribute="setting")
    assert _about(notion, 4) == "2 prompts, evaluated by setting; 4 images have no label and are left out."
    assert _about(notion, 0) == "2 prompts, evaluated by setting."
