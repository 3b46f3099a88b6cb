"""What another version of the images has: images that came, went or changed, and how far both versions lie apart in each space."""

from dataclasses import dataclass

import numpy as np
import pandas as pd
import streamlit as st

from likeness.comparisons import VersionChanges, version_changes, version_distances, version_values
from likeness.data import DatasetEntry, list_datasets
from likeness.errors import InputError
from likeness.space import Space
from pages.what_changed.changed_neighbors import TILE
from parts import cached, progress, selection, sidebar, trained
from parts.gallery import Section, gallery
from parts.on_request import WorkRequest, jobs_on_request
from parts.plain import plain
from parts.sidebar import readable
from parts.view import View
from server.access import redact
from server.addresses import address
from server.jobs import Job
from server.visitors import visitor
from state import Item, state

_KEPT = 8
_SEEDS = (0, 1, 2)
_STATES = {"came": "Added", "went": "Removed", "changed": "Changed", "renamed": "Renamed", "same": "Unchanged"}


class _Choices:
    """version: id of the earlier version's dataset."""

    prefix = "changes_"
    version = Item[str | None]()


choices = _Choices()


@dataclass(frozen=True)
class VersionResult:
    """What was found of two versions.

    Attributes:
        changes: of their tables.
        distances: as of `version_distances`, a row per space.
        values: as of `version_values` in the encoder's space; None where no attribute is compared.
    """

    changes: VersionChanges
    distances: pd.DataFrame
    values: pd.DataFrame | None


def show(view: View) -> None:
    """Draws the view: the open images are the new version, those that are chosen here the old one."""
    others = _others(view)
    if not others:
        st.info("Add the other version of these images under Images, with the same encoder. Then choose it here.", icon=":material/info:")
        st.page_link("pages/images/page.py", label="Add images", icon=":material/add_photo_alternate:")
        return
    if cached.is_state(view.entry.id):
        st.info("These images are still being embedded; compare versions when that is done.", icon=":material/info:")
        return
    if choices.version not in (None, *others):
        del choices.version
    old = st.selectbox(
        "Earlier version", list(others), index=None, format_func=others.__getitem__, key=_Choices.version.key,
        placeholder="Choose images", width=360, help="Files are compared by path and by content.",
    )  # fmt: skip
    if old is None:
        st.info(
            "Choose the earlier version to see which images were added, removed or changed.",
            icon=":material/info:",
        )
        return
    try:
        before = cached.base(old)
        spaces = _spaces(view, old, before)
    except InputError as error:
        st.error(plain(redact(error)), icon=":material/error:")
        return
    help = "**What did the new version change?** Compares all files, and measures how far both versions lie apart in each space."
    begun = jobs_on_request("Compare versions", help, _compare(view, before, spaces))
    if begun and progress.follow(*begun):
        _draw(view, begun[0].result, old)


def _others(view: View) -> dict[str, str]:
    """Id -> name of the datasets that may be another version: of the same encoder, and that this visitor sees."""

    def fits(entry: DatasetEntry) -> bool:
        return entry.id != view.dataset and entry.encoder == view.entry.encoder

    return {entry.id: entry.name for entry in list_datasets(visitor()) if fits(entry)}


def _spaces(view: View, old: str, before: Space) -> list[tuple[Space, Space]]:
    """Both versions in the encoder's space and in each notion that the sidebar shows."""
    found = [(before, view.base)]
    names = dict.fromkeys((state.a, state.b))
    for name in (each for each in names if each in sidebar.notion_names(view.base) and not each.startswith(trained.PREFIX)):
        found.append((sidebar.space(old, name), sidebar.space(view.entry.id, name)))
    return found


def _compare(view: View, before: Space, spaces: list[tuple[Space, Space]]) -> WorkRequest:
    after = view.base
    by = view.color if view.color in before.table.attributes and view.color in after.table.attributes else None

    def work(job: Job) -> VersionResult:
        changes = version_changes(before.table, after.table, progress=job.report_or_stop)
        distances = version_distances(spaces, changes, _SEEDS)
        return VersionResult(changes, distances, _values(before, after, changes, by))

    key = (
        *(space.key for pair in spaces for space in pair),
        by,
        cached.content_of_table(before.table.frame),
        cached.content_of_table(after.table.frame),
    )
    title = f"Versions of {after.table.name}"
    return WorkRequest("version changes", key, title, work, {"unit": "files", "max_finished": _KEPT})


