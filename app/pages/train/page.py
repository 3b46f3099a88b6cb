"""Train: a config from a preset, changed in fields or as text; what language will say of its classes; the start of its run."""

from typing import Any

import streamlit as st

import trainings
from access import redact, shared_name
from config_access import resolve_config
from likeness import training
from likeness.errors import InputError
from likeness.io import runs_dir
from likeness.training import RunConfig, RunFolder, as_yaml, presets, read_config
from pages.train import PAGE, draft, fields as train_fields, preview as train_preview
from shared import aspect_labels, permissions, run_card, trained
from shared.plain import plain
from shared.sidebar import readable
from shared.view import current_view

_LONGEST = 200  # bytes of a name; file systems take some more

_NO_LABELS = "Training learns from labels which images belong together, and these images have none yet."


def main() -> None:
    """Draws the page."""
    PAGE.show_head("With labels on a scale, the distance between images follows that of their labels. Language guidance adds how classes relate.")
    if permissions.refused():
        return
    draft.follow_other_tabs()
    _tell_clash()
    chosen, problem = _config()
    lacking = chosen is not None and _lacks_labels(chosen)
    if lacking:
        aspect_labels.offer(current_view(), _NO_LABELS)
    with st.container(horizontal=True, vertical_alignment="bottom"):
        _preset()
        name, taken = _name(chosen)
        _start(None if lacking else chosen, name, taken)
    with st.container():  # there in every run, so that what stands below keeps its place, and the text stays open
        for warning in filter(None, (problem, taken, draft.refused())):
            st.warning(plain(warning), icon=":material/warning:")
        if chosen and chosen.note:
            st.caption(plain(chosen.note))
        if chosen:
            aspect_labels.caution([chosen.data.attribute] if isinstance(chosen.data.attribute, str) else chosen.data.attribute)
    with st.container():
        begun = st.session_state.get("train_begun")
        if begun:
            run_card.show(RunFolder(begun), watch_link=True)
    settings, preview = st.columns([5, 6], gap="large")
    with settings:
        with st.container():
            if chosen:
                train_fields.show(chosen)
        _text(expanded=chosen is None)
    with preview:
        if chosen and not lacking:
            train_preview.show(chosen)


def _lacks_labels(chosen: RunConfig) -> bool:
    """Whether these are the images that the sidebar shows, and they have nothing that this run could learn from."""
    by_classes = not chosen.objective.continuous
    return by_classes and chosen.data.source == current_view().entry.source and not draft.attributes_of(chosen.data.source)


def _config() -> tuple[RunConfig | None, str]:
    """The config as typed, or what does not fit."""
    try:
        return draft.config(), ""
    except InputError as error:
        return None, redact(error)


def _tell_clash() -> None:
    """Both versions of what another tab with this link has changed, too."""
    clash = draft.clash()
    if clash is None:
        return
    with st.container(border=True):
        st.markdown(":orange[:material/warning: Another tab] with this link has changed the same. Yours stands here.")
        versions = [f"{key}: {here} here, {there} in the other tab" for key, (here, there) in clash.keys.items()]
        st.code("\n".join(versions) or clash.other, language=None, height=200 if not versions else "content")
        with st.container(horizontal=True, gap="small"):
            st.button("Keep this one", key="clash_keep", on_click=draft.settle_clash)
            st.button("Take the other one", key="clash_take", on_click=draft.swap_clash)


def _preset() -> None:
    shipped = sorted(presets(), key=lambda name: not name.startswith("shipped"))
    st.selectbox(
        "Begin from",
        [*shipped, *trained.names()],
        index=None,
        format_func=lambda name: readable(name) if name.startswith(trained.PREFIX) else name,
        placeholder="A preset or a run",
        key="train_preset",
        on_change=_take_preset,
        width=300,
        help="Presets whose names begin with lg are the protocols of the language guidance paper; they need its datasets and a GPU.",
    )


def _take_preset() -> None:
    name = st.session_state["train_preset"]
    if name is None:
        return
    run = run_card.folder(name.removeprefix(trained.PREFIX)) if name.startswith(trained.PREFIX) else None
    if run and run_card.problem(run):
        draft.refuse(run_card.problem(run))
        return
    config = run.config() if run else read_config(name)
    free = draft.free_name(config.name) if config.name and (runs_dir() / config.name).exists() else config.name
    draft.take(shared_name(as_yaml(config.model_copy(update={"name": free}))))


def _name(chosen: RunConfig | None) -> tuple[str, str]:
    """The run's name, and what is wrong with it."""
    if chosen is None:
        st.text_input("Name", disabled=True, width=260)
        return "", ""
    st.session_state["train_name"] = chosen.name
    name: str = st.text_input("Name", key="train_name", width=260, on_change=_rename).strip()
    if not name or any(sign in name for sign in "/\\\0") or name.startswith(".") or len(name.encode()) > _LONGEST:
        return name, f"Give the run a name without slashes, without a dot at its beginning and below {_LONGEST} letters: it becomes a folder."
    run = RunFolder(runs_dir() / name)
    begun = str(run.path) == st.session_state.get("train_begun") and run.status().state == "running"
    if begun or not (run.path / "config.yaml").is_file():
        return name, ""
    return name, f"There is already a run named {name}. Choose another name, such as {draft.free_name(name)}, or resume that run under Runs."


def _rename() -> None:
    draft.change({"name": st.session_state["train_name"].strip() or "run"})


def _start(chosen: RunConfig | None, name: str, problem: str) -> None:
    underway = st.session_state.get("train_begun") == str(runs_dir() / name) if name else False
    st.button(
        "Start",
        type="primary",
        icon=":material/play_arrow:",
        key="train_start",
        disabled=chosen is None or bool(problem) or underway,
        on_click=_begin,
        args=(chosen, name),
    )


def _begin(chosen: RunConfig, name: str) -> None:
    run = RunFolder(runs_dir() / name)
    try:
        trainings.begin_training(run.path, lambda: training.start_run(run, resolve_config(chosen)))
        draft.take(as_yaml(chosen))  # what is shown stays that of this run, whose name is taken from now on
    except InputError as error:
        st.toast(plain(redact(error)), icon=":material/error:", duration="long")
    else:
        st.session_state["train_begun"] = str(run.path)


def _text(expanded: bool) -> None:
    """The whole config; open while it does not fit, since the fields are not there then."""
    with st.expander("All settings as text", icon=":material/code:", expanded=expanded):
        st.session_state["train_typed"] = draft.text()
        st.text_area(
            "YAML",
            key="train_typed",
            height=520,
            on_change=_take_text,
            label_visibility="collapsed",
            help="Every setting of the run; checked as you leave the field. The same file works with `likeness train`.",
        )
        content = draft.text().encode()
        st.download_button("Download as file", content, "run.yaml", "text/yaml", icon=":material/download:", on_click="ignore", key="train_download")


def _take_text() -> None:
    text: Any = st.session_state["train_typed"]
    draft.take(text)


main()
