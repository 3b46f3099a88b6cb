"""Photos to try, for who has none at hand: a public set, fetched by its name."""

from collections.abc import Callable

import streamlit as st

from access import refusal
from background import Job, Stage, Stopped
from likeness.data import DatasetEntry, list_datasets, missing_archive, named_dataset, new_entry
from likeness.defaults import PHOTOS_ENCODER
from likeness.io import size_text
from shared.plain import plain
from visitors import visitor

_NAME = "caltech101"
_MEGABYTE = 1e6


def example_entry() -> DatasetEntry:
    """The photos with the encoder that ships for them."""
    return new_entry(named_dataset(_NAME).title, _NAME, PHOTOS_ENCODER)


def offer(begin: Callable[[DatasetEntry], None]) -> None:
    """Draws a line with a button that fetches the photos and embeds them; nothing where that is done or not allowed."""
    entry, archive = example_entry(), missing_archive(_NAME)
    if any(known.id == entry.id for known in list_datasets(visitor())) or (archive and refusal("download")):
        return
    facts = f", {size_text(archive.size)} from [CaltechDATA]({archive.page}), {archive.license}" if archive else ""
    with st.container(horizontal=True, vertical_alignment="center", border=True):
        st.markdown(f"No photos at hand? **{plain(entry.name)}** has 8,677 of 101 kinds of things and animals{facts}.", width="stretch")
        st.button(
            "Fetch and embed them" if archive else "Embed them", icon=":material/photo_library:", key="example_photos", on_click=begin, args=(entry,)
        )


def fetch_images(source: str, job: Job) -> None:
    """For a job that reads images: fetches those that have to be; raises Stopped once a stop was asked for."""
    archive = missing_archive(source)
    if archive is None:
        return

    def report(done: int, total: int, stage: str = "") -> None:
        job.stage = Stage("Downloading the photos (MB)", round(done / _MEGABYTE), max(1, round(total / _MEGABYTE)))

    whole = archive.fetch(report, job.should_stop)
    job.stage = None
    if not whole:
        raise Stopped
