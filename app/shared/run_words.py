"""Words and figures of runs as people read them."""

from typing import Any

import pandas as pd

from likeness.training.config import RunConfig
from likeness.training.runs.run_folder import Status
from shared.progress import duration

METRICS = {
    "recall_at_1": "R@1",
    "map_at_1000": "mAP@1000",
    "map_at_r": "MAP@R",
    "nmi": "NMI",
    "f1": "F1",
    "recall_at_2": "R@2",
    "recall_at_4": "R@4",
    "recall_at_8": "R@8",
    "recall_at_10": "R@10",
    "recall_at_100": "R@100",
    "recall_at_1000": "R@1000",
    "mean_label_distance_at_1": "Label distance at 1",
    "mean_label_distance_at_10": "Label distance at 10",
    "ndcg_at_10": "nDCG at 10",
    "ndcg_at_100": "nDCG at 100",
}
LOSSES = {"loss": "Loss", "loss_objective": "Objective", "loss_guidance": "Guidance"}
TOLD = {
    "recall_at_1": "R@1: of the test images, the share whose nearest neighbor is of the same class. No test class was trained.",
    "map_at_1000": "mAP@1000: how early images of the same class come among the first 1,000, averaged over the test images.",
    "map_at_r": "MAP@R: how many of the R images of the same class are among the R nearest, earlier ones counting more.",
    "nmi": "NMI: how well clusters of the embeddings agree with the test classes, 0 to 1.",
    "f1": "F1: of pairs in one cluster, how many are of one class, and the other way round.",
    "mean_label_distance_at_1": "Label distance at 1: how far the label of the nearest image lies from the query's; smaller is better.",
    "mean_label_distance_at_10": "Label distance at 10: how far the labels of the ten nearest images lie from the query's; smaller is better.",
    "ndcg_at_10": "nDCG at 10: how near the labels of the ten nearest images are, earlier ones counting more; 1 is the best possible order.",
    "ndcg_at_100": "nDCG at 100: how near the labels of the 100 nearest images are, earlier ones counting more; 1 is the best possible order.",
    "loss": "The loss of each batch: the objective, plus omega times the guidance.",
    "loss_objective": "The objective's part of the loss, on the labels alone.",
    "loss_guidance": "The distance of the batch's similarities from what language says, before it is weighted with omega.",
}
# Of which a smaller value is the better one.
FALLING = ("mean_label_distance_at_1", "mean_label_distance_at_10")
_OBJECTIVES = {"r-margin": "R-margin"}
STATES = {
    "new": ("Not started", "schedule"),
    "running": ("Running", "play_circle"),
    "stopped": ("Stopped", "pause_circle"),
    "finished": ("Finished", "check_circle"),
    "failed": ("Failed", "error"),
    "lost": ("Interrupted", "warning"),
}


def told(metric: str) -> str:
    """One sentence on a metric or a part of the loss."""
    k = metric.removeprefix("recall_at_")
    return TOLD.get(metric) or f"R@{k}: the share of test images with one of the same class among the {k} nearest."


def standing(status: Status) -> str:
    """How far a run is, in a few words."""
    if status.state == "running" and status.step == 0:
        return status.message or "Starting"
    done = f"{status.step:,} of {status.total:,} steps" if status.total else "no step yet"
    if status.state == "running":
        rate = status.step / status.seconds if status.seconds else 0.0
        return f"{done}, {duration((status.total - status.step) / rate)} left" if rate else done
    return f"{done}, {duration(status.seconds)}"


def objective(config: RunConfig) -> str:
    """`multisimilarity + S2SD`, `R-margin + uniform prior`, `DiVA on margin`."""
    chosen = config.objective
    name = _OBJECTIVES.get(chosen.name, chosen.name)
    if chosen.diva is not None:
        return f"DiVA on {name}"
    wrappers = (("S2SD", chosen.s2sd), ("uniform prior", chosen.uniform_prior))
    return " + ".join([name, *(words for words, options in wrappers if options is not None)])


def guidance(config: RunConfig) -> str:
    """`ELG, omega 5`, `PLG Top-5, omega 5`, or nothing."""
    chosen = config.guidance
    if chosen is None:
        return ""
    kind = f"PLG Top-{chosen.k}" if chosen.kind == "plg" else "ELG" if chosen.way == "match" else chosen.way
    return f"{kind}, omega {chosen.omega:g}"


def best(measured: pd.DataFrame, metric: str) -> float | None:
    """The best value of a metric in a run's `metrics`; None before its first evaluation."""
    if metric not in measured or not measured[metric].notna().any():
        return None
    return float(measured[metric].min() if metric in FALLING else measured[metric].max())


def value(shown: Any) -> str:
    """A config's value as people read it."""
    if shown is None:
        return "none"
    if isinstance(shown, bool):
        return "yes" if shown else "no"
    if isinstance(shown, list | tuple):
        return ", ".join(value(each) for each in shown) or "none"
    return f"{shown:g}" if isinstance(shown, float) else str(shown)
