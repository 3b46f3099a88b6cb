"""The figures of training steps, which stay on the device until many are fetched at once: each fetch would make the device wait for the program."""

import math
import time
from typing import Any, NamedTuple

import torch
from torch import Tensor

# Steps, and seconds, after which figures are fetched from a device that computes while the program goes on.
_STEPS, _SECONDS = 50, 0.5


class StepFigures(NamedTuple):
    """What is to be known of a step: names of the losses; on the device (2 + losses,) the sum of the embeddings, whether they differ, the losses."""

    names: tuple[str, ...]
    values: Tensor

    @classmethod
    def of(cls, embeddings: Tensor, losses: dict[str, Tensor]) -> "StepFigures":
        differ = (embeddings != embeddings[:1]).any() if len(embeddings) > 1 else torch.ones((), dtype=torch.bool, device=embeddings.device)
        return cls(tuple(losses), torch.stack([value.to(embeddings.dtype) for value in (embeddings.sum(), differ, *losses.values())]))


def mean_figures(batches: list[StepFigures]) -> StepFigures:
    """Of a step whose gradients come from several batches: the means over them."""
    return batches[0]._replace(values=torch.stack([each.values for each in batches]).mean(dim=0))


class PendingSteps:
    """Rows of metrics in the order of their steps, which wait for their losses; processes that train `together` must fetch after the same steps."""

    def __init__(self, together: bool = False) -> None:
        self.together, self._fetched = together, time.perf_counter()
        self._waiting: list[tuple[dict[str, Any], StepFigures]] = []

    def add(self, row: dict[str, Any], figures: StepFigures) -> bool:
        """Adds a step's row, with "step" and "rate"; true where the rows should be taken now."""
        self._waiting.append((row, figures))
        if not is_asynchronous(figures.values.device) or len(self._waiting) >= _STEPS:
            return True
        return not self.together and time.perf_counter() - self._fetched > _SECONDS

    def take(self) -> tuple[list[dict[str, Any]], str]:
        """The rows with their losses, up to the first step that went wrong, and what is to be said of that; empty where none did."""
        waiting, self._waiting, self._fetched = self._waiting, [], time.perf_counter()
        if not waiting:
            return [], ""
        values = torch.stack([figures.values for _, figures in waiting]).tolist()
        rows: list[dict[str, Any]] = []
        for (row, figures), (total, differ, *losses) in zip(waiting, values, strict=True):
            if message := _wrong(row, (total, losses[0]), bool(differ)):
                return rows, message
            rows.append(row | dict(zip(figures.names, losses, strict=True)))
        return rows, ""


def is_asynchronous(device: torch.device) -> bool:
    """Whether the device computes while the program goes on, which has to wait for what it fetches."""
    return device.type != "cpu"


def diverged(value: float, step: int, rate: float) -> str:
    return f"The loss is {value} at step {step}; choose a smaller learning rate than {rate:g}. The last checkpoint is from before."


def _wrong(row: dict[str, Any], values: tuple[float, float], differ: bool) -> str:
    for value in values:
        if not math.isfinite(value):
            return diverged(value, row["step"], row["rate"])
    if differ:
        return ""
    return (
        f"All images of a batch have the same embedding at step {row['step']}: training has collapsed. Choose a smaller learning rate than "
        f"{row['rate']:g}."
    )