def _values(before: Space, after: Space, changes: VersionChanges, by: str | None) -> pd.DataFrame | None:
    try:
        return None if by is None else version_values(before, after, changes, by, _SEEDS)
    except InputError:  # too many values, such as those of a number
        return None


def _draw(view: View, found: VersionResult, old: str) -> None:
    counts = found.changes.counts().set_index("change")["images"]
    relabeled = {name.removeprefix("relabeled: "): number for name, number in counts.items() if str(name).startswith("relabeled: ")}
    with st.container(horizontal=True):
        for name, label in _STATES.items():
            st.metric(label, f"{counts[name]:,}", width="content")
    for name, number in relabeled.items():
        st.caption(f"{number:,} images have a different {plain(readable(str(name)).lower())} in the new version.")
    st.markdown(_sentence(found.distances))
    _draw_distances(found.distances)
    if found.values is not None:
        _draw_values(found.values, str(view.color))
    _pictures(view, found.changes, old)


def _sentence(distances: pd.DataFrame) -> str:
    """In which spaces the versions lie farther apart than halves of the old one, and in which not."""
    farther = distances["distance"] > distances["largest half"]
    named = [f"**{plain(readable(str(name)))}**" for name in distances["space"]]
    times = [f"in {name} {times:.2f} times" for name, times, far in zip(named, distances["times"], farther, strict=True) if far]
    rest = [name for name, far in zip(named, farther, strict=True) if not far]
    said = [f"The versions differ more than two random halves of the earlier one: {sidebar.listed(times)} as much."] if times else []
    if rest:
        said.append(f"In {sidebar.listed(rest)}, they differ no more than two random halves of the earlier version.")
    return " ".join(said)


def _draw_distances(distances: pd.DataFrame) -> None:
    number = st.column_config.NumberColumn
    names = ["space", "distance", "halves", "largest half", "times", "whole"]
    st.dataframe(
        distances[names].assign(space=[readable(str(name)) for name in distances["space"]]),
        hide_index=True,
        width="content",
        column_config={
            "space": "Space",
            "distance": number(
                "Distance",
                format="%.4f",
                help="Frechet distance: how much mean and spread of the vectors differ; 0 means not at all.",
            ),
            "halves": number("Random halves", format="%.4f", help="The distance between two random halves of the earlier version: chance alone."),
            "largest half": number("Largest of the halves", format="%.4f", help="The largest distance between two halves, over three draws."),
            "times": number("Ratio", format="%.2f", help="The distance divided by that of random halves: about 1 if nothing changed."),
            "whole": number(
                "All images",
                format="%.4f",
                help="The distance over all images; the columns before use as many as a half has.",
            ),
        },
    )


def _draw_values(values: pd.DataFrame, attribute: str) -> None:
    number = st.column_config.NumberColumn
    st.markdown(f"**By {plain(readable(attribute).lower())}**, most changed first")
    st.dataframe(
        values.drop(columns=["distance", "halves"]),
        hide_index=True,
        width="content",
        height=min(3 + 35 * (1 + max(1, len(values))), 420),
        column_config={
            "value": readable(attribute), "old": number("Before"), "new": number("Now"), "came": number("Added"), "went": number("Removed"),
            "changed": number("Changed"),
            "turnover": number("Turnover", format="percent", help="The share of its images, in either version, that were added, removed or changed."),
            "share": number("Share of all images", format="%+.1f", help="How its share of all images changed, in percentage points."),
            "times": number("Ratio", format="%.2f", help="Distance divided by that of random halves; measured from 20 images in each version."),
        },
    )  # fmt: skip


def _pictures(view: View, changes: VersionChanges, old: str) -> None:
    def rows(state: str, side: np.ndarray) -> list[int]:
        return [int(row) for row in side[changes.state == state]]

    new = [("Added", "came"), ("Changed", "changed")]
    sections = [Section(title, rows(state, changes.new), empty="None.") for title, state in new]
    gallery(sections, thumbnails=view.thumbnails, key="changes_came", query=view.query, tile=TILE, page=24, on_click=selection.ask)
    gone = [("Changed, before", "changed"), ("Removed", "went")]
    sections = [Section(title, rows(state, changes.old), empty="None.") for title, state in gone]
    gallery(sections, thumbnails=address(f"/thumbnails/{old}/{{row}}"), key="changes_went", tile=TILE, page=24)
    st.page_link("pages/explore/page.py", label="See the clicked image on the map", icon=":material/scatter_plot:")
