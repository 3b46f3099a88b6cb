"""What a page draws in place of a result never outlives it, whenever the result comes: also while the rest of the page is being drawn."""

import threading
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

from app_page import Page
from likeness.projection import pca_map
from parts import link, progress
from server.jobs import Job, jobs
from worlds import halves, names_of

# What is on a page in text, and what of a button can change; the rest, as the choices in a list, is drawn alike in every run.
_TEXTS = ("alert", "heading", "html", "markdown", "progress", "bidi_component")


class Results:
    """Holds back the results of all background work: those of work that has begun come at one moment of each run of a page, and between runs.

    Args:
        moment: the number of the place in a run at which the page looks whether there are any, from 0 on: just before that.
    """

    def __init__(self, moment: int) -> None:
        self.moment, self._place = moment, 0
        self._held: dict[int, threading.Event] = {}
        self._layouts: list[HeldLayout] = []
        self._timers: list[Callable[[], bool]] = []  # of the last run: whether it is to be drawn anew

    def come(self) -> None:
        for layout in self._layouts:
            layout.done = True
        for job in list(jobs()._jobs.values()):
            self._gate(job).set()
            assert job.wait(600)

    def begin_run(self) -> None:
        self._place = 0
        self._timers.clear()

    def hold(self, work: Callable[[Job], None]) -> Callable[[Job], None]:
        def held(job: Job) -> None:
            assert self._gate(job).wait(600)
            work(job)

        return held

    def _gate(self, job: Job) -> threading.Event:
        return self._held.setdefault(job._number, threading.Event())

    def layout(self, vectors: Any, *_: Any, **__: Any) -> "HeldLayout":
        self._layouts.append(HeldLayout(vectors))
        return self._layouts[-1]

    def before(self, poll: Callable[..., None]) -> Callable[..., None]:
        def watched(*args: Any, **options: Any) -> None:
            if self._place == self.moment:
                self.come()
            self._place += 1
            poll(*args, **options)

        return watched

    def timed(self, look: Callable[..., None]) -> Callable[..., None]:
        def timed(waits: bool, ready: Callable[[], bool], draw: Callable[[], None]) -> None:
            if waits:
                self._timers.append(ready)
            look(waits, ready, draw)

        return timed

    def is_due(self) -> bool:
        """Whether a browser would have the page drawn anew, now that all results are there."""
        self.come()
        return any(ready() for ready in self._timers)


class HeldLayout:
    """A LayoutJob whose map is there when the results come."""

    def __init__(self, vectors: Any) -> None:
        self._vectors, self.done = vectors, False

    def result(self) -> np.ndarray:
        return pca_map(self._vectors) ** 3

    def abandon(self) -> bool:
        return False


@pytest.fixture
def results(app: Page, moment: int, monkeypatch: pytest.MonkeyPatch) -> Iterator[Results]:
    held, begin = Results(moment), link.begin

    def begin_run(page: str) -> None:
        held.begin_run()
        begin(page)

    monkeypatch.setattr(link, "begin", begin_run)
    monkeypatch.setattr(Job, "_work", held.hold(Job._work))
    monkeypatch.setattr(progress, "poll", held.before(progress.poll))
    monkeypatch.setattr(progress, "_poll", held.timed(progress._poll))
    for place in ("parts.cached", "pages.shifts.splits"):
        monkeypatch.setattr(f"{place}.LayoutJob", held.layout)
    monkeypatch.setattr("parts.cached.load_map", lambda key: None)
    yield held
    held.come()


@pytest.fixture
def few_clusters(monkeypatch: pytest.MonkeyPatch) -> None:
    """Two halves of the rows, named at once."""
    monkeypatch.setattr("likeness.clusters.cluster", halves)
    monkeypatch.setattr("likeness.clusters.name_clusters", lambda *_, **__: names_of("first", "second"))


def _drawn(app: Page) -> list[str]:
    """All that stands on a page, and which of its buttons can be pressed."""
    buttons = [f"{button.label} {button.disabled}" for button in app.button]
    return [f"{node.type} {node.proto}" for node in app if node.type in _TEXTS] + buttons


ADDRESSES: dict[str, dict[str, str]] = {
    "explore": {"layout": "UMAP", "names": "clusters", "b": "car color"},
    "notions": {"layout": "UMAP"},
    "shifts": {},
    "duplicates": {},
    "methods": {"b": "car color"},
    "what_changed": {"b": "car color"},
    "continuous": {},
}


@pytest.mark.parametrize("moment", [1, 2])
@pytest.mark.parametrize("page", ADDRESSES)
def test_a_result_that_comes_while_the_page_is_drawn_is_drawn(app: Page, results: Results, few_clusters: None, page: str) -> None:
    for name, value in ADDRESSES[page].items():
        app.query_params[name] = value
    app.open(page).begin_work()
    while results.is_due():
        app.run()
    drawn = _drawn(app)
    assert drawn == _drawn(app.run())
