"""The form that starts a benchmark: which network, how much of it, by which methods and on which splits of the current images."""

from dataclasses import dataclass, field
from typing import Any

import numpy as np
import streamlit as st

from likeness.data import ImageClasses
from likeness.encoders import choose_device, remembered_speeds
from likeness.errors import InputError
from likeness.io import runs_dir
from likeness.losses import WRAPPERS, objectives_on
from likeness.shifts import SplitFile, write_splits
from likeness.studies import StudyConfig, StudyFolder, image_passes, row_configs
from likeness.training import config_from, encoder_of, native_size, read_config
from pages.shifts.splits import Progression, choose_splits
from parts.config_access import resolve_backbone, resolve_config
from parts.networks import choose_network, network_of, network_title
from parts.plain import plain
from parts.progress import duration
from parts.sidebar import listed, readable
from parts.view import View
from server import trainings
from server.access import check_may, redact, shared_name
from state import Item

OWN = "own:"


class _Choices:
    """form: whether the form is open. count: how many splits it takes."""

    prefix = "benchmark_"
    form = Item[bool | None]()
    count = Item(4)


class _Chosen:
    """benchmark: key of the one that is shown."""

    benchmark = Item[str | None]()


choices = _Choices()
chosen_benchmark = _Chosen()


@dataclass(frozen=True)
class BenchmarkMethod:
    """changes: of a run's config, by dotted keys. help: what it does, for people."""

    help: str
    changes: dict[str, Any] = field(default_factory=dict)


# Other values than the objective's own, for runs of the size that a benchmark has.
_OPTIONS: dict[str, dict[str, Any]] = {"r-margin": {"beta": 0.6, "rho": 0.35}}
# Margin with what goes around it, by wrapper.
_AROUND: dict[str, tuple[str, dict[str, Any]]] = {
    "uniform_prior": ("Margin + uniform prior", {"objective.uniform_prior": {"weight": 0.2}}),
    "s2sd": ("S2SD", {"objective.s2sd": {"target_dims": [512]}}),
    "diva": ("DiVA", {"objective.diva": {"separation_weight": 94}, "backbone.parts": 4}),
}


def benchmark_methods() -> dict[str, BenchmarkMethod]:
    """By title: the raw encoder, each objective on classes, what goes around Margin, and Margin with language guidance."""
    objectives = {
        each.title: BenchmarkMethod(each.help, {"objective.name": name, "objective.options": _OPTIONS.get(name, {})})
        for name, each in objectives_on("classes").items()
    }
    around = {title: BenchmarkMethod(f"Around Margin: {WRAPPERS[name].help}", changes) for name, (title, changes) in _AROUND.items()}
    raw = BenchmarkMethod("Not trained: the encoder as it is.", {"epochs": 0, "backbone.dim": None, "few_shot": None})
    elg = {"guidance": {"kind": "elg", "gamma": 0.0, "omega": 10.0, "language": "minilm"}}
    return {
        "Raw encoder": raw,
        **objectives,
        **around,
        "Margin + ELG": BenchmarkMethod("Margin that also learns from a language model how similar the names of the classes are.", elg),
    }


METHODS = benchmark_methods()
FIRST = ("Raw encoder", "Margin", "Multisimilarity", "ProxyAnchor")


def help_text() -> str:
    """A line on each method."""
    return "  \n".join(f"**{name}:** {method.help}" for name, method in METHODS.items())


_HEAD, _WHOLE = "Embedding layer", "Whole network"


@dataclass(frozen=True)
class Network:
    """What is trained.

    Attributes:
        name: of the backbone, as visitors write it.
        image_size: side in pixels of the images that it was made for.
        whole: whether all of it is trained, not the embedding layer alone.
        problem: why it cannot be; empty where it can.
    """

    name: str
    image_size: int
    whole: bool
    problem: str = ""

    @property
    def title(self) -> str:
        """What is trained, for the note of a benchmark."""
        return f"{network_title(self.name)}, {'every layer' if self.whole else 'the embedding layer alone'}, on images of {self.image_size} px"


def _choose_network(view: View) -> Network:
    """Draws the fields; first is the network that the space of the left map comes from."""
    own, size, why = network_of(shared_name(view.a.encoder_name))
    with st.container(horizontal=True, vertical_alignment="bottom"):
        name = choose_network("Network", own, key=f"benchmark_network_{own}", width=340, persist_state="session")
        part = st.segmented_control(
            "Train",
            [_HEAD, _WHOLE],
            default=_HEAD,
            required=True,
            key="benchmark_part",
            persist_state="session",
            help="The embedding layer trains on features that the network computes once. The whole network gains more, and takes far longer.",
        )
    if why:
        st.caption(f"{plain(why)} {plain(network_title(own))} is used instead.")
    try:
        return Network(name, size if name == own else native_size(resolve_backbone(name)), part == _WHOLE)
    except InputError as error:
        return Network(name, size, part == _WHOLE, redact(error))


