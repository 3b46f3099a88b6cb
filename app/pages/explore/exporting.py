"""The images that are shown, for another program: what for, which of them, what else it takes, and the file to download."""

import hashlib
import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
import streamlit as st

import hand_labels
from access import redact
from background import Job, jobs
from export_files import Download, Room, write_download
from pages.explore import export_command
from quotas import room_for_exports
from shared.job_button import forget, job_button
from shared.plain import plain
from shared.selection import Rows
from shared.sidebar import readable
from shared.view import View
from visitors import exports_dir

if TYPE_CHECKING:
    from pathlib import Path

    from likeness.exports import Target, Written
    from likeness.progress import Progress
    from likeness.space import Space

_PLACE = _KIND = "export"
_OPEN = "export_open"  # of the session: whether the form is shown
_KEPT = 64  # jobs, whose files are elsewhere
_MOST_NEIGHBORS = 1_000
_WIDTH = 560  # pixels
_NONE = ""  # in place of an attribute's name
ALL, FILTERED, SELECTED = "All", "Filtered", "Selected"


def button() -> None:
    """Opens and closes the form. A popover would close by the click that leads to another page, and ask for a run of the page that is left: either
    page is lost then.
    """
    icon = ":material/expand_less:" if st.session_state.get(_OPEN) else ":material/output:"
    st.button("Export", icon=icon, key="export_turn", on_click=_turn, help="These images for another program, as a file.")


def _turn() -> None:
    st.session_state[_OPEN] = not st.session_state.get(_OPEN, False)


@st.fragment
def form(view: View, chosen: Rows) -> None:
    """The form, where it is open; `chosen`: the selected images that the filters leave."""
    if st.session_state.get(_OPEN):
        with st.container(border=True, width=_WIDTH, gap="small"):
            _form(view, chosen)


def _form(view: View, chosen: Rows) -> None:
    from likeness.exports import TARGETS  # not before it is needed

    without = ("run",) if view.base.table.has_images else ("run", "images")
    fitting = {name: each for name, each in TARGETS.items() if each.takes not in without}
    offered = {name: each for name, each in fitting.items() if each.ending is not None}
    name = st.selectbox("For", list(offered), format_func=lambda each: offered[each].title, key="export_target", persist_state="session")
    target = offered[name]
    st.caption(target.help)
    rows = _rows(view, chosen)
    with st.container(horizontal=True, vertical_alignment="bottom", gap="small"):  # low, so that what a click brings is in sight
        given = _options(view, target)
        spaces = _spaces(view, target, given)
        space = _space(view, spaces) if spaces else None
    if spaces is not None and not spaces:
        st.info("This target writes a notion. Choose one as space A in the sidebar.", icon=":material/info:")
        return
    _file(view, target, space, rows, given)
    others = [each for each in fitting.values() if each.ending is None]
    export_command.show(view, target, others, space, rows, given)


def _rows(view: View, chosen: Rows) -> Rows | None:
    """The images to export; None: all."""
    groups: dict[str, Rows | None] = {ALL: None}
    if view.hidden is not None and not view.hidden.all():
        groups = {FILTERED: np.flatnonzero(~view.hidden)} | groups
    if len(chosen):
        groups = {SELECTED: chosen} | groups
    counts = {name: len(view.frame) if rows is None else len(rows) for name, rows in groups.items()}
    picked = st.segmented_control(
        "Images",
        list(groups),
        default=next(iter(groups)),
        required=True,
        format_func=lambda each: f"{each} {counts[each]:,}",
        key=f"export_rows_{'_'.join(groups)}",  # what was just selected is meant until something else is chosen
        persist_state="session",
    )
    return groups[picked]


