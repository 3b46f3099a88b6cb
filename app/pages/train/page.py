"""Page Train: a config from a preset, edited in fields or as text, a preview of its classes, and the start of its run."""

import streamlit as st

from likeness import training
from likeness.errors import InputError
from likeness.io import runs_dir
from likeness.training import RunConfig, RunFolder, RunImages, as_yaml, list_runs, presets, read_config
from pages.train import PAGE, draft, fields as train_fields, preview as train_preview
from parts import aspect_labels, permissions, run_card, trained
from parts.config_access import resolve_config
from parts.errors import toast_errors
from parts.names import name_problem
from parts.plain import prose
from parts.run_card import begun
from parts.sidebar import readable
from parts.view import current_view
from server import trainings
from server.access import redact, shared_name
from server.settings import server
from state import Item

_NO_LABELS = (
    "Training needs labels that say which images belong together. Label some on the page Label, "
    "let the encoder label all of them here, or add the images again with one folder per class."
)


_chosen_preset = Item[str | None](key="train_preset")
_typed = Item("", key="train_typed")


def main() -> None:
    PAGE.show_head()
    if permissions.refused():
        return
    chosen: RunConfig | None = None
    ready: tuple[RunConfig, RunImages] | None = None
    problem = ""
    try:
        chosen = draft.config()
        ready = _read(chosen)
    except InputError as error:
        problem = redact(error)
    if chosen and not ready and not problem:
        aspect_labels.offer(current_view(), _NO_LABELS)
    with st.container(horizontal=True, vertical_alignment="bottom"):
        _preset()
        name_problem = _name(chosen) if chosen else ""
        is_off = chosen is None or ready is None or bool(name_problem) or begun.get() == str(runs_dir() / chosen.name.strip())
        label, icon = "Start training", ":material/play_arrow:"
        st.button(label, type="primary", icon=icon, key="train_start", disabled=is_off, on_click=_begin, args=(chosen,))
    with st.container():  # there in every run, so that what stands below keeps its place, and the text stays open
        for warning in filter(None, (problem, name_problem, draft.session.problem)):
            st.warning(prose(warning), icon=":material/warning:")
        if chosen and chosen.note:
            st.caption(prose(chosen.note))
        if chosen:
            aspect_labels.caution([chosen.data.attribute] if isinstance(chosen.data.attribute, str) else chosen.data.attribute)
    with st.container():
        for run in list_runs(runs_dir()):
            if str(run.path) == begun.get() or (server().runs and run.status().state == "running"):
                run_card.show(run, watch_link=True)
    settings, preview = st.columns([5, 6], gap="large")
    with settings:
        with st.container():
            if chosen:
                train_fields.show(chosen)
        _text(expanded=chosen is None)
    with preview:
        if ready:
            train_preview.show(*ready)


def _read(chosen: RunConfig) -> tuple[RunConfig, RunImages] | None:
    """The config with resolved paths, and its images; None for displayed images that this run could not learn from. Raises InputError: a run on them
    could not start."""
    source = chosen.data.source
    if source == current_view().entry.source and not chosen.objective.continuous and not draft.attributes_of(source):
        return None
    resolved = resolve_config(chosen)
    images = train_preview.read_images(resolved)
    training.check_room(images.table, resolved.data.image_size, resolved.data.kept, resolved.data.frame)
    return resolved, images


def _preset() -> None:
    shipped = sorted(presets(), key=lambda name: not name.startswith("shipped"))
    st.selectbox(
        "Preset",
        [*shipped, *trained.names()],
        index=None,
        format_func=lambda name: readable(name) if name.startswith(trained.PREFIX) else name,
        placeholder="Choose a preset or a run",
        key=_chosen_preset.key,
        on_change=_take_preset,
        width=300,
        help="Start from these settings. Presets that begin with lg reproduce the language guidance paper; they need its datasets and a GPU.",
    )


def _take_preset() -> None:
    name = _chosen_preset.get()
    if name is None:
        return
    run = run_card.folder(name.removeprefix(trained.PREFIX)) if name.startswith(trained.PREFIX) else None
    if run and run_card.problem(run):
        draft.session.problem = run_card.problem(run)
        return
    config = run.config() if run else read_config(name)
    draft.take(shared_name(as_yaml(config.model_copy(update={"name": config.name and draft.free_name(config.name)}))))


def _name(chosen: RunConfig) -> str:
    """Draws the run's name; returns its problem, or ""."""
    bound = train_fields.bound("name", chosen.name, lambda typed: {"name": typed.strip() or "run"})
    name: str = st.text_input("Name", width=260, **bound).strip()
    if problem := name_problem(name):
        return problem
    run = RunFolder(runs_dir() / name)
    underway = str(run.path) == begun.get() and run.status().state == "running"
    if underway or not (run.path / "config.yaml").is_file():
        return ""
    return f"There is already a run named {name}. Choose another name, such as {draft.free_name(name)}, or resume that run on the page Runs."


@toast_errors("The folder of runs cannot be written")
def _begin(chosen: RunConfig) -> None:
    run = RunFolder(runs_dir() / chosen.name.strip())
    trainings.begin_training(run.path, lambda: training.start_run(run, resolve_config(chosen)))
    draft.take(as_yaml(chosen))  # the form keeps this run's values; its name is taken from now on
    begun.set(str(run.path))


def _text(expanded: bool) -> None:
    """Draws the whole config as text; open while it is invalid, since there are no fields then."""
    with st.expander("All settings as text", icon=":material/code:", expanded=expanded):
        _typed.set(draft.text())
        st.text_area(
            "YAML",
            key=_typed.key,
            height=520,
            on_change=lambda: draft.take(_typed.get()),
            label_visibility="collapsed",
            help="Every setting of the run, checked when you leave the field. The same file works with `likeness train`.",
        )
        st.download_button(
            "Download as file", _typed.get().encode(), "run.yaml", "text/yaml", icon=":material/download:", on_click="ignore", key="train_download"
        )


main()
