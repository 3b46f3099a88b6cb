"""What the form of an export would be as a command, to copy."""

import shlex
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import streamlit as st

from access import redact, resolve_entry
from likeness.errors import InputError
from likeness.io import runs_dir
from server_settings import server
from shared import sidebar, trained
from shared.selection import Rows
from shared.view import View

if TYPE_CHECKING:
    from likeness.exports import Target
    from likeness.space import Space

_LIST = "images.txt"
_ADDRESS = "postgresql://USER@HOST/DATABASE"
_FLAGS = {"neighbors": "-k"}
_DRAFT = "Save the notion under a name on the page Notions; then it has a command."
_ELSEWHERE = "For whoever has the images on a machine with Likeness, with their place for the first name; labels that people gave here are not there."


def show(view: View, target: "Target", others: "Sequence[Target]", space: "Space | None", rows: Rows | None, given: Mapping[str, Any]) -> None:
    """The same by command, folded; with it what only a command reaches, as a server's address."""
    with st.expander("Same by command"):
        named = space_options(view, space)
        if named is None:
            st.caption(_DRAFT)
        else:
            st.code(command(view, target, named, rows, given), language="bash", wrap_lines=True)
        reached = space_options(view, space or view.a)
        for each in others:
            st.caption(f"{each.title} is a server, which only the command reaches:")
            if reached is None:
                st.caption(_DRAFT)
            else:
                st.code(command(view, each, reached, rows, {}), language="bash", wrap_lines=True)
        if server().shared:
            st.caption(_ELSEWHERE)
        if rows is not None and view.base.table.has_images:
            listed = "".join(f"{path}\n" for path in view.frame["path"].iloc[rows])
            st.download_button(f"List of these images ({_LIST})", listed, _LIST, "text/plain", type="tertiary", on_click="ignore", key="export_list")


def command(view: View, target: "Target", space: Sequence[str], rows: Rows | None, given: Mapping[str, Any]) -> str:
    """The command for images of the view.

    Args:
        view: what the page looks at.
        target: what it is exported to.
        space: its options, of `space_options`.
        rows: of the images; None: all.
        given: what the target is told.
    """
    from likeness.exports import ExportOptions

    source = view.entry.source if server().shared else resolve_entry(view.entry)
    place = _ADDRESS if target.ending is None else f"{target.name}{target.ending or '/'}"
    words = ["likeness", "export", redact(source), target.name, place]
    words += ["--only", _LIST] if rows is not None else []
    words += space
    for name, value in given.items():
        if name != "link" and value != getattr(ExportOptions(), name):
            words += [_FLAGS.get(name, f"--{name}"), *([] if value is True else [str(value)])]
    return shlex.join([*words, *(["--portable"] if target.ending is not None else [])])


def space_options(view: View, space: "Space | None") -> list[str] | None:
    """The options that name a space; none where no vectors are written; None for the notion that is being edited, which has no name yet."""
    if space is None:
        return []
    encoder = ["--encoder", redact(view.entry.encoder)]
    name = str(st.session_state["a" if space is view.a else "b"])
    if space is view.base or name == sidebar.RAW:
        return encoder
    if name.startswith(trained.PREFIX):
        return ["--encoder", f"run:{redact(runs_dir() / name.removeprefix(trained.PREFIX))}"]
    return None if name == sidebar.DRAFT else [*encoder, "--notion", _notion(name)]


def _notion(name: str) -> str:
    notion = sidebar.notion_by(name)
    try:
        return notion.slug
    except InputError:  # no letter that every system takes
        return notion.name
