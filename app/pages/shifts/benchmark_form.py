"""The form that starts a benchmark: network, trained part, methods and splits."""

from typing import Any

import streamlit as st

from likeness.encoders import choose_device, remembered_speeds
from likeness.errors import InputError
from likeness.io import runs_dir
from likeness.shifts import SplitFile, write_splits
from likeness.studies import SHOTS, WHOLE_PRESET, ShiftNetwork, StudyConfig, StudyFolder, image_passes, row_configs, shift_methods, shift_study
from likeness.training import config_from, encoder_of, native_size, read_config
from pages.shifts.splits import Progression, choose_splits
from parts.config_access import resolve_backbone, resolve_config
from parts.errors import toast_errors
from parts.names import free_name, name_problem
from parts.networks import choose_network, network_of, network_title
from parts.plain import plain
from parts.progress import duration
from parts.sidebar import listed, readable
from parts.view import View
from server import trainings
from server.access import redact, shared_name
from state import Item

OWN = "own:"
METHODS = shift_methods()
_FIRST = ["Raw encoder", "Margin", "Multisimilarity", "ProxyAnchor"]
_HEAD, _WHOLE = "Embedding layer", "Whole network"
_EPOCHS = 5  # of the embedding layer
_HELP = {
    "part": "The embedding layer trains on features that the network computes once. The whole network gains more but takes far longer.",
    "methods": "  \n".join(f"**{name}:** {method.help}" for name, method in METHODS.items()),
    "count": "Splits with evenly spaced distances, from easy to hard.",
    "seeds": "How many times each run is repeated with another seed.",
    "epochs": "How many times a run passes over the training images.",
    "few_shot": f"Also measures the gain from adapting the trained network to {SHOTS} images of each test class.",
}


shown_key = Item[str | None](key="benchmark")  # of the benchmark that is shown
is_open = Item[bool | None](key="benchmark_form")  # this form


def show(view: View) -> None:
    """Draws the form; raises InputError for invalid splits."""
    st.caption(
        "On every split, each method is trained on the training classes and measured on the test classes. "
        "The benchmark continues when you leave this page or close the app."
    )
    shown = choose_splits(view)
    if shown is None:
        return
    if shown.classes is None:
        raise InputError(shown.problem)
    if len(shown.splits.splits) < 2:
        raise InputError("A benchmark needs at least two splits, and there is only one. Choose other splits.")
    network, problem = _choose_network(view)
    time = st.container()  # filled once it is known what runs
    methods = st.pills("Methods", list(METHODS), selection_mode="multi", default=_FIRST, **_kept("methods"))
    study, splits, misfit = _study(view, shown, network, [name for name in METHODS if name in methods])
    if study is not None and not problem:
        time.caption(_time(network, image_passes(row_configs(study).values(), splits, len(study.seeds), shown.images)))
    suggested = free_name("shifts", lambda name: (runs_dir() / name).exists())
    with st.container(horizontal=True, vertical_alignment="bottom"):
        name = st.text_input("Name", suggested, key=f"benchmark_name_{suggested}", width=260).strip()
        taken = f"There already is a benchmark or run named {name}. Choose another name." if name and (runs_dir() / name).exists() else ""
        wrong = name_problem(name) or taken or problem or misfit
        options: dict[str, Any] = {"key": "benchmark_start", "disabled": bool(wrong), "on_click": _begin, "args": (name, splits, study)}
        st.button("Start", type="primary", icon=":material/play_arrow:", **options)
    with st.container():
        if wrong:
            st.warning(plain(wrong), icon=":material/warning:")


def _kept(name: str) -> dict[str, Any]:
    return {"key": f"benchmark_{name}", "persist_state": "session", "help": _HELP[name.removesuffix("_whole")]}


