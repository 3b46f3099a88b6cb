"""The menu of a run: its export, another name, and deleting it, after a question."""

from pathlib import PurePosixPath

import streamlit as st

from likeness.errors import InputError
from likeness.io import parse_yaml
from likeness.training import RunConfig, RunFolder, as_yaml, config_from, export_zip
from parts.plain import plain
from server import trainings
from server.access import redact, shared_name
from state import Item, state


class _Begun:
    prefix = "train_begun_"
    folder = Item("")  # of the run that was started last on Train


class _Runs:
    runs = Item[list[str]](make=list)  # shown on the page Runs
    runs_changed = Item(False)


begun, shown = _Begun(), _Runs()


def redraw_page_after_change() -> None:
    """Called first in a card, which is redrawn without the page around it."""
    if _Runs.runs_changed.take():
        st.rerun()


def show(run: RunFolder, state: str) -> None:
    """A menu at the right edge of the run's card."""
    with st.popover("More", icon=":material/more_horiz:", key=f"more_{run.name}", width="content"):
        _export(run)
        reason = trainings.refusal_to_change(run.path) or ("Stop the run first." if state == "running" else "")
        _rename(run, reason)
        _delete(run, reason)


def _export(run: RunFolder) -> None:
    st.markdown("**Export** config, best weights and figures as a ZIP file. Unpacked, it is the encoder `run:FOLDER`.")
    config = shown_config(run)
    st.download_button(
        "Download",
        (lambda: export_zip(run, config)) if run.best.is_file() else b"",
        f"{run.path.name}.zip",
        "application/zip",
        icon=":material/download:",
        on_click="ignore",
        key=f"export_{run.name}",
        disabled=not run.best.is_file(),
        help=None if run.best.is_file() else "There are no weights before the first evaluation.",
    )


def shown_config(run: RunFolder) -> RunConfig:
    """The config without paths of a shared server."""
    return config_from(parse_yaml(shared_name(as_yaml(run.config())), "The config"))


def _rename(run: RunFolder, reason: str) -> None:
    st.text_input(
        "Name",
        run.path.name,
        key=f"name_{run.name}",
        on_change=_take_name,
        args=(run,),
        disabled=bool(reason),
        help=reason or "Links with the old name no longer show the run.",
    )


def _take_name(run: RunFolder) -> None:
    name = st.session_state[f"name_{run.name}"].strip()
    if name == run.path.name:
        return
    try:
        trainings.rename_training(run, name)
    except InputError as error:
        st.toast(plain(redact(error)), icon=":material/error:", duration="long")
        return
    _replace_choice(run.name, PurePosixPath(run.name).with_name(name).as_posix())


def _delete(run: RunFolder, reason: str) -> None:
    asking = f"deleting_{run.name}"
    if not st.checkbox("Delete this run", key=asking, disabled=bool(reason), help=reason or None):
        return
    st.warning(f"Delete {plain(run.name)} with its weights and figures? This cannot be undone.", icon=":material/warning:")
    st.button("Delete for good", type="primary", key=f"delete_yes_{run.name}", on_click=_take_deletion, args=(run,))


def _take_deletion(run: RunFolder) -> None:
    try:
        trainings.delete_training(run)
    except InputError as error:
        st.toast(plain(redact(error)), icon=":material/error:", duration="long")
        return
    st.toast(f"{plain(run.name)} is deleted.", icon=":material/delete:")
    _replace_choice(run.name, None)


def _replace_choice(old: str, new: str | None) -> None:
    """What the page Runs shows, after a run has another name or is gone; the whole page is drawn again."""
    shown.runs_changed = True
    state.runs = [new or name if name == old else name for name in state.runs or [] if name != old or new]
    if begun.folder.endswith(f"/{old}"):
        begun.folder = ""