def _show_time(network: Network, passes: int) -> None:
    """One quiet line: image size, where it runs, and how long that takes at least where the network's speed was measured here.

    Args:
        network: that is trained.
        passes: of images through it, as `likeness.studies.image_passes`.
    """
    facts = [f"Images are resized to the network's {network.image_size} x {network.image_size} pixels."]
    facts.append("Runs on the GPU of this machine." if choose_device("auto").type != "cpu" else "Runs on the processor, since there is no GPU.")
    speed = remembered_speeds().get(encoder_of(network.name))
    least = f"at least {duration(passes / speed)} at the {_number(speed)} images a second measured here" if speed else ""
    if network.whole:
        facts.append(f"All runs together take {least}." if least else "All runs together can take from minutes to days.")
    else:
        facts.append(f"Features are computed once{f', which takes {least}' if least else ''}; then a run takes seconds.")
    st.caption(" ".join(facts))


def _number(speed: float) -> str:
    return f"{speed:,.0f}" if speed >= 10 else f"{speed:.2g}"


SHOTS = 2
WHOLE_PRESET = "oodml-cars196"  # the protocol of the benchmark's paper, which trains whole networks
_BATCHES = (96, 48, 24)
_PER_CLASS = (4, 6, 8, 12, 16, 24, 48)
_PIXELS = 96 * 224**2  # in a batch, about as many as the papers' 112 images of 224 px have


@dataclass(frozen=True)
class Choices:
    """What the form asks for, beside images and splits."""

    network: Network
    methods: list[str]
    seeds: int
    epochs: int
    few_shot: bool


def study_of(view: View, shown: Progression, splits: SplitFile, classes: ImageClasses, chosen: Choices) -> StudyConfig:
    """The study, without name and the place of its splits, with paths as visitors write them.

    Raises:
        InputError: a method that does not go with the network; the message names both.
    """
    network = chosen.network
    base: dict[str, Any] = {
        "data": {"source": view.entry.source, "attribute": splits.model_dump(mode="json")["attribute"], "image_size": network.image_size},
        "backbone": {"name": network.name, "dim": 128, "head_only": not network.whole},
        "objective": {"name": "margin"},
        "batch": _batch(splits, class_counts(classes), network),
        "optimizer": {"rate": 0.001},
        "epochs": chosen.epochs,
        "evaluate_every": chosen.epochs,
        "structure": True,
        "matched_classes": min(len(split.test) for split in splits),
    }
    if network.whole:
        paper = read_config(WHOLE_PRESET)
        base["objective"] |= paper.objective.model_dump(include={"proxy_rate", "wrapper_rate"})
        base["optimizer"] = paper.optimizer.model_dump(include={"rate", "weight_decay"})
    if chosen.few_shot:
        base["few_shot"] = {"shots": [SHOTS], "episodes": 5, "steps": 50, "rate": 0.0003}
    labels = listed([readable(name).lower() for name in shown.attributes])
    note = f"{shown.space.table.name}, by {labels}, on {len(splits.splits)} splits; {network.title}."
    rows = {name: METHODS[name].changes for name in chosen.methods}
    study = StudyConfig(note=note, base=base, seeds=tuple(range(chosen.seeds)), rows=rows)
    for row in rows:
        _check(study, row)
    return study


def _check(study: StudyConfig, row: str) -> None:
    try:
        row_configs(study, [row])
    except InputError as error:
        raise InputError(f"{row} does not fit this benchmark: {error}") from error


def resolved(study: StudyConfig) -> StudyConfig:
    """The study with whole paths and the files of labels that were given in the app; raises InputError for a path that may not be read."""
    base = resolve_config(config_from(study.base))
    return study.model_copy(update={"base": base.model_dump(mode="json", exclude_unset=True)})


def passes(study: StudyConfig, splits: SplitFile, classes: ImageClasses) -> int:
    """Of images through the network, as `image_passes`."""
    return image_passes(row_configs(study).values(), splits, len(study.seeds), class_counts(classes))


def class_counts(classes: ImageClasses) -> dict[str, int]:
    """Images of each class."""
    return dict(zip(classes.names, np.bincount(classes.labels, minlength=len(classes.names)).tolist(), strict=True))


