"""What can be done with a run beside training it: another name, an export, and deleting it, after a question."""

from pathlib import PurePosixPath

import streamlit as st

import run_owners
import trainings
from access import redact, shared_name
from likeness.errors import InputError
from likeness.io import parse_yaml
from likeness.training import RunConfig, RunFolder, as_yaml, config_from, export_zip
from shared.plain import plain

_CHANGED = "runs_changed"


def redraw_page_after_change() -> None:
    """Called at the beginning of a card, which is drawn without the page around it."""
    if st.session_state.pop(_CHANGED, False):
        st.rerun()


def show(run: RunFolder, state: str) -> None:
    """A menu at the right edge of the run's card."""
    with st.popover("More", icon=":material/more_horiz:", key=f"more_{run.name}", width="content"):
        _export(run)
        reason = run_owners.refusal_to_change(run.path) or ("Stop the run first." if state == "running" else "")
        _rename(run, reason)
        _delete(run, reason)


def _export(run: RunFolder) -> None:
    st.markdown("**Export**: config, best weights and figures as a ZIP file. Unpacked, it is the encoder `run:FOLDER`.")
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
        help=None if run.best.is_file() else "A run has weights from its first evaluation on.",
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
    asked = f"deleting_{run.name}"
    if not st.session_state.get(asked):
        st.button(
            "Delete", icon=":material/delete:", key=f"delete_{run.name}", on_click=_ask, args=(asked,), disabled=bool(reason), help=reason or None
        )
        return
    st.warning(f"Delete {plain(run.name)} with its weights and figures? This cannot be undone.", icon=":material/warning:")
    with st.container(horizontal=True):
        st.button("Delete for good", type="primary", key=f"delete_yes_{run.name}", on_click=_take_deletion, args=(run, asked))
        st.button("Keep it", key=f"delete_no_{run.name}", on_click=_ask, args=(asked, False))


def _ask(asked: str, on: bool = True) -> None:
    st.session_state[asked] = on


def _take_deletion(run: RunFolder, asked: str) -> None:
    _ask(asked, False)
    try:
        trainings.delete_training(run)
    except InputError as error:
        st.toast(plain(redact(error)), icon=":material/error:", duration="long")
        return
    st.toast(f"{plain(run.name)} is deleted.", icon=":material/delete:")
    _replace_choice(run.name, None)


def _replace_choice(old: str, new: str | None) -> None:
    """What the page Runs shows, after a run has another name or is gone; the whole page is drawn anew."""
    st.session_state[_CHANGED] = True
    chosen = st.session_state.get("runs") or []
    st.session_state["runs"] = [name if name != old else new for name in chosen if name != old or new]
    if st.session_state.get("train_begun", "").endswith(f"/{old}"):
        del st.session_state["train_begun"]
