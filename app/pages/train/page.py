"""Train: a config from a preset, changed in fields or as text, with a preview of its classes; the start of its run."""

import streamlit as st

from likeness import training
from likeness.errors import InputError
from likeness.io import runs_dir
from likeness.training import RunConfig, RunFolder, RunImages, as_yaml, list_runs, presets, read_config
from pages.train import PAGE, draft, fields as train_fields, preview as train_preview
from parts import aspect_labels, permissions, run_card, trained
from parts.config_access import resolve_config
from parts.plain import plain
from parts.run_card import begun
from parts.sidebar import readable
from parts.view import current_view
from server import trainings
from server.access import redact, shared_name
from server.settings import server
from state import Item

_LONGEST = 200  # bytes of a name; file systems take some more
_FEWEST = 4  # classes: two that train and two that test
_NO_LABELS = (
    "Training needs labels: they say which images belong together, and these images have none yet. Label some on the page Label, "
    "let the encoder label all of them here, or add the images again with one folder per class."
)
_FEW_CLASSES = "Training needs at least four classes, two to learn from and two to test on, and these images have {}. Choose other labels or images."


class _Page:
    prefix = "train_"
    preset = Item[str | None]()
    name = Item("")
    typed = Item("")


page = _Page()


def main() -> None:
    """Draws the page."""
    PAGE.show_head()
    _running()
    if permissions.refused():
        return
    draft.follow_other_tabs()
    _show_clash()
    chosen, problem = _config()
    lacking = chosen is not None and _lacks_labels(chosen)
    resolved, images, unfit = (None, None, "") if chosen is None or lacking else _read(chosen)
    if lacking:
        aspect_labels.offer(current_view(), _NO_LABELS)
    with st.container(horizontal=True, vertical_alignment="bottom"):
        _preset()
        name, taken = _name(chosen)
        _start(None if lacking or unfit else chosen, name, taken)
    with st.container():  # there in every run, so that what stands below keeps its place, and the text stays open
        for warning in filter(None, (problem, taken, unfit, draft.session.refused)):
            st.warning(_words(warning), icon=":material/warning:")
        if chosen and chosen.note:
            st.caption(_words(chosen.note))
        if chosen:
            aspect_labels.caution([chosen.data.attribute] if isinstance(chosen.data.attribute, str) else chosen.data.attribute)
    with st.container():
        if begun.folder:
            run_card.show(RunFolder(begun.folder), watch_link=True)
    settings, preview = st.columns([5, 6], gap="large")
    with settings:
        with st.container():
            if chosen:
                train_fields.show(chosen)
        _text(expanded=chosen is None)
    with preview:
        if resolved and images:
            train_preview.show(resolved, images)


def _running() -> None:
    """A link to each run that is under way, but for the one whose card is shown below."""
    if not server().runs:
        return
    for run in list_runs(runs_dir()):
        status = run.status()
        if status.state == "running" and str(run.path) != begun.folder:
            label = f"Running: **{plain(run.name)}**, {plain(run_card.standing(status))}"
            st.page_link("pages/runs/page.py", label=label, icon=":material/monitoring:", query_params={"watch": run.name})


def _words(text: str) -> str:
    """A sentence from elsewhere, with names of commands as they are typed."""
    return plain(text.replace("`", ""))


def _read(chosen: RunConfig) -> tuple[RunConfig | None, RunImages | None, str]:
    """The config with its paths, its images, and why a run on them could not begin."""
    try:
        resolved = resolve_config(chosen)
        images = train_preview.read_images(resolved)
        training.check_room(images.table, resolved.data.image_size, resolved.data.kept, resolved.data.frame)
    except InputError as error:
        count = draft.count_classes(chosen)
        return None, None, _FEW_CLASSES.format(count) if 0 < count < _FEWEST else redact(error)
    return resolved, images, ""


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


def _show_clash() -> None:
    """Both versions of what another tab with this link has changed, too."""
    clash = draft.session.clash
    if clash is None:
        return
    with st.container(border=True):
        st.markdown(":orange[:material/warning: Another tab] with this link has changed the same settings. Your version is shown.")
        versions = [f"{key}: {here} here, {there} in the other tab" for key, (here, there) in clash.keys.items()]
        st.code("\n".join(versions) or clash.other, language=None, height=200 if not versions else "content")
        with st.container(horizontal=True, gap="small"):
            st.button("Keep this one", key="clash_keep", on_click=draft.settle_clash)
            st.button("Use the other tab's", key="clash_take", on_click=draft.swap_clash)


def _preset() -> None:
    shipped = sorted(presets(), key=lambda name: not name.startswith("shipped"))
    st.selectbox(
        "Preset",
        [*shipped, *trained.names()],
        index=None,
        format_func=lambda name: readable(name) if name.startswith(trained.PREFIX) else name,
        placeholder="Choose a preset or a run",
        key=_Page.preset.key,
        on_change=_take_preset,
        width=300,
        help="Start from these settings. Presets that begin with lg reproduce the language guidance paper; they need its datasets and a GPU.",
    )


def _take_preset() -> None:
    name = page.preset
    if name is None:
        return
    run = run_card.folder(name.removeprefix(trained.PREFIX)) if name.startswith(trained.PREFIX) else None
    if run and run_card.problem(run):
        draft.session.refused = run_card.problem(run)
        return
    config = run.config() if run else read_config(name)
    free = draft.free_name(config.name) if config.name and (runs_dir() / config.name).exists() else config.name
    draft.take(shared_name(as_yaml(config.model_copy(update={"name": free}))))


def _name(chosen: RunConfig | None) -> tuple[str, str]:
    """The run's name, and what is wrong with it."""
    if chosen is None:
        st.text_input("Name", disabled=True, width=260)
        return "", ""
    page.name = chosen.name
    name: str = st.text_input("Name", key=_Page.name.key, width=260, on_change=_rename).strip()
    if not name or any(sign in name for sign in "/\\\0") or name.startswith(".") or len(name.encode()) > _LONGEST:
        return name, f"Give the run a name of at most {_LONGEST} characters, without slashes and not starting with a dot: it becomes a folder."
    run = RunFolder(runs_dir() / name)
    underway = str(run.path) == begun.folder and run.status().state == "running"
    if underway or not (run.path / "config.yaml").is_file():
        return name, ""
    return name, f"There is already a run named {name}. Choose another name, such as {draft.free_name(name)}, or resume that run on the page Runs."


def _rename() -> None:
    draft.change({"name": page.name.strip() or "run"})


def _start(chosen: RunConfig | None, name: str, problem: str) -> None:
    underway = bool(name) and begun.folder == str(runs_dir() / name)
    st.button(
        "Start training",
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
        begun.folder = str(run.path)


def _text(expanded: bool) -> None:
    """The whole config; open while it does not fit, since the fields are not there then."""
    with st.expander("All settings as text", icon=":material/code:", expanded=expanded):
        page.typed = draft.text()
        st.text_area(
            "YAML",
            key=_Page.typed.key,
            height=520,
            on_change=_take_text,
            label_visibility="collapsed",
            help="Every setting of the run, checked when you leave the field. The same file works with `likeness train`.",
        )
        content = draft.text().encode()
        st.download_button("Download as file", content, "run.yaml", "text/yaml", icon=":material/download:", on_click="ignore", key="train_download")


def _take_text() -> None:
    draft.take(page.typed)


main()
