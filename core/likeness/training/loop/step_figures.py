"""Losses of training steps, fetched from the device in groups, since each fetch makes the device wait for the program."""

import math
import time
from typing import Any, NamedTuple

import torch
from torch import Tensor

# steps, and seconds, between fetches from an asynchronous device
_STEPS, _SECONDS = 50, 0.5


class StepFigures(NamedTuple):
    """Figures of a step: names of the losses, and on the device (2 + losses,) the sum of the embeddings, whether they differ, and the losses."""

    names: tuple[str, ...]
    values: Tensor

    @classmethod
    def of(cls, embeddings: Tensor, losses: dict[str, Tensor]) -> "StepFigures":
        differ = (embeddings != embeddings[:1]).any() if len(embeddings) > 1 else torch.ones((), dtype=torch.bool, device=embeddings.device)
        return cls(tuple(losses), torch.stack([value.to(embeddings.dtype) for value in (embeddings.sum(), differ, *losses.values())]))


def mean_figures(batches: list[StepFigures]) -> StepFigures:
    """Means over the batches of one step."""
    return batches[0]._replace(values=torch.stack([each.values for each in batches]).mean(dim=0))


class PendingSteps:
    """Rows of metrics, in order of steps, that wait for their losses; processes that train `together` must fetch after the same steps."""

    def __init__(self, together: bool = False) -> None:
        self.together, self._fetched = together, time.perf_counter()
        self._waiting: list[tuple[dict[str, Any], StepFigures]] = []

    def add(self, row: dict[str, Any], figures: StepFigures) -> bool:
        """Adds a step's row, with "step" and "rate"; returns whether to fetch the rows now."""
        self._waiting.append((row, figures))
        if not is_asynchronous(figures.values.device) or len(self._waiting) >= _STEPS:
            return True
        return not self.together and time.perf_counter() - self._fetched > _SECONDS

    def take(self) -> tuple[list[dict[str, Any]], str]:
        """The rows with their losses, up to the first failed step, and a message about it; empty if none failed."""
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
    """Whether the device computes asynchronously, so that fetching has to wait."""
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