def _choose_network(view: View) -> tuple[ShiftNetwork, str]:
    """Draws the fields; by default the network of the left map's space. Shows why that cannot be trained."""
    own, size, why = network_of(shared_name(view.a.encoder_name))
    with st.container(horizontal=True, vertical_alignment="bottom"):
        name = choose_network("Network", own, key=f"benchmark_network_{own}", width=340, persist_state="session")
        whole = st.segmented_control("Train", [_HEAD, _WHOLE], default=_HEAD, required=True, **_kept("part")) == _WHOLE
    if why:
        st.caption(f"{plain(why)} {plain(network_title(own))} is used instead.")
    try:
        return ShiftNetwork(name, size if name == own else native_size(resolve_backbone(name)), whole), ""
    except InputError as error:
        return ShiftNetwork(name, size, whole), redact(error)


def _time(network: ShiftNetwork, passes: int) -> str:
    """Shows image size and device, and the least duration if the network's speed was measured here.

    Args:
        network: the trained network.
        passes: image passes through it, from `likeness.studies.image_passes`.
    """
    facts = [f"Images are resized to the network's {network.image_size} x {network.image_size} pixels."]
    facts.append("Runs on the GPU of this machine." if choose_device("auto").type != "cpu" else "Runs on the processor, since there is no GPU.")
    speed = remembered_speeds().get(encoder_of(network.name))
    rate = f"{speed:,.0f}" if speed and speed >= 10 else f"{speed or 0:.2g}"
    least = f"at least {duration(passes / speed)} at the {rate} images a second measured here" if speed else ""
    if network.whole:
        facts.append(f"All runs together take {least}." if least else "All runs together can take from minutes to days.")
    else:
        facts.append(f"Features are computed once{f', which takes {least}' if least else ''}; then a run takes seconds.")
    return " ".join(facts)


def _study(view: View, shown: Progression, network: ShiftNetwork, methods: list[str]) -> tuple[StudyConfig | None, SplitFile, str]:
    """Draws the numbers; returns the study and its splits, or a sentence on what is invalid."""
    most, paper = len(shown.splits.splits), read_config(WHOLE_PRESET).epochs
    with st.container(horizontal=True, vertical_alignment="bottom"):
        splits = shown.splits.evenly(int(st.number_input("How many splits", 2, most, min(4, most), width=150, **_kept("count"))))
        seeds = int(st.number_input("Seeds", 1, 20, 2, width=130, **_kept("seeds")))
        epochs = ("epochs_whole", paper) if network.whole else ("epochs", _EPOCHS)
        passes = int(st.number_input("Epochs", 1, 1_000, epochs[1], width=130, **_kept(epochs[0])))
        few_shot = st.toggle("Few-shot", True, **_kept("few_shot"))
    raw = "Raw encoder" in methods
    runs = len(splits.splits) * ((len(methods) - raw) * seeds + raw)
    st.caption(f"{runs:,} runs on {len(splits.splits)} splits: {', '.join(f'{plain(split.name)} ({split.distance:.3g})' for split in splits)}.")
    if not methods:
        return None, splits, "Choose at least one method."
    labels, part = listed([readable(name).lower() for name in shown.attributes]), "every layer" if network.whole else "the embedding layer alone"
    trained = f"{network_title(network.name)}, {part}, on images of {network.image_size} px"
    note = f"{view.base.table.name}, by {labels}, on {len(splits.splits)} splits; {trained}."
    chosen = {name: METHODS[name] for name in methods}
    try:
        study = shift_study(view.entry.source, splits, shown.images, network, chosen, seeds=seeds, epochs=passes, few_shot=few_shot, note=note)
    except InputError as error:
        return None, splits, redact(error)
    return study, splits, ""


@toast_errors("The folder of runs cannot be written")
def _begin(name: str, splits: SplitFile, study: StudyConfig) -> None:
    folder = StudyFolder((runs_dir() / name).resolve())
    file = folder.path / "splits.json"

    def start() -> None:
        base = resolve_config(config_from(study.base)).model_dump(mode="json", exclude_unset=True)  # with whole paths
        write_splits(file, splits)
        folder.create(study.model_copy(update={"name": name, "splits": str(file), "base": base}))
        folder.begin()

    trainings.begin_training(folder.path, start)
    shown_key.set(OWN + name)
    is_open.set(False)
