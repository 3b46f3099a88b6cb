"""Weights between those that a run started from and its best ones (WiSE-FT: Wortsman et al., CVPR 2022)."""

import os
from collections.abc import Sequence
from pathlib import Path

import pandas as pd
import torch

from likeness.encoders import choose_device
from likeness.errors import InputError
from likeness.evaluation import find_metric
from likeness.io import folder_kept_out
from likeness.progress import Progress, no_progress
from likeness.training.config import with_changes
from likeness.training.data.outputs import placed_on
from likeness.training.dist_context import SINGLE_PROCESS
from likeness.training.loop.callback import RunCallback
from likeness.training.loop.given_objects import NOTHING_GIVEN
from likeness.training.loop.prepare import prepare_run
from likeness.training.runs.query_figures import copy_queries
from likeness.training.runs.run_encoder import load_network
from likeness.training.runs.run_folder import RunFolder, Status, checkpoint_figures

ALPHAS = tuple(step / 10 for step in range(11))


@folder_kept_out()
def mix_run(run: RunFolder, folder: Path | str, alphas: Sequence[float] = ALPHAS, progress: Progress | None = None) -> pd.DataFrame:
    """Writes the mixture of a run that is best on its held-out images as a finished run, an encoder like any other.

    The weights are (1 - alpha) times those before training plus alpha times the best ones. Of several alphas the one with the best selection metric
    on the validation images is kept, the smallest of equals; the test images are measured with it alone.

    Returns:
        A row for each alpha, in ascending order: alpha, kept, the metrics of the validation images, and of the one that is kept those of the test
        images.

    Raises:
        InputError: the run has no weights yet, an embedding layer that was drawn at random, or no validation images to choose by; or `folder` exists.
    """
    config, out = with_changes(run.config(), {"backbone.lora": None}), RunFolder(folder)
    if not run.best.is_file():
        raise InputError(f"The run '{run.path}' has no weights yet; let it continue to its first evaluation.")
    if config.backbone.dim is not None:
        raise InputError("This run's embedding layer started at random, so that nothing useful lies between; train with backbone.dim: null.")
    if len(alphas) > 1 and not config.data.holds_out:
        raise InputError("This run held no images out to choose by; train with data.validation, or choose one alpha yourself.")
    if out.path.exists():
        raise InputError(f"The folder '{out.path}' exists already; choose another folder.")
    progress = progress or no_progress
    ready = prepare_run(config, SINGLE_PROCESS, NOTHING_GIVEN, progress)
    network, best = ready.module.network, load_network(run).state_dict()
    callback = RunCallback(ready, out, SINGLE_PROCESS, os.getpid(), 0.0, progress)
    start = {name: value.clone() for name, value in network.state_dict().items() if name in best and value.is_floating_point()}
    trained = checkpoint_figures(run.metrics(), config.selection_metric, "best")
    rows: list[dict[str, float]] = []
    out.create(config)
    copy_queries(run, out)  # those before training stay
    metric, chosen = find_metric(config.selection_metric), f"validation_{config.selection_metric}"

    def load(alpha: float) -> None:
        network.load_state_dict({name: value.lerp(best[name], alpha) for name, value in start.items()}, strict=False)

    with placed_on(ready.module, torch.device(choose_device(config.device))):
        for number, alpha in enumerate(sorted(alphas), start=1):
            load(alpha)
            rows.append({"alpha": alpha} | callback.validation_figures(ready.module))
            progress(number, len(alphas), "Evaluating mixtures")
        kept = rows[0]
        for row in rows[1:]:
            kept = row if metric.better(row[chosen], kept[chosen]) else kept
        load(kept["alpha"])
        callback.step = int(trained.get("step", 0))
        kept |= callback.evaluate(ready.module)
    # one measurement, at the place of the weights that were mixed, so that curves and tables show what was kept
    out.append_metrics({"step": trained.get("step", 0), "epoch": trained.get("epoch", 0.0)} | kept)
    figures = checkpoint_figures(out.metrics(), config.selection_metric, "best")
    out.write_report({"name": config.name, "mixture of": run.name, "alpha": kept["alpha"], "best": figures})
    before = run.status()
    out.report_status(Status("finished", before.step, before.total, f"Mixture of {run.name}, alpha {kept['alpha']:g}."))
    found = pd.DataFrame(rows).drop(columns="best_of")
    found.insert(1, "kept", found["alpha"] == kept["alpha"])
    return found
