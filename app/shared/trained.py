"""Trained runs as spaces: the best weights of a run embed the images of a dataset, once and in the background."""

import streamlit as st

import progress
from likeness.encoders import encoder_identity
from likeness.errors import InputError
from likeness.io.paths import runs_dir
from likeness.jobs import Job
from likeness.space import Space, embed
from server_settings import server
from shared import cached

PREFIX = "run "


class StillEmbedding(Exception):  # noqa: N818  (an answer, not an error)
    """A space that is asked for is being embedded."""

    def __init__(self, job: Job) -> None:
        super().__init__(job.title)
        self.job = job


def names() -> list[str]:
    """Names of the spaces of all runs that have weights, newest first. Drawn on every page, so it looks at file names alone."""
    if not server().runs:
        return []
    weights = [file for file in runs_dir().glob("*/best.safetensors") if (file.parent / "config.yaml").is_file()]
    return [PREFIX + file.parent.name for file in sorted(weights, key=lambda file: file.stat().st_mtime, reverse=True)]


def space(dataset_id: str, name: str) -> Space:
    """The space of a run on a dataset.

    Raises:
        StillEmbedding: while its images are being embedded, or after that was stopped.
        InputError: where that failed, or there is no such run.
    """
    if name not in names():  # a link may name any
        raise InputError(f"The run '{name.removeprefix(PREFIX)}' has no weights yet; choose it again after its first evaluation.")
    folder = runs_dir() / name.removeprefix(PREFIX)
    encoder = f"run:{folder.resolve()}"
    key = f"{dataset_id} {encoder_identity(encoder)}"
    job = cached.jobs("run spaces").get(key) or _begin(key, dataset_id, encoder, folder.name)
    job.wait(0.4)
    if job.error:
        cached.jobs("run spaces").forget(key)
        raise InputError(job.error)
    if not job.finished or job.stopped:
        raise StillEmbedding(job)
    found: Space = job.result
    return found


def show(waiting: StillEmbedding) -> None:
    """In place of the page: how far the embedding is, or that it was stopped."""
    with st.container():
        st.fragment(_follow, run_every=0.5)(waiting.job)


def _begin(key: str, dataset_id: str, encoder: str, run: str) -> Job:
    table = cached.table(dataset_id)

    def work(report: progress.Report, should_stop: progress.ShouldStop) -> Space | None:
        found = embed(table, encoder, progress=report, should_stop=should_stop)
        if len(found.table) < len(table) and not should_stop():
            raise InputError(f"The run '{run}' cannot read {len(table) - len(found.table)} of the images; take them out of the dataset.")
        return found.replace(name=PREFIX + run)

    return cached.jobs("run spaces").begin(key, f"Images as the run {run} sees them", work)


def _follow(job: Job) -> None:
    with st.container():
        if job.finished and not job.stopped:
            st.rerun()
        if not job.finished:
            progress.bar(job, "images", key="run_space")
            return
        st.info("Stopped; what was embedded is kept. Choose another space in the sidebar, or go on.", icon=":material/pause:")
        st.button("Go on", icon=":material/play_arrow:", on_click=_again, args=(job,))


def _again(job: Job) -> None:
    jobs = cached.jobs("run spaces")
    for key, each in jobs.all():
        if each is job:
            jobs.forget(key)
