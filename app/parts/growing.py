"""Datasets that are being embedded: pages show the first images, and more each time their number has doubled."""

import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace

import numpy as np
import pandas as pd
import streamlit as st
from numpy.typing import NDArray

from likeness.data import DatasetEntry, ImageTable, add_dataset, find_dataset
from likeness.embedding import embed
from likeness.encoder_check import check_encoder
from likeness.errors import InputError
from likeness.notions import fitting_notions
from likeness.space import Space
from parts import cached, errors, interrupted, progress, selection
from parts.progress import NotEmbeddedYet
from server.access import redact, resolve_encoder, store_dir
from server.jobs import Job, Stage, jobs
from server.visitors import notions_dir
from state import Item

KIND = "embedding"
_FIRST = 1000  # images that are worth a map before all are there
_LONGEST_S, _FEWEST = 40.0, 64  # with a slow encoder fewer are, after this time
_SIDEBAR = "sidebar_"
_last = Item[tuple[str, "pd.Series[str] | None"]](("", None), key="growing_last")  # the dataset of the last run, and its images
# in the run in which a dataset has grown: the new rows of the previous images, -1 for removed ones; else None
moved_rows = Item[NDArray[np.int64] | None](key="growing_moved")


def begin(entry: DatasetEntry, total: int = 0, prepare: Callable[[Job], None] | None = None) -> Job:
    """Starts embedding a dataset in the background; it is listed as soon as its first images can be shown.

    The ids of its partial states are added to `Job.found`.

    Args:
        entry: the dataset.
        total: number of its images, if known.
        prepare: called first.
    """
    encoder = resolve_encoder(entry.encoder)

    def work(job: Job) -> Space:
        with interrupted.noted(entry):
            job.report(0, total)
            if prepare:
                prepare(job)
            job.stage = Stage("Listing images", 0, 0)
            images = cached.images_of(entry)
            job.stage = Stage("Loading the encoder", 0, 0)
            growth = PartialDatasetPublisher(entry, images, job)
            done = embed(images, encoder, store_dir=store_dir(entry), progress=growth.report, should_stop=job.should_stop)
            growth.end(done)
            return done

    return jobs().run(KIND, entry.id, entry.name, work, restart=True)


class PartialDatasetPublisher:
    """Publishes partial states of a dataset while it is embedded: the first thousand images, then each time they have doubled."""

    def __init__(self, entry: DatasetEntry, images: ImageTable, job: Job) -> None:
        self.entry, self.images, self.job = entry, images, job
        self._next, self._begun = _FIRST, time.monotonic()
        self._warning: str | None = None  # not checked yet
        self._before: int | None = None  # images that were embedded when it began

    def report(self, done: int, total: int, stage: str = "") -> None:
        """Progress callback of `embed`."""
        self._before = done if self._before is None else self._before
        if done > self._before or done >= total:  # the first report comes before the encoder is there
            self.job.stage = None
        self.job.report(done, total)
        if done < total and self._is_time(done):
            self._show_stored(done)

    def _show_stored(self, done: int) -> None:
        """Publishes the stored images, which may lack the latest ones and, with a slow encoder, may be none."""
        self._next = done + _FIRST // 2
        try:
            stored = embed(self.images, resolve_encoder(self.entry.encoder), store_dir=store_dir(self.entry), should_stop=lambda: True)
        except InputError:
            self._begun = time.monotonic()  # not asked again at once
            return
        self._show(stored)
        self._next = max(2 * len(stored), self._next)

    def end(self, embedded: Space) -> None:
        """Publishes all embedded images; a dataset that was stopped before anything was shown is not listed."""
        if not self.job.should_stop():
            if self._warning is None:  # images can be explored while the encoder is checked
                self._show(embedded)
                if self._warning is None:
                    self._check(embedded)
            self._list(embedded, is_all=True)
            cached.keep(self.entry.id, embedded)
            cached.drop_states(self.entry.id, kept=self.job.found[-1:])
        elif self.job.found:
            self._show(embedded)

    def _is_time(self, done: int) -> bool:
        if done >= self._next:
            return True
        return not self.job.found and done >= _FEWEST and time.monotonic() - self._begun > _LONGEST_S

    def _show(self, embedded: Space) -> None:
        self._list(embedded)
        state = cached.state_id(self.entry.id, len(embedded))
        cached.keep(state, embedded)
        self.job.found.append(state)
        cached.drop_states(self.entry.id, kept=self.job.found[-2:])  # the last but one is seen until pages are redrawn
        if self._warning is None and len(embedded) >= _FIRST:
            self._check(embedded)

    def _check(self, embedded: Space) -> None:
        """Stores a warning if the encoder hardly distinguishes the images."""
        self.job.stage = Stage("Checking whether the encoder tells them apart", 0, 0)
        self._warning = ""
        with suppress(InputError):  # too few images to tell
            checked = check_encoder(embedded)
            self._warning = "" if checked.sees else checked.sentence
        if self._warning:
            self._list(embedded)
        elif embedded.embed_texts:  # the first coloring, so that the first page does not wait for its prompts
            with suppress(InputError):  # opening them raises the same error, where it can be shown
                cached.first_starter(embedded, fitting_notions(embedded.table, embedded.encoder_name, notions_dir()))
        self.job.stage = None

    def _list(self, embedded: Space, is_all: bool = False) -> None:
        """Lists the dataset, with its warning if any, under its current name."""
        listed = self.entry
        with suppress(InputError):
            listed = find_dataset(listed.id)
        add_dataset(replace(listed, warning=self._warning or "", count=len(embedded) if is_all else len(self.images)))


