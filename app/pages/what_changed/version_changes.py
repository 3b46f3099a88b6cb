"""Changes in another version of the images: added, removed and changed ones, and in which spaces they drifted."""

from contextlib import suppress
from typing import Any

import pandas as pd
import streamlit as st

from likeness.comparisons import VersionChanges, drift_sentence, version_changes, version_drift, version_values
from likeness.data import list_datasets
from likeness.errors import InputError
from pages.what_changed.changed_neighbors import TILE
from parts import cached, progress, selection, sidebar
from parts.app_page import show_missing
from parts.errors import show_errors
from parts.gallery import Section, gallery
from parts.on_request import WorkRequest, jobs_on_request
from parts.plain import plain
from parts.sidebar import readable
from parts.view import View
from server.addresses import address
from server.jobs import Job
from server.visitors import visitor
from state import state

_KEPT = 8
_STATES = {"came": "Added", "went": "Removed", "changed": "Changed", "renamed": "Renamed", "same": "Unchanged"}
# column -> its title, format and help
_DRIFT = {
    "auc": ("Told apart", "%.2f", "Shown an image of each version, how often a classifier says which is the new one (AUC); 0.5 is chance."),
    "chance": ("By chance up to", "%.2f", "How well images are told apart by chance alone: it is less in 19 of 20 cases."),
}
_VALUES = {
    "old": ("Before", None, None),
    "new": ("Now", None, None),
    "came": ("Added", None, None),
    "went": ("Removed", None, None),
    "changed": ("Changed", None, None),
    "turnover": ("Turnover", "percent", "The share of its images, in either version, that were added, removed or changed."),
    "share": ("Share of all images", "%+.1f", "How its share of all images changed, in percentage points."),
}


def show(view: View) -> None:
    """Draws the view: the open images are the new version, the chosen ones the old."""
    fitting = (entry for entry in list_datasets(visitor()) if entry.id != view.dataset and entry.encoder == view.entry.encoder)
    others = {entry.id: entry.name for entry in fitting}
    if not others:
        show_missing("Add the other version of these images under Images, with the same encoder. Then choose it here.")
        return
    if cached.is_state(view.entry.id):
        st.info("These images are still being embedded; compare versions when that is done.", icon=":material/info:")
        return
    old = st.selectbox(
        "Earlier version", list(others), index=None, format_func=others.__getitem__, key="changes_version",
        placeholder="Choose images", width=360, help="Files are compared by path and by content.",
    )  # fmt: skip
    if old is None:
        st.info("Choose the earlier version to see which images were added, removed or changed.", icon=":material/info:")
        return
    help = "**What did the new version change?** Compares all files, and asks in each space whether the images drifted."
    with show_errors():
        begun = jobs_on_request("Compare versions", help, _compare(view, old))
        if begun and progress.follow(*begun):
            _draw(view, old, *begun[0].result)


def _compare(view: View, old: str) -> WorkRequest:
    """Compares both versions in the encoder's space and in each notion of the sidebar; returns what `_draw` takes."""
    after, before = view.base, cached.base(old)
    names = [name for name in dict.fromkeys((state.a, state.b)) if name in view.notions]
    spaces = [(before, after), *((sidebar.space(old, name), sidebar.space(view.entry.id, name)) for name in names)]
    by = view.color if view.color in before.table.attributes and view.color in after.table.attributes else None

    def work(job: Job) -> tuple[VersionChanges, pd.DataFrame, pd.DataFrame | None]:
        changes = version_changes(before.table, after.table, progress=job.report_or_stop)
        values = None
        with suppress(InputError):  # too many values, such as those of a number
            values = None if by is None else version_values(before.table, after.table, changes, by)
        return changes, version_drift(spaces, changes), values

    tables = (cached.content_of_table(each.table.frame) for each in (before, after))
    key = (*(space.key for pair in spaces for space in pair), by, *tables)
    return WorkRequest("version changes", key, f"Versions of {after.table.name}", work, {"unit": "files", "max_finished": _KEPT})


def _draw(view: View, old: str, changes: VersionChanges, drift: pd.DataFrame, values: pd.DataFrame | None) -> None:
    """Draws the results: `drift` of `version_drift`, one row per space; `values` of `version_values`, None without an attribute."""
    counts = changes.counts().set_index("change")["images"]
    with st.container(horizontal=True):
        for name, label in _STATES.items():
            st.metric(label, f"{counts[name]:,}", width="content")
    for name, number in counts.items():
        if str(name).startswith("relabeled: "):
            label = readable(str(name).removeprefix("relabeled: ")).lower()
            st.caption(f"{number:,} images have a different {plain(label)} in the new version.")
    st.markdown(drift_sentence(drift, lambda name: f"**{plain(readable(name))}**"))
    spaces = [readable(str(name)) for name in drift["space"]]
    _table(drift[["space", *_DRIFT]].assign(space=spaces), _DRIFT, "Space")
    if values is not None:
        attribute = readable(str(view.color))
        st.markdown(f"**By {plain(attribute.lower())}**, most changed first")
        _table(values, _VALUES, attribute)
    new = [("Added", "came"), ("Changed", "changed")]
    gone = [("Changed, before", "changed"), ("Removed", "went")]
    for key, sections, side in (("changes_came", new, changes.new), ("changes_went", gone, changes.old)):
        shown = [Section(title, side[changes.state == state].astype(int).tolist(), empty="None.") for title, state in sections]
        own = {"thumbnails": view.thumbnails, "query": view.query, "on_click": selection.ask}
        gallery(shown, key=key, tile=TILE, page=24, **(own if sections is new else {"thumbnails": address(f"/thumbnails/{old}/{{row}}")}))
    st.page_link("pages/explore/page.py", label="See the clicked image on the map", icon=":material/scatter_plot:")


def _table(frame: pd.DataFrame, columns: dict[str, tuple[str, str | None, str | None]], first: str) -> None:
    number = st.column_config.NumberColumn
    config: dict[str, Any] = {name: number(title, format=format, help=help) for name, (title, format, help) in columns.items()}
    config[str(frame.columns[0])] = first
    st.dataframe(frame, hide_index=True, width="content", column_config=config)