def _batch(splits: SplitFile, images: dict[str, int], network: Network) -> dict[str, int]:
    """A batch that the fewest training classes fill; for a whole network with no more images and pixels than there are and memory may hold."""
    classes = min(len(split.train) for split in splits)
    trains = min(sum(images[name] for name in split.train) for split in splits)
    fits = [size for size in _BATCHES if not network.whole or (size <= trains and size * network.image_size**2 <= _PIXELS)]
    size = fits[0] if fits else _BATCHES[-1]
    per_class = next((count for count in _PER_CLASS if size % count == 0 and size // count <= classes), size // 2)
    return {"size": size, "per_class": per_class}


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
        shown = choose_splits(view)
    except InputError as error:
        st.error(plain(redact(error)), icon=":material/error:")
        return
    if shown is None:
        return
    if shown.classes is None:
        st.error(plain(shown.problem), icon=":material/error:")
        return
    if len(shown.splits.splits) < 2:
        st.error("A benchmark needs at least two splits, and there is only one. Choose other splits.", icon=":material/error:")
        return
    _fields(view, shown, shown.classes)


def _fields(view: View, shown: Progression, classes: ImageClasses) -> None:
    most = len(shown.splits.splits)
    network = _choose_network(view)
    time = st.container()  # filled once it is known what runs
    methods = st.pills(
        "Methods", list(METHODS), selection_mode="multi", default=list(FIRST), key="benchmark_methods", persist_state="session", help=help_text()
    )
    methods = [name for name in METHODS if name in methods]
    choices.count = min(max(choices.count, 2), most)
    with st.container(horizontal=True, vertical_alignment="bottom"):
        count = st.number_input(
            "How many splits",
            2,
            most,
            key=_Choices.count.key,
            width=150,
            persist_state="session",
            help="Splits with evenly spaced distances, from easy to hard.",
        )
        seeds = st.number_input(
            "Seeds",
            1,
            20,
            2,
            key="benchmark_seeds",
            width=130,
            persist_state="session",
            help="How many times each run is repeated with another seed.",
        )
        epochs = st.number_input(
            "Epochs",
            1,
            1_000,
            read_config(WHOLE_PRESET).epochs if network.whole else _EPOCHS,
            key="benchmark_epochs_whole" if network.whole else "benchmark_epochs",
            width=130,
            persist_state="session",
            help="How many times a run passes over the training images.",
        )
        few_shot = st.toggle(
            "Few-shot",
            True,
            key="benchmark_few_shot",
            persist_state="session",
            help=f"Also measures the gain from adapting the trained network to {SHOTS} images of each test class.",
        )
    chosen = shown.splits.evenly(int(count))
    st.caption(_summary(chosen, len(methods), int(seeds), "Raw encoder" in methods))
    study, misfit = _study(view, shown, chosen, classes, Choices(network, methods, int(seeds), int(epochs), bool(few_shot)))
    if study is not None:
        with time:
            _show_time(network, passes(study, chosen, classes))
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
        return study_of(view, shown, splits, classes, choices), ""
    except InputError as error:
        return None, redact(error)


def _summary(splits: SplitFile, methods: int, seeds: int, raw: bool) -> str:
    runs = len(splits.splits) * ((methods - raw) * seeds + raw)
    names = ", ".join(f"{split.name} ({split.distance:.3g})" for split in splits)
    return f"{runs:,} runs on {len(splits.splits)} splits: {names}."


def _wrong(name: str, methods: list[str], splits: SplitFile, classes: ImageClasses, few_shot: bool) -> str:
    """Why the benchmark cannot start, in a sentence; empty where it can."""
    if not name or any(sign in name for sign in "/\\\0:") or name.startswith(".") or len(name.encode()) > _LONGEST:
        return f"Enter a name of at most {_LONGEST} characters, without slashes or colons and not starting with a dot."
    if (runs_dir() / name).exists():
        return f"There already is a benchmark or run called {name}. Choose another name."
    if not methods:
        return "Choose at least one method."
    counts = class_counts(classes)
    used = {each for split in splits for each in (*split.train, *split.test)}
    single = min(used, key=lambda each: (counts[each], each))
    if counts[single] < 2:
        return f"The class '{single}' has only one image, so nothing can be retrieved for it. Choose other labels as classes."
    tested = min({each for split in splits for each in split.test}, key=lambda each: (counts[each], each))
    if few_shot and counts[tested] < SHOTS + _FEWEST_QUERIES:
        return (
            f"The class '{tested}' has {counts[tested]} images, and few-shot needs {SHOTS + _FEWEST_QUERIES}: {SHOTS} to adapt to and "
            f"{_FEWEST_QUERIES} to search with. Switch few-shot off, or choose other labels as classes."
        )
    return ""


def _begin(name: str, splits: SplitFile, study: StudyConfig) -> None:
    folder = StudyFolder((runs_dir() / name).resolve())
    file = folder.path / "splits.json"

    def start() -> None:
        check_may("train")
        whole = resolved(study)
        write_splits(file, splits)
        folder.create(whole.model_copy(update={"name": name, "splits": str(file)}))
        folder.begin()

    try:
        trainings.begin_training(folder.path, start)
    except InputError as error:
        st.toast(plain(redact(error)), icon=":material/error:", duration="long")
    except OSError as error:
        message = f"The folder of runs cannot be written ({error.strerror or redact(error)}). Free some space, or choose another folder."
        st.toast(plain(message), icon=":material/error:", duration="long")
    else:
        chosen_benchmark.benchmark = OWN + name
        choices.form = False


def _free() -> str:
    return next(name for name in ("shifts", *(f"shifts-{number}" for number in range(2, 10_000))) if not (runs_dir() / name).exists())