def _options(view: View, target: "Target") -> dict[str, Any]:
    """What the target can be told, of `likeness.exports.ExportOptions`; files come into a folder as links, which are followed where it is packed."""
    given: dict[str, Any] = {"link": "symlink"} if "link" in target.uses else {}
    attributes = view.base.table.attributes
    if "label" in target.uses:
        given["label"] = _label(view, target, attributes)
    if "split" in target.uses:
        split = st.selectbox(
            "Training and validation",
            [_NONE, *attributes],
            format_func=lambda each: f"As “{readable(each)}” says" if each else "Drawn at random",
            key="export_split",
            persist_state="session",
            help="Drawn at random, or by an attribute that says train, val or test of each image.",
        )
        given["split"] = split or None
    if "val" in target.uses and given.get("split") is None:
        given["val"] = st.slider("Share for validation", 0.0, 0.9, 0.2, 0.05, key="export_val", persist_state="session", help="Of each class.")
    if "neighbors" in target.uses:
        given["neighbors"] = st.number_input(
            "Neighbors",
            0,
            _MOST_NEIGHBORS,
            key="export_neighbors",
            persist_state="session",
            help="So many nearest images of each are written with it; 0: none, or as many as the target needs.",
        )
    if "vectors" in target.uses:
        given["vectors"] = st.checkbox("Vectors as well", key="export_vectors", persist_state="session")
    if "name" in target.uses:
        given["name"] = (
            st.text_input("Name inside the database", key="export_name", persist_state="session", placeholder="That of the images") or None
        )
    return given


def _label(view: View, target: "Target", attributes: list[str]) -> str | None:
    if target.several:
        names = st.multiselect(
            "Classes", attributes, format_func=readable, key="export_labels", persist_state="session", placeholder="All attributes that repeat"
        )
        return ",".join(names) or None
    options = [_NONE, *attributes]
    name = st.selectbox(
        "Classes",
        options,
        index=options.index(view.color) if view.color in options else 0,
        format_func=lambda each: readable(each) or "None",
        key="export_label",
        persist_state="session",
    )
    return name or None


def _spaces(view: View, target: "Target", given: Mapping[str, Any]) -> "list[Space] | None":
    """Those that can be exported; None where no vectors are needed."""
    if not target.needs_space(target.checked_options(dict(given))):
        return None
    return [space for space in view.spaces if target.takes != "notion" or space.base is not None]


def _space(view: View, spaces: "list[Space]") -> "Space":
    if len(spaces) == 1:
        return spaces[0]
    titles = [plain(f"{slot}: {readable(space.name)}") for slot, space in zip("AB", view.spaces, strict=True)]
    place = st.segmented_control(
        "Space", range(len(titles)), default=0, required=True, format_func=titles.__getitem__, key="export_space", persist_state="session"
    )
    return spaces[place]


def _file(view: View, target: "Target", space: "Space | None", rows: Rows | None, given: Mapping[str, Any]) -> None:
    room = Room(exports_dir(), room_for_exports())
    source = view.base.table if space is None else space
    said = "" if target.ending == f".{target.name}" else f"-{target.name}"  # by the ending already
    name = f"{_slug(view.base.table.name)}{said}{target.ending}"
    size = 4 * (len(view.frame) if rows is None else len(rows)) * space.vectors.shape[1] if space is not None and target.takes == "vectors" else 0

    def work(job: Job) -> Download:
        def write(place: "Path", progress: "Progress") -> "Written":
            from likeness.exports import export

            return export(source, target.name, place, rows=rows, portable=True, progress=progress, **given)

        room.check(size)  # some targets hold all vectors in memory before they write the first
        return write_download(job, room, name, write)

    content = hashlib.sha256(b"" if rows is None else rows.tobytes()).hexdigest()
    what = (view.entry.id, tuple(view.base.table.attributes), hand_labels.version(view.entry), content, space.key if space is not None else "")
    key = (str(exports_dir()), *what, name, tuple(given.items()))
    before = jobs().find(_KIND, key)
    if before is not None and before.succeeded and not before.result.file.exists():  # its hour is over, or a later export has taken its place
        forget(_PLACE, before)
    title, stopped = f"Export for {target.title}", "The export was stopped; nothing is left of it."
    job = job_button("Make the file", _PLACE, _KIND, key, title, work, stopped=stopped, kept=_KEPT, type="primary", icon=":material/output:")
    if job is not None:
        _download(job)


def _download(job: Job) -> None:
    made: Download = job.result
    st.link_button(f"Download {plain(made.file.name)} ({max(made.size, 1e5) / 1e6:,.1f} MB)", made.url, icon=":material/download:")
    if made.note:
        st.caption(plain(redact(made.note)))


def _slug(name: str) -> str:
    return re.sub(r"[^A-Za-z0-9]+", "-", name).strip("-").lower() or "images"
