"""Datasets that are shown while their images are being embedded."""

import threading
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pandas as pd
import pytest

from app_page import Page
from likeness.data import DatasetEntry, add_dataset, list_datasets, new_entry, read_dataset, remove_dataset
from likeness.embedding import embed
from likeness.encoders.store import encoding_pass
from likeness.errors import InputError
from likeness.space import Space
from navigation import HOME, PAGES
from parts import cached, growing, layouts, sidebar
from parts.map_controls import Choice
from server.jobs import Job, jobs
from waiting import wait_until
from worlds import copy_cars

N, FIRST, BATCH = 30, 8, 4


class Gate:
    """Lets a job embed until `most` images are done, and no more before it is opened."""

    def __init__(self) -> None:
        self.most, self._open = FIRST + BATCH, threading.Event()

    def embed(self, images: Any, encoder: str, progress: Callable[..., None] | None = None, **options: Any) -> Space:
        if progress is None:  # what is stored
            return embed(images, encoder, **options)

        def report(done: int, total: int) -> None:
            progress(done, total)
            if done >= self.most:
                self._open.wait(600)

        return embed(images, encoder, batch_size=BATCH, shard_size=BATCH, progress=report, **options)

    def open(self) -> None:
        self._open.set()


@pytest.fixture
def gate(monkeypatch: pytest.MonkeyPatch) -> Iterator[Gate]:
    gate = Gate()
    monkeypatch.setattr(growing, "embed", gate.embed)
    monkeypatch.setattr(growing, "_FIRST", FIRST)
    monkeypatch.setattr(encoding_pass, "_SHUFFLED", range(N, N + 1))
    monkeypatch.setattr(cached, "_FEW", 2)
    yield gate
    gate.open()
    for job in jobs().all(growing.KIND):
        job.stop()
        assert job.wait(600)


@pytest.fixture
def entry(tmp_path: Path) -> DatasetEntry:
    """Thirty images that nothing is known of but their paths."""
    return new_entry("photos", str(copy_cars(tmp_path / "photos", range(0, 40 * N, 40))), "cars-small")


def _first_state(job: Job) -> str:
    """What can be shown first, once it is there."""
    wait_until(lambda: job.found or job.finished)
    assert job.found, job.error
    return str(job.found[0])


def _end(job: Job) -> Job:
    assert job.wait(600)
    assert job.succeeded, job.error
    return job


def _only() -> Job:
    (job,) = jobs().all(growing.KIND)
    return job


def _opened(app: Page, entry: DatasetEntry, page: str = "explore") -> Page:
    app.session_state["dataset"] = entry.id
    return app.open(page)


def _subheader(app: Page) -> str:
    return str(app.subheader[0].value)


def test_the_first_images_are_shown_while_the_others_are_embedded(app: Page, gate: Gate, entry: DatasetEntry) -> None:
    job = growing.begin(entry, N)
    state = _first_state(job)
    assert (state, not job.finished) == (f"{entry.id}~{FIRST}", True)
    assert [each.id for each in list_datasets()] == ["cars", entry.id]  # under the id that links name, not the state's
    paths = cached.base(state).table.frame["path"].tolist()
    assert len(paths) == FIRST
    assert paths == sorted(paths) != [f"{number:02d}.webp" for number in range(FIRST)]
    for page in (*(each for each in PAGES if each is not HOME), HOME):
        assert not _opened(app, entry, page.address).error
    assert _subheader(_opened(app, entry)) == f"{FIRST} images"
    assert f" of {N} images" in app.bars
    app.session_state["query"], app.session_state["rows"] = 3, np.array([1, 5])
    app.session_state["color"] = "aspects of car color"
    assert app.run().at("label_images").disabled  # labels are kept once all images are there
    gate.open()
    _end(job)
    assert not app.run().at("label_images").disabled
    whole = cached.table(entry.id).frame["path"].tolist()
    assert len(whole) == N
    # query and selection stay with their images, which have other numbers among all
    assert whole[app.session_state["query"]] == paths[3]
    assert [whole[row] for row in app.session_state["rows"]] == [paths[1], paths[5]]
    assert app.session_state["query"] != 3
    assert not app.bars
    np.testing.assert_allclose(cached.base(entry.id).vectors, embed(read_dataset(entry.source), "cars-small").vectors, atol=1e-5)


def test_the_first_color_is_chosen_before_the_first_page_asks(monkeypatch: pytest.MonkeyPatch, entry: DatasetEntry) -> None:
    asked: list[Space] = []
    monkeypatch.setattr(cached, "most_dividing", lambda space, notions: asked.append(space))
    monkeypatch.setattr(growing, "check_encoder", lambda space: SimpleNamespace(sees=True))
    _end(growing.begin(replace(entry, encoder="photos"), N))
    assert len(asked) == 1
    base = cached.base(entry.id)
    assert cached.first_starter(base, sidebar.fitting(base)) == ""
    assert len(asked) == 1


