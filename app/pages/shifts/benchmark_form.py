"""The form that starts a benchmark: network, methods and splits of the current images."""

import streamlit as st

import trainings
from access import check_may, redact
from likeness.data import ImageClasses
from likeness.errors import InputError
from likeness.io import runs_dir
from likeness.shifts import SplitFile, write_splits
from likeness.studies import StudyConfig, StudyFolder
from likeness.training import read_config
from pages.shifts import benchmark_network, benchmark_study, benchmarks, settings
from pages.shifts.benchmark_methods import FIRST, METHODS, help_text
from pages.shifts.benchmark_study import SHOTS, WHOLE_PRESET, Choices
from pages.shifts.splits import Progression
from shared.plain import plain
from shared.view import View

_LONGEST = 100
_FEWEST_QUERIES = 2
_EPOCHS = 5  # of the embedding layer


def show(view: View) -> None:
    """Draws the form."""
    st.caption(
        "On every split, each method is trained on the training classes and measured on the test classes. "
        "The benchmark continues when you leave this page or close the app."
    )
    try:
        shown = settings.choose(view)
    except InputError as error:
        st.error(plain(redact(error)), icon=":material/error:")
        return
    if shown is None:
        return
    if shown.classes is None:
        st.error(plain(shown.problem), icon=":material/error:")
        return
    if len(shown.splits.splits) < 2:
        st.error("There is only one split, and a benchmark compares at least two; choose other splits.", icon=":material/error:")
        return
    _fields(view, shown, shown.classes)


def _fields(view: View, shown: Progression, classes: ImageClasses) -> None:
    most = len(shown.splits.splits)
    network = benchmark_network.choose(view)
    time = st.container()  # filled once it is known what runs
    methods = st.pills(
        "Methods", list(METHODS), selection_mode="multi", default=list(FIRST), key="benchmark_methods", persist_state="session", help=help_text()
    )
    methods = [name for name in METHODS if name in methods]
    st.session_state["benchmark_count"] = min(max(st.session_state.get("benchmark_count", 4), 2), most)
    with st.container(horizontal=True, vertical_alignment="bottom"):
        count = st.number_input(
            "How many splits", 2, most, key="benchmark_count", width=150, persist_state="session", help="Evenly from easy to hard."
        )
        seeds = st.number_input(
            "Seeds",
            1,
            20,
            2,
            key="benchmark_seeds",
            width=130,
            persist_state="session",
            help="How many times each run is repeated, with different random draws.",
        )
        epochs = st.number_input(
            "Epochs",
            1,
            1_000,
            read_config(WHOLE_PRESET).epochs if network.whole else _EPOCHS,
            key="benchmark_epochs_whole" if network.whole else "benchmark_epochs",
            width=130,
            persist_state="session",
            help="Passes over the training images.",
        )
        few_shot = st.toggle(
            "Few-shot",
            True,
            key="benchmark_few_shot",
            persist_state="session",
            help=f"Also measures the gain from adapting the trained layer to {SHOTS} images of each test class.",
        )
    chosen = shown.splits.evenly(int(count))
    st.caption(_summary(chosen, len(methods), int(seeds), "Raw encoder" in methods))
    study, misfit = _study(view, shown, chosen, classes, Choices(network, methods, int(seeds), int(epochs), bool(few_shot)))
    if study is not None:
        with time:
            benchmark_network.show_time(network, benchmark_study.passes(study, chosen, classes))
    with st.container(horizontal=True, vertical_alignment="bottom"):
        name = st.text_input("Name", _free(), key=f"benchmark_name_{_free()}", width=260).strip()
        wrong = _wrong(name, methods, chosen, classes, bool(few_shot)) or misfit
        st.button(
            "Start",
            type="primary",
            icon=":material/play_arrow:",
            key="benchmark_start",
            disabled=bool(wrong),
            on_click=_begin,
            args=(name, chosen, study),
        )
    with st.container():
        if wrong:
            st.warning(plain(wrong), icon=":material/warning:")


def _study(view: View, shown: Progression, splits: SplitFile, classes: ImageClasses, choices: Choices) -> tuple[StudyConfig | None, str]:
    """The study, or what does not fit in a sentence; neither without a method."""
    if choices.network.problem or not choices.methods:
        return None, choices.network.problem
    try:
        return benchmark_study.study_of(view, shown, splits, classes, choices), ""
    except InputError as error:
        return None, redact(error)


def _summary(splits: SplitFile, methods: int, seeds: int, raw: bool) -> str:
    runs = len(splits.splits) * ((methods - raw) * seeds + raw)
    names = ", ".join(f"{split.name} ({split.distance:.3g})" for split in splits)
    return f"{runs:,} runs on {len(splits.splits)} splits: {names}."


def _wrong(name: str, methods: list[str], splits: SplitFile, classes: ImageClasses, few_shot: bool) -> str:
    """What stands in the way of a start, in a sentence."""
    if not name or any(sign in name for sign in "/\\\0:") or name.startswith(".") or len(name.encode()) > _LONGEST:
        return f"Give the benchmark a name without slashes and colons, without a dot at its beginning and below {_LONGEST} letters."
    if (runs_dir() / name).exists():
        return f"There is a benchmark or run {name} already; choose another name."
    if not methods:
        return "Choose at least one method."
    counts = benchmark_study.class_counts(classes)
    used = {each for split in splits for each in (*split.train, *split.test)}
    single = min(used, key=lambda each: (counts[each], each))
    if counts[single] < 2:
        return f"The class '{single}' has only one image, so there is nothing to find for it; choose another class of an image."
    tested = min({each for split in splits for each in split.test}, key=lambda each: (counts[each], each))
    if few_shot and counts[tested] < SHOTS + _FEWEST_QUERIES:
        return (
            f"The class '{tested}' has {counts[tested]} images, and few-shot needs {SHOTS + _FEWEST_QUERIES}: {SHOTS} to adapt to and "
            f"{_FEWEST_QUERIES} to find. Switch few-shot off, or choose another class of an image."
        )
    return ""


def _begin(name: str, splits: SplitFile, study: StudyConfig) -> None:
    folder = StudyFolder((runs_dir() / name).resolve())
    file = folder.path / "splits.json"

    def start() -> None:
        check_may("train")
        whole = benchmark_study.resolved(study)
        write_splits(file, splits)
        folder.create(whole.model_copy(update={"name": name, "splits": str(file)}))
        folder.begin()

    try:
        trainings.begin_training(folder.path, start)
    except InputError as error:
        st.toast(plain(redact(error)), icon=":material/error:", duration="long")
    except OSError as error:
        message = f"The folder of the runs cannot be written ({error.strerror or redact(error)}); make room, or choose another one."
        st.toast(plain(message), icon=":material/error:", duration="long")
    else:
        st.session_state["benchmark"] = benchmarks.own(name)
        st.session_state["benchmark_form"] = False


def _free() -> str:
    return next(name for name in ("shifts", *(f"shifts-{number}" for number in range(2, 10_000))) if not (runs_dir() / name).exists())
