"""A learning rate to begin with: the loss while the rate rises from step to step (Smith, WACV 2017).

Lightning's own finder gives all parameter groups one rate, and runs have several, such as that of proxies; here they rise together.
"""

from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from lightning import Callback
from numpy.typing import NDArray

from likeness.errors import InputError
from likeness.progress import Progress, no_progress
from likeness.training.config import RunConfig, with_changes
from likeness.training.loop.given_objects import NOTHING_GIVEN, GivenObjects
from likeness.training.loop.module import RunModule
from likeness.training.loop.prepare import prepare_run
from likeness.training.loop.trainer import build_trainer, dist_context_of, retain_freed_memory, silence_lightning

# The mean of losses that moves along with the steps keeps this share of what it was; the search ends where it is so many times its lowest value.
_KEPT, _DIVERGED = 0.9, 4.0
_FEWEST = 10


class RateSearch(NamedTuple):
    """Losses along rising rates.

    Attributes:
        rates, losses: (k,) of the network, and of the steps with them, each on a batch of its own.
        suggestion: the rate at which the mean of the losses falls most steeply, over the logarithm of the rate.
    """

    rates: NDArray[np.float64]
    losses: NDArray[np.float64]
    suggestion: float

    def frame(self) -> pd.DataFrame:
        """A row per step: rate, loss, and smoothed, the mean that moves along."""
        return pd.DataFrame({"rate": self.rates, "loss": self.losses, "smoothed": smoothed(self.losses)})


def find_rate(
    config: RunConfig, low: float = 1e-7, high: float = 1.0, steps: int = 100, progress: Progress | None = None, given: GivenObjects = NOTHING_GIVEN
) -> RateSearch:
    """Trains for some steps while the rate rises evenly on the scale of its logarithm; no run is written, and no weights are kept.

    The config's own rate and schedule do not count; rates of parts (`rate_head`, `proxy_rate` ...) stay in proportion. There are fewer steps where
    the loss grows fourfold or is no longer finite. `progress` is called with (step, steps, what is being done).

    InputError: a range that is none, fewer than 10 steps, several processes, or a loss that diverges before the tenth step.
    """
    if not 0 < low < high:
        raise InputError(f"The rates rise from {low:g} to {high:g}, but the first one must be above 0 and below the last.")
    if steps < _FEWEST:
        raise InputError(f"{steps} steps say too little of the rate; take at least {_FEWEST}.")
    if config.processes > 1:
        raise InputError(f"The rate is looked for in one process, and the config has {config.processes}; set devices and nodes to 1.")
    told = progress or no_progress
    # no schedule, and enough epochs for the sampler, which is asked for batches by number
    searched = with_changes(config, {"optimizer.warmup": 0, "optimizer.plateau": None, "optimizer.milestones": [], "epochs": max(1, config.epochs)})
    ready = prepare_run(searched, dist_context_of(searched), given, told, kind=_rising(np.geomspace(low, high, steps)))
    losses = _Losses(steps, told)
    with silence_lightning():
        trainer = build_trainer(searched, max_steps=steps, max_epochs=1, callbacks=[losses], logger=False)
        retain_freed_memory()
        try:
            trainer.fit(ready.module, ready.loader(trainer.strategy.root_device, 0, steps))
        finally:
            ready.release_images()
    return rate_search(np.geomspace(low, high, steps), np.array(losses.found))


def rate_search(rates: NDArray[np.float64], losses: NDArray[np.float64]) -> RateSearch:
    """What rates (n,) and the losses (k,) of the first k of them say; InputError where fewer than 10 losses are finite."""
    finite = np.isfinite(losses)
    count = len(losses) if finite.all() else int(finite.argmin())
    if count < _FEWEST:
        raise InputError(f"The loss diverges at a rate of {rates[min(count, len(rates) - 1)]:g} already; begin lower than {rates[0]:g}.")
    means = smoothed(losses[:count])
    slopes = np.gradient(means, np.log(rates[:count]))
    lowest = max(1, int(means.argmin()))  # beyond it a loss can fall only from where it has risen to
    return RateSearch(rates[:count], losses[:count], float(rates[int(slopes[: lowest + 1].argmin())]))


def smoothed(losses: NDArray[np.float64]) -> NDArray[np.float64]:
    """The mean of losses (k,) that moves along, corrected for its beginning."""
    return pd.Series(losses).ewm(alpha=1 - _KEPT).mean().to_numpy()


class _Losses(Callback):
    def __init__(self, steps: int, progress: Progress) -> None:
        self.steps, self.progress = steps, progress
        self.found: list[float] = []

    def on_train_batch_end(self, trainer: Any, module: Any, outputs: Any, batch: Any, number: int) -> None:
        if trainer.global_step > len(self.found):
            self.found.append(module.figures.values[2].item())
            self.progress(len(self.found), self.steps, "Looking for a rate")
            means = smoothed(np.array(self.found))
            trainer.should_stop = not np.isfinite(self.found[-1]) or (len(means) >= _FEWEST and means[-1] > _DIVERGED * abs(means.min()))


def _rising(rates: NDArray[np.float64]) -> type[RunModule]:
    class Rising(RunModule):
        """A module whose rate rises from step to step, whatever its config says."""

        def rate(self) -> float:
            return float(rates[min(self.global_step, len(rates) - 1)])

        def check_finite(self, value: float) -> None:
            """Nothing: to diverge is what the search is for."""

    return Rising
