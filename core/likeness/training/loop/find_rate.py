"""Learning rate finder: the loss while the rate rises from step to step (Smith, WACV 2017).

Lightning's finder gives all parameter groups the same rate, but runs have several, such as that of proxies; here they rise together.
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

# decay of the moving average of losses; the search ends when it is so many times its minimum
_KEPT, _DIVERGED = 0.9, 4.0
_FEWEST = 10


class RateSearch(NamedTuple):
    """Losses along rising rates.

    Attributes:
        rates, losses: (k,) learning rates of the network, and losses of the steps with them, each on another batch.
        suggestion: the rate at which the smoothed loss falls most steeply, over the logarithm of the rate.
    """

    rates: NDArray[np.float64]
    losses: NDArray[np.float64]
    suggestion: float

    def frame(self) -> pd.DataFrame:
        """A row per step: rate, loss, and smoothed loss."""
        return pd.DataFrame({"rate": self.rates, "loss": self.losses, "smoothed": smoothed(self.losses)})


def find_rate(
    config: RunConfig, low: float = 1e-7, high: float = 1.0, steps: int = 100, progress: Progress | None = None, given: GivenObjects = NOTHING_GIVEN
) -> RateSearch:
    """Trains for some steps while the rate rises exponentially; writes no run and keeps no weights.

    Ignores the config's rate and schedule; rates of parts (`rate_head`, `proxy_rate` ...) stay in proportion. Ends early if the loss grows fourfold
    or is no longer finite. `progress` is called with (step, steps, stage).

    InputError: an empty range, fewer than 10 steps, several processes, or a loss that diverges before the tenth step.
    """
    if not 0 < low < high:
        raise InputError(f"The rates rise from {low:g} to {high:g}, but the first must be above 0 and below the last.")
    if steps < _FEWEST:
        raise InputError(f"{steps} steps are too few; use at least {_FEWEST}.")
    if config.processes > 1:
        raise InputError(f"The rate finder uses one process, but the config has {config.processes}; set devices and nodes to 1.")
    report = progress or no_progress
    # no schedule, and enough epochs for the sampler, which makes batches by number
    searched = with_changes(config, {"optimizer.warmup": 0, "optimizer.plateau": None, "optimizer.milestones": [], "epochs": max(1, config.epochs)})
    ready = prepare_run(searched, dist_context_of(searched), given, report, kind=_rising(np.geomspace(low, high, steps)))
    losses = _Losses(steps, report)
    with silence_lightning():
        trainer = build_trainer(searched, max_steps=steps, max_epochs=1, callbacks=[losses], logger=False)
        retain_freed_memory()
        try:
            trainer.fit(ready.module, ready.loader(trainer.strategy.root_device, 0, steps))
        finally:
            ready.release_images()
    return rate_search(np.geomspace(low, high, steps), np.array(losses.found))


def rate_search(rates: NDArray[np.float64], losses: NDArray[np.float64]) -> RateSearch:
    """The result for rates (n,) and the losses (k,) of the first k. InputError: fewer than 10 losses are finite."""
    finite = np.isfinite(losses)
    count = len(losses) if finite.all() else int(finite.argmin())
    if count < _FEWEST:
        raise InputError(f"The loss already diverges at a rate of {rates[min(count, len(rates) - 1)]:g}; start below {rates[0]:g}.")
    means = smoothed(losses[:count])
    slopes = np.gradient(means, np.log(rates[:count]))
    lowest = max(1, int(means.argmin()))  # after the minimum, the loss only falls from where it has risen before
    return RateSearch(rates[:count], losses[:count], float(rates[int(slopes[: lowest + 1].argmin())]))


def smoothed(losses: NDArray[np.float64]) -> NDArray[np.float64]:
    """Exponential moving average of losses (k,), with bias correction."""
    return pd.Series(losses).ewm(alpha=1 - _KEPT).mean().to_numpy()


class _Losses(Callback):
    def __init__(self, steps: int, progress: Progress) -> None:
        self.steps, self.progress = steps, progress
        self.found: list[float] = []

    def on_train_batch_end(self, trainer: Any, module: Any, outputs: Any, batch: Any, number: int) -> None:
        if trainer.global_step > len(self.found):
            self.found.append(module.figures.values[2].item())
            self.progress(len(self.found), self.steps, "Searching for a rate")
            means = smoothed(np.array(self.found))
            trainer.should_stop = not np.isfinite(self.found[-1]) or (len(means) >= _FEWEST and means[-1] > _DIVERGED * abs(means.min()))


def _rising(rates: NDArray[np.float64]) -> type[RunModule]:
    class Rising(RunModule):
        """A module whose rate rises from step to step, whatever its config."""

        def rate(self) -> float:
            return float(rates[min(self.global_step, len(rates) - 1)])

        def check_finite(self, value: float) -> None:
            """Does nothing: the search expects divergence."""

    return Rising
