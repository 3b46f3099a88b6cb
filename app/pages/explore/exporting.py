"""Exports the displayed images for another program: a form for a file, and the same as a command."""

import hashlib
import re
import shlex
from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

import streamlit as st

from likeness.errors import InputError
from likeness.io import runs_dir
from parts import sidebar, trained
from parts.on_request import WorkRequest, job_button
from parts.plain import plain, prose
from parts.selection import Rows
from parts.sidebar import readable
from parts.view import View
from server import hand_labels
from server.access import redact, resolve_entry
from server.export_files import Download, Room, write_download
from server.jobs import Job, jobs
from server.quotas import room_for
from server.settings import server
from server.visitors import EXPORTS, own_dir
from state import Item, state

if TYPE_CHECKING:
    from pathlib import Path

    from likeness.exports import Target, Written
    from likeness.progress import Progress
    from likeness.space import Space

_KEPT = 64  # jobs, whose files are elsewhere
_MOST_NEIGHBORS = 1_000
_WIDTH = 560  # pixels
_NONE = ""  # in place of an attribute's name
_ALL, _FILTERED, _SELECTED = "All", "Filtered", "Selected"
_LIST = "images.txt"
_FLAGS = {"neighbors": "-k"}
_UNSAVED = "Save the notion on the Notions page to export it by command."
_is_open = Item(False, key="export_is_open")  # the form
_ELSEWHERE = "Run this on a machine that has the images; replace the first argument with their folder. Labels made here are not included."


def button() -> None:
    """Opens and closes the form. It is not a popover, since that would close, and rerun the old page, at the click that opens another page; one of
    the two would be lost."""
    icon = ":material/expand_less:" if _is_open.get() else ":material/output:"
    turn = partial(_is_open.set, not _is_open.get())
    st.button("Export", icon=icon, key="export_turn", on_click=turn, help="Save these images as a file for another program.")


@st.fragment
def form(view: View, chosen: Rows) -> None:
    """Draws the open form; `chosen`: the selected images that match the filters."""
    if not _is_open.get():
        return
    from likeness.exports import TARGETS  # not before it is needed

    without = ("run",) if view.base.table.has_images else ("run", "images")
    offered = {name: each for name, each in TARGETS.items() if each.takes not in without}
    with st.container(border=True, width=_WIDTH, gap="small"):
        name = st.selectbox("For", list(offered), format_func=lambda each: offered[each].title, key="export_target", persist_state="session")
        target = offered[name]
        st.caption(target.help)
        rows = _rows(view, chosen)
        with st.container(horizontal=True, vertical_alignment="bottom", gap="small"):  # low, so that what a click brings is in sight
            options = _options(view, target)
            space = _space(view, target) if target.needs_space(target.checked_options(options)) else None
        if target.takes == "notion" and space is None:
            st.info("This format saves a notion. Choose one for the left map in the sidebar.", icon=":material/info:")
            return
        _file(view, target, space, rows, options)
        _command_of(view, target, space, rows, options)


def _rows(view: View, chosen: Rows) -> Rows | None:
    """The images to export; None: all."""
    groups: dict[str, Rows | None] = {_ALL: None}
    if view.hidden is not None and len(view.rows):
        groups = {_FILTERED: view.rows} | groups
    if len(chosen):
        groups = {_SELECTED: chosen} | groups
    counts = {name: len(view.frame) if rows is None else len(rows) for name, rows in groups.items()}
    picked = st.segmented_control(
        "Images",
        list(groups),
        default=next(iter(groups)),
        required=True,
        format_func=lambda each: f"{each} {counts[each]:,}",
        key=f"export_rows_{'_'.join(groups)}",  # a new selection is exported until something else is chosen
        persist_state="session",
    )
    return groups[picked]


def _options(view: View, target: "Target") -> dict[str, Any]:
    """Draws the target's `likeness.exports.ExportOptions`; files are added to a folder as links, which packing follows."""
    options: dict[str, Any] = {"link": "symlink"} if "link" in target.uses else {}
    attributes = view.base.table.attributes
    one_of = partial(st.selectbox, options=[_NONE, *attributes], persist_state="session")
    if "label" in target.uses and target.several:
        every = "All labels with repeated values"
        names = st.multiselect("Classes", attributes, format_func=readable, key="export_labels", persist_state="session", placeholder=every)
        options["label"] = ",".join(names) or None
    elif "label" in target.uses:
        index = attributes.index(view.color) + 1 if view.color in attributes else 0
        options["label"] = one_of("Classes", index=index, format_func=lambda each: readable(each) or "None", key="export_label") or None
    if "split" in target.uses:
        title, help = "Training and validation", "Random, or by a label with the values train, val and test."
        split = one_of(title, format_func=lambda each: f"By “{readable(each)}”" if each else "Random", key="export_split", help=help)
        options["split"] = split or None
    if "val" in target.uses and options.get("split") is None:
        options["val"] = st.slider("Share for validation", 0.0, 0.9, 0.2, 0.05, key="export_val", persist_state="session", help="Of each class.")
    if "neighbors" in target.uses:
        help = "Nearest images to save with each image. 0: only as many as the format needs."
        options["neighbors"] = st.number_input("Neighbors", 0, _MOST_NEIGHBORS, key="export_neighbors", persist_state="session", help=help)
    if "vectors" in target.uses:
        options["vectors"] = st.checkbox("Include vectors", key="export_vectors", persist_state="session")
    if "name" in target.uses:
        placeholder = "The name of the images"
        options["name"] = st.text_input("Name inside the database", key="export_name", persist_state="session", placeholder=placeholder) or None
    return options


