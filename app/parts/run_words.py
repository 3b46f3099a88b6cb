"""Words and figures of runs as people read them."""

from typing import Any

from likeness.evaluation import find_metric
from likeness.losses import OBJECTIVES, WRAPPERS
from likeness.training import Checkpoint, RunConfig, Status
from parts.progress import duration
from server.access import redact

LOSSES = {"loss": "Loss", "loss_objective": "Objective", "loss_guidance": "Guidance"}
LOSS_HELP = {
    "loss": "The loss of each batch: the objective, plus omega times the guidance.",
    "loss_objective": "The objective's part of the loss, on the labels alone.",
    "loss_guidance": "The distance of the batch's similarities from what language says, before it is weighted with omega.",
}
CHECKPOINTS: dict[Checkpoint, str] = {"best": "Best weights", "last": "Last weights"}
STATES = {
    "new": ("Not started", "schedule"),
    "running": ("Running", "play_circle"),
    "stopped": ("Stopped", "pause_circle"),
    "finished": ("Finished", "check_circle"),
    "failed": ("Failed", "error"),
    "lost": ("Interrupted", "warning"),
}


def metric_help(metric: str) -> str:
    """One sentence on a metric or a part of the loss."""
    return LOSS_HELP[metric] if metric in LOSS_HELP else f"{find_metric(metric).title}: {find_metric(metric).help}"


def standing(status: Status) -> str:
    """How far a run is, in a few words."""
    if status.state == "running" and status.step == 0:
        return redact(status.message or "Starting")
    done = f"{status.step:,} of {status.total:,} steps" if status.total else "no step yet"
    if status.state == "running":
        rate = status.step / status.seconds if status.seconds else 0.0
        return f"{done}, {duration((status.total - status.step) / rate)} left" if rate else done
    return f"{done}, {duration(status.seconds)}"


def objective(config: RunConfig) -> str:
    """`Multisimilarity + S2SD`, `R-margin + uniform prior`, `Margin + DiVA`."""
    chosen = config.objective
    around = [wrapper.title for name, wrapper in WRAPPERS.items() if getattr(chosen, name) is not None]
    return " + ".join([OBJECTIVES[chosen.name].title, *around])


def guidance(config: RunConfig) -> str:
    """`ELG, omega 5`, `PLG Top-5, omega 5, shuffled`, or nothing."""
    chosen = config.guidance
    if chosen is None:
        return ""
    kind = f"PLG Top-{chosen.k}" if chosen.kind == "plg" else "ELG" if chosen.method == "match" else chosen.method
    control = {"none": "", "shuffled": ", shuffled", "flat": ", flat target"}[chosen.control]
    return f"{kind}, omega {chosen.omega:g}{control}"


def checkpoint_help(which: Checkpoint, configs: list[RunConfig]) -> str:
    """What the figures of a checkpoint are of, in runs of these configs."""
    if which == "last":
        return "Figures of the last evaluation so far. The weights that a run keeps and exports can be earlier, better ones."
    judges = " or ".join(sorted({_best_by(config) for config in configs}))
    best = f"those with the {judges} so far on"
    ways = [
        (f"{best} validation images, which are neither trained nor tested on", lambda data: data.validation > 0),
        (f"{best} the test images, as the settings say, so these figures are too good", lambda data: data.select_on_test),
        ("the latest, since no validation images choose between them (data.validation)", lambda data: not (data.validation or data.select_on_test)),
    ]
    found = [words for words, applies in ways if any(applies(config.data) for config in configs)]
    return f"Figures of the weights that each run keeps: {'; or '.join(found)}."


def _best_by(config: RunConfig) -> str:
    metric = find_metric(config.selection_metric)
    if metric.larger_is_better is False:
        return f"smallest {metric.title[0].lower()}{metric.title[1:]}"
    return f"highest {metric.title}"


def value(shown: Any) -> str:
    """A config's value as people read it."""
    if shown is None:
        return "none"
    if isinstance(shown, bool):
        return "yes" if shown else "no"
    if isinstance(shown, list | tuple):
        return ", ".join(value(each) for each in shown) or "none"
    return f"{shown:g}" if isinstance(shown, float) else str(shown)