def test_images_can_be_explored_while_the_encoder_is_checked(monkeypatch: pytest.MonkeyPatch, app: Page, entry: DatasetEntry) -> None:
    asked, answered = threading.Event(), threading.Event()

    def check(space: Space) -> Any:
        asked.set()
        answered.wait(600)
        return SimpleNamespace(sees=False, sentence="It hardly sees anything.")

    monkeypatch.setattr(growing, "check_encoder", check)
    job = growing.begin(entry, N)
    assert asked.wait(600)
    assert _subheader(_opened(app, entry)) == f"{N} images"
    assert not app.warnings
    answered.set()
    _end(job)
    assert app.run().warnings == ["It hardly sees anything."]


def test_a_slow_encoder_of_which_nothing_is_stored_yet_goes_on(monkeypatch: pytest.MonkeyPatch, app: Page, entry: DatasetEntry) -> None:
    monkeypatch.setattr(growing, "_LONGEST_S", 0.0)
    monkeypatch.setattr(growing, "_FEWEST", 4)
    monkeypatch.setattr(growing, "embed", lambda *args, **options: embed(*args, batch_size=4, shard_size=N, **options))
    assert len(_end(growing.begin(entry, N)).result) == N


def test_a_dataset_with_many_images_to_embed_opens_with_those_that_are(app: Page, gate: Gate, entry: DatasetEntry) -> None:
    """As after the server was ended in the middle of the work."""
    add_dataset(entry)
    calls = iter(range(1000))
    embed(read_dataset(entry.source), "cars-small", batch_size=BATCH, shard_size=BATCH, should_stop=lambda: next(calls) >= 3)
    gate.most = N + 1
    _opened(app, entry)
    job = _end(_only())
    assert job.found[0] == f"{entry.id}~12"
    assert [cached.is_kept(state) for state in (*job.found, entry.id)] == [*[False] * (len(job.found) - 1), True, True]  # only the last ones
    assert _subheader(app.run()) == f"{N} images"


def test_a_stop_keeps_what_is_there_and_goes_on_and_a_removed_dataset_does_not_come_back(app: Page, gate: Gate, entry: DatasetEntry) -> None:
    job = growing.begin(entry, N)
    _first_state(job)
    wait_until(lambda: job.done >= gate.most)
    job.stop()
    gate.open()
    assert job.wait(600)
    assert not job.succeeded
    assert _subheader(_opened(app, entry)) == f"{FIRST + BATCH} images"
    assert app.infos == [f"Stopped after {FIRST + BATCH} of {N} images."]
    app.click(f"again_sidebar_{job.id}")
    again = _end(_only())
    assert _subheader(app.run()) == f"{N} images"
    remove_dataset(entry.id)
    cached.forget_removed()
    for state in (entry.id, again.found[-1]):
        with pytest.raises(InputError, match="no dataset with the id"):
            cached.base(state)


def test_a_failure_before_the_first_image_says_why(app: Page, gate: Gate, entry: DatasetEntry, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object, **__: object) -> Space:
        raise InputError("The disk is full.")

    monkeypatch.setattr(growing, "embed", fail)
    add_dataset(entry)
    _opened(app, entry)
    assert _only().wait(600)
    assert app.run().errors == ["The disk is full."]
    assert app.at(f"again_{_only().id}").label == "Try again"


def test_rows_follow_their_images_and_those_of_images_that_are_gone_are_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    moved: list[list[int]] = []
    monkeypatch.setattr(growing.st, "session_state", {})
    monkeypatch.setattr(growing.selection, "move", lambda rows: moved.append(rows.tolist()))
    for paths in ("abc", "bcde"):
        growing.keep_rows("photos", pd.DataFrame({"path": list(paths)}))
    assert moved == [[-1, 0, 1]]


def test_what_comes_in_stands_beside_its_neighbors() -> None:
    """Two groups far apart: each newcomer stands within its own, and nothing that was there moves."""
    rng = np.random.default_rng(0)
    centers = np.repeat(np.eye(2, 6), 20, axis=0)
    vectors = (centers + 0.05 * rng.normal(size=(40, 6))).astype(np.float32)
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    frame = pd.DataFrame({"path": [f"{row}.png" for row in range(40)]})
    space = Space(vectors, labels=frame["path"].tolist(), name="all")
    moved = np.sort(rng.choice(40, 24, replace=False))
    before = (10 * centers[moved, :2] + rng.uniform(-1, 1, (24, 2))).astype(np.float32)
    layout = layouts.Layout("all", Choice("umap"), before, before)
    grown = layouts._grown(layout, moved, space)
    np.testing.assert_array_equal(grown.shown[moved], before)
    new = np.setdiff1d(np.arange(40), moved)
    assert len(new) == 16
    assert (np.abs(grown.shown[new] - 10 * centers[new, :2]) < 1.5).all()
