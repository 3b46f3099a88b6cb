"""Convergence of runs: a metric by epoch (language guidance, Figure S1)."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd

from likeness.errors import InputError
from likeness.training import RunFolder, figure_names


def convergence(runs: Sequence[RunFolder], metric: str = "recall_at_1") -> pd.DataFrame:
    """The metric of runs by epoch, as in Figure S1 of "Integrating Language Guidance" (Roth et al., CVPR 2022).

    Runs are in the order of a legend; those without the metric have no row. InputError: no run, or none with the metric.

    Returns:
        Columns run, seed, epoch and the metric, a row per evaluation. `run` is the config's name, shared by the seeds of a config; if runs of the
        same name differ in more than the seed, or have the same seed, each is "NAME (FOLDER)".
    """
    if not runs:
        raise InputError("There are no runs to draw; start one with `likeness train`.")
    measured = [run.metrics() for run in runs]
    if not any(metric in frame for frame in measured):
        known = dict.fromkeys(name for frame in measured for name in figure_names(frame))
        raise InputError(f"No run has measured '{metric}'; measured so far: {', '.join(known) or 'nothing'}.")
    parts = [
        frame.dropna(subset=[metric]).assign(run=name, seed=run.config().seed)
        for run, name, frame in zip(runs, _names(runs), measured, strict=True)
        if metric in frame
    ]
    every = pd.concat(parts, ignore_index=True)[["run", "seed", "epoch", metric]]
    # an epoch is steps / steps per epoch; rounded, so that seeds agree
    return every.assign(epoch=every["epoch"].round(6))


def convergence_table(curves: pd.DataFrame, metric: str = "recall_at_1") -> pd.DataFrame:
    """Best value and speed of each run, by its mean over the seeds at each epoch; larger must be better.

    Returns:
        A row per run: run, seeds, best and "best ±" (standard deviation over the seeds there, ddof 0), epoch (of the best value, the first if tied),
            last (value at the last epoch), and match_epoch: the first epoch at which the run reaches the best value of the weakest run ("matching
            performance is reached much earlier").
    """
    means = {run: own.groupby("epoch")[metric].mean() for run, own in curves.groupby("run", sort=False)}
    weakest = min((mean.max() for mean in means.values()), default=float("nan"))
    lines = []
    for run, mean in means.items():
        own, epochs, values = curves[curves["run"] == run], mean.index.to_numpy(np.float64), mean.to_numpy()
        top = int(values.argmax())
        line: dict[str, Any] = {"run": run, "seeds": own["seed"].nunique(), "best": float(values[top])}
        line["best ±"] = float(own.loc[own["epoch"] == epochs[top], metric].std(ddof=0))
        lines.append(line | {"epoch": epochs[top], "last": float(values[-1]), "match_epoch": epochs[int((values >= weakest).argmax())]})
    return pd.DataFrame(lines, columns=["run", "seeds", "best", "best ±", "epoch", "last", "match_epoch"])


def _names(runs: Sequence[RunFolder]) -> list[str]:
    configs = [run.config() for run in runs]
    bare = [config.model_copy(update={"seed": 0, "device": "auto"}) for config in configs]
    names = []
    for run, config, own in zip(runs, configs, bare, strict=True):
        others = [(other.seed, plain) for other, plain in zip(configs, bare, strict=True) if other.name == config.name]
        seeds = [seed for seed, _ in others]
        alike = all(plain == own for _, plain in others) and len(set(seeds)) == len(seeds)
        names.append(config.name if alike else f"{config.name} ({run.name})")
    return names