def opened(entry: DatasetEntry) -> DatasetEntry:
    """The entry to show: itself, or while many images are not embedded yet, its latest partial state; starts embedding the rest.

    Raises:
        NotEmbeddedYet: too few images are embedded.
        InputError: the images cannot be read.
    """
    job = jobs().find(KIND, entry.id)
    if job is None or job.succeeded:
        try:
            cached.base(entry.id)
            return entry
        except cached.TooManyMissingError:
            job = begin(entry)
    if not _has_some(job):
        raise NotEmbeddedYet(job)
    return replace(entry, id=job.found[-1])


def _has_some(job: Job) -> bool:
    """Whether images of the dataset can be shown."""
    return bool(job.found) and cached.is_kept(job.found[-1])


def show_bar(entry: DatasetEntry) -> None:
    """Draws the embedding's progress in the sidebar; redraws the page when there are more images to show."""
    job = jobs().find(KIND, cached.listed_id(entry.id)) if cached.is_state(entry.id) else None
    ended_early = job is not None and job.finished and not job.succeeded and job.found[-1] == entry.id

    def is_over() -> bool:
        return job is not None and (job.finished or job.found[-1] != entry.id)

    waits = job is not None and not ended_early
    progress.poll(waits, is_over, (lambda: progress.bars([job], _SIDEBAR)) if waits and job else None)
    if job is not None and ended_early:
        errors.is_new(redact(job.error or ""))
        progress.follow(job, resume="Resume", place=_SIDEBAR)


def wait(waiting: NotEmbeddedYet) -> None:
    """Draws, in place of a page, the embedding's progress or why it ended, until there are images to show."""
    job = waiting.job
    if job.kind != KIND or job.finished:
        message = "Stopped. What was embedded is kept. Resume, or choose another space in the sidebar." if job.kind != KIND else ""
        if progress.follow(job, resume="Resume", stopped=message, wait=0):
            st.rerun()
    else:
        progress.poll(True, lambda: job.finished or _has_some(job), lambda: progress.bars([job]))


def keep_rows(dataset_id: str, frame: pd.DataFrame) -> None:
    """After a dataset has grown: maps selection and query to the images' new rows."""
    paths = frame.get("path")
    known, before = _last.get()
    _last.set((dataset_id, paths))
    moved_rows.set(None)
    if paths is None or before is None or known != dataset_id or len(before) == len(paths):
        return
    where = pd.Series(np.arange(len(paths)), index=paths)
    where = where[~where.index.duplicated()]
    moved: NDArray[np.int64] = before.map(where).fillna(-1).to_numpy(np.int64)
    moved_rows.set(moved)
    selection.move(moved)
