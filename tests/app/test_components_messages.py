"""What the browser's side of a component sends is read as what a person did on it, or passed over."""

from typing import Any

import numpy as np
import pytest
import streamlit as st

from components import Section, gallery, linked_map
from likeness.plots.linked_map import MapPanel, coloring_of

_CLICKS = [
    None,
    3,
    "x",
    [],
    [1],
    {},
    {"row": True},
    {"row": -1},
    {"row": 7},
    {"row": "2"},
    {"row": [2]},
    {"row": None},
    {"row": 10**30},
    {"row": 2.0},
]


class _Browser:
    """Stands for Streamlit's component: calls back at once, as a rerun does."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, state: Any) -> None:
        self.state: dict[str, Any] = {"it": state}
        monkeypatch.setattr(st, "session_state", self.state)

    def __call__(self, key: str, data: Any, **callbacks: Any) -> None:
        for name, callback in callbacks.items():
            if name.startswith("on_"):
                callback()


@pytest.mark.parametrize("state", [*({"click": click} for click in _CLICKS), None, 3, "x", []], ids=repr)
def test_what_is_no_shown_row_is_no_click(monkeypatch: pytest.MonkeyPatch, state: Any) -> None:
    browser = _Browser(monkeypatch, state)
    monkeypatch.setattr(_module(gallery), "_renderer", lambda: browser)
    assert gallery([Section("Near", [2, 5])], thumbnails="/{row}", key="it", on_click=lambda row: pytest.fail(f"row {row}")) is None


def test_a_shown_row_is_a_click(monkeypatch: pytest.MonkeyPatch) -> None:
    browser = _Browser(monkeypatch, {"click": {"row": 5}})
    monkeypatch.setattr(_module(gallery), "_renderer", lambda: browser)
    clicked: list[int] = []
    assert gallery([Section("Near", np.array([2, 5]))], thumbnails="/{row}", key="it", on_click=clicked.append) == 5
    assert clicked == [5]


@pytest.mark.parametrize(
    "state", [*({"edit": edit} for edit in (3, "x", [], [1], {}, {"n": "3"}, {"n": 3, "changed": 4})), None, 3, "x", []], ids=repr
)
def test_what_is_no_edit_is_no_event(monkeypatch: pytest.MonkeyPatch, state: Any) -> None:
    browser = _Browser(monkeypatch, state)
    monkeypatch.setattr(_module(linked_map), "_renderer", lambda: browser)
    event = linked_map(
        [MapPanel("", np.zeros((3, 2), np.float32))],
        coloring_of("", [""] * 3, "none"),
        n=3,
        thumbnails="/{row}",
        key="it",
        on_event=lambda event: pytest.fail("nothing was done"),
    )
    assert not event


def _module(function: Any) -> Any:
    import sys

    return sys.modules[function.__module__]