def _space(view: View, target: "Target") -> "Space | None":
    """Draws the choice of the space whose vectors are exported; None if the target takes a notion and no map shows one."""
    titles = {plain(f"{side} map: {readable(space.name)}"): space for side, space in zip(("Left", "Right"), view.spaces, strict=False)}
    fitting = {title: space for title, space in titles.items() if target.takes != "notion" or space.base is not None}
    if len(fitting) < 2:
        return next(iter(fitting.values()), None)
    return fitting[st.segmented_control("Space", list(fitting), default=next(iter(fitting)), required=True, key="export_space")]


def _file(view: View, target: "Target", space: "Space | None", rows: Rows | None, options: dict[str, Any]) -> None:
    folder = own_dir() / EXPORTS
    source = view.base.table if space is None else space
    suffix = "" if target.ending == f".{target.name}" else f"-{target.name}"  # the ending says it already
    slug = re.sub(r"[^A-Za-z0-9]+", "-", view.base.table.name).strip("-").lower() or "images"
    name = f"{slug}{suffix}{target.ending}"
    size = 4 * (len(view.frame) if rows is None else len(rows)) * space.vectors.shape[1] if space is not None and target.takes == "vectors" else 0

    def work(job: Job) -> Download:
        def write(place: "Path", progress: "Progress") -> "Written":
            from likeness.exports import export

            return export(source, target.name, place, rows=rows, portable=True, progress=progress, **options)

        room = Room(folder, room_for(folder))  # evaluated now: the job may be restarted with other images
        room.check(size)  # some targets hold all vectors in memory before they write the first
        return write_download(job, room, name, write)

    content = hashlib.sha256(b"" if rows is None else rows.tobytes()).hexdigest()
    what = (view.entry.id, tuple(view.base.table.attributes), hand_labels.version(view.entry), content, space.key if space is not None else "")
    key = (str(folder), *what, name, tuple(options.items()))
    request = WorkRequest("export", key, f"Export for {target.title}", work, {"max_finished": _KEPT})
    before = request.find()
    if before is not None and before.succeeded and not before.result.file.exists():  # its hour is over, or a later export has taken its place
        jobs().forget(before)
    stopped = "The export was stopped, and nothing was saved."
    job = job_button("Create the file", "export", request, stopped=stopped, type="primary", icon=":material/output:")
    if job is None:
        return
    made: Download = job.result
    st.link_button(f"Download {plain(made.file.name)} ({max(made.size, 1e5) / 1e6:,.1f} MB)", made.url, icon=":material/download:")
    if made.note:
        st.caption(prose(redact(made.note)))


def _command_of(view: View, target: "Target", space: "Space | None", rows: Rows | None, options: dict[str, Any]) -> None:
    """Draws the same export as a command, folded."""
    with st.expander("As a command"):
        named = space_options(view, space)
        if named is None:
            st.caption(_UNSAVED)
        else:
            st.code(command(view, target, named, rows, options), language=None, wrap_lines=True)
        if server().shared:
            st.caption(_ELSEWHERE)
        if rows is not None and view.base.table.has_images:
            listed = "".join(f"{path}\n" for path in view.frame["path"].iloc[rows])
            st.download_button(f"List of these images ({_LIST})", listed, _LIST, "text/plain", type="tertiary", on_click="ignore", key="export_list")


def command(view: View, target: "Target", space: Sequence[str], rows: Rows | None, options: dict[str, Any]) -> str:
    """The command that exports images of the view.

    Args:
        view: the page's view.
        target: the export's target.
        space: the space's options, from `space_options`.
        rows: the images; None: all.
        options: the target's options.
    """
    from likeness.exports import ExportOptions

    source = view.entry.source if server().shared else resolve_entry(view.entry)
    words = ["likeness", "export", redact(source), target.name, f"{target.name}{target.ending or '/'}"]
    words += ["--only", _LIST] if rows is not None else []
    words += space
    for name, value in options.items():
        if name != "link" and value != getattr(ExportOptions(), name):
            words += [_FLAGS.get(name, f"--{name}"), *([] if value is True else [str(value)])]
    return shlex.join([*words, "--portable"])


def space_options(view: View, space: "Space | None") -> list[str] | None:
    """The options that name a space; empty without vectors; None for the edited notion, which has no saved name yet."""
    if space is None:
        return []
    encoder = ["--encoder", redact(view.entry.encoder)]
    name = state.a if space is view.a else state.b
    if space is view.base or name == sidebar.RAW:
        return encoder
    if name.startswith(trained.PREFIX):
        return ["--encoder", f"run:{redact(runs_dir() / name.removeprefix(trained.PREFIX))}"]
    if name == sidebar.DRAFT:
        return None
    notion = view.notions[name]
    try:
        return [*encoder, "--notion", notion.slug]
    except InputError:  # the name has no characters that every system allows
        return [*encoder, "--notion", notion.name]
