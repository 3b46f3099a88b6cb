"""What another version of the images has: images that came, went or changed, and how far both versions lie apart in each space."""

from dataclasses import dataclass

import numpy as np
import pandas as pd
import streamlit as st

from access import redact
from addresses import address
from background import Job, run_in_background
from components.gallery import Section, gallery
from likeness.comparisons import VersionChanges, version_changes, version_distances, version_values
from likeness.data import DatasetEntry, list_datasets
from likeness.errors import InputError
from likeness.space import Space
from pages.compare.changed_neighbors import TILE
from shared import cached, progress, selection, sidebar, trained
from shared.plain import plain
from shared.sidebar import readable
from shared.view import View
from visitors import visitor

_KEPT = 8
_SEEDS = (0, 1, 2)


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
    """Draws the view: the images at hand are the new version, those that are chosen here the old one."""
    others = _others(view)
    if not others:
        st.info(
            "Bring the other version of these images under Your images, embedded by the same encoder; then choose it here.", icon=":material/info:"
        )
        st.page_link("pages/your_images/page.py", label="Bring images", icon=":material/add_photo_alternate:")
        return
    if cached.is_state(view.entry.id):
        st.info("These images are still being embedded; compare versions when that is done.", icon=":material/info:")
        return
    if st.session_state.get("changes_version") not in (None, *others):
        del st.session_state["changes_version"]
    old = st.selectbox(
        "The old version of these images", list(others), index=None, format_func=others.__getitem__, key="changes_version",
        placeholder="Choose images", width=360, help="Images are compared by their paths and by what their files hold.",
    )  # fmt: skip
    if old is None:
        return
    try:
        before = cached.base(old)
        spaces = _spaces(view, old, before)
    except InputError as error:
        st.error(plain(redact(error)), icon=":material/error:")
        return
    job = _compare(view, before, spaces)
    if progress.follow(job):
        _draw(view, job.result, before, old)


def _others(view: View) -> dict[str, str]:
    """Id -> name of the datasets that may be another version: of the same encoder, and that this visitor sees."""

    def fits(entry: DatasetEntry) -> bool:
        return entry.id != view.dataset and entry.encoder == view.entry.encoder

    return {entry.id: entry.name for entry in list_datasets(visitor()) if fits(entry)}


def _spaces(view: View, old: str, before: Space) -> list[tuple[Space, Space]]:
    """Both versions in the encoder's space and in each notion that the sidebar shows."""
    found = [(before, view.base)]
    names = dict.fromkeys(str(st.session_state.get(key)) for key in ("a", "b"))
    for name in (each for each in names if each in sidebar.notion_names(view.base) and not each.startswith(trained.PREFIX)):
        found.append((sidebar.space(old, name), sidebar.space(view.entry.id, name)))
    return found


def _compare(view: View, before: Space, spaces: list[tuple[Space, Space]]) -> Job:
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
    return run_in_background("version changes", key, title, work, unit="files", kept=_KEPT)


def _values(before: Space, after: Space, changes: VersionChanges, by: str | None) -> pd.DataFrame | None:
    try:
        return None if by is None else version_values(before, after, changes, by, _SEEDS)
    except InputError:  # too many values, such as those of a number
        return None


def _draw(view: View, found: VersionResult, before: Space, old: str) -> None:
    counts = found.changes.counts().set_index("change")["images"]
    relabeled = {name.removeprefix("relabeled: "): number for name, number in counts.items() if str(name).startswith("relabeled: ")}
    with st.container(horizontal=True):
        for name in ("came", "went", "changed", "renamed", "same"):
            st.metric(name.capitalize(), f"{counts[name]:,}", width="content")
    for name, number in relabeled.items():
        st.caption(f"{number:,} images have another {plain(readable(str(name)).lower())}.")
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
    said = [f"The versions lie farther apart than random halves of the old one: {sidebar.listed(times)} as far."] if times else []
    if rest:
        said.append(f"In {sidebar.listed(rest)} they lie no farther apart than random halves of the old one.")
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
            "distance": number("Distance", format="%.4f", help="Frechet distance of as many images of both versions as the halves have."),
            "halves": number("Halves", format="%.4f", help="The same between random halves of the old version: noise."),
            "largest half": number("Largest of the halves", format="%.4f"),
            "times": number("Times", format="%.2f", help="Distance over halves; about 1 where nothing changed."),
            "whole": number("All images", format="%.4f", help="The Frechet distance of all images of both versions."),
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
            "value": readable(attribute), "old": number("Old"), "new": number("New"), "came": number("Came"), "went": number("Went"),
            "changed": number("Changed"),
            "turnover": number("Turnover", format="percent", help="Share of its images in either version that came, went or changed."),
            "share": number("Share, points", format="%+.1f", help="Change of its share among all images."),
            "times": number("Times", format="%.2f", help="Distance over that of random halves, from 20 images in each version on."),
        },
    )  # fmt: skip


def _pictures(view: View, changes: VersionChanges, old: str) -> None:
    def rows(state: str, side: np.ndarray) -> list[int]:
        return [int(row) for row in side[changes.state == state]]

    new = [("Came", "came"), ("Changed", "changed")]
    sections = [Section(title, rows(state, changes.new), empty="None.") for title, state in new]
    gallery(sections, thumbnails=view.thumbnails, key="changes_came", query=view.query, tile=TILE, page=24, on_click=selection.ask)
    gone = [("Changed, as they were", "changed"), ("Went", "went")]
    sections = [Section(title, rows(state, changes.old), empty="None.") for title, state in gone]
    gallery(sections, thumbnails=address(f"/thumbnails/{old}/{{row}}"), key="changes_went", tile=TILE, page=24)
    st.page_link("pages/explore/page.py", label="See the clicked image on the map", icon=":material/scatter_plot:")
