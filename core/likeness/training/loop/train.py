"""A run from config to report: prepared, trained, evaluated, kept; stopped and resumed at any step; in one process or several."""

import contextlib
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any, NoReturn

import numpy as np
import torch
from numpy.typing import NDArray
from torch.utils.data import DataLoader

from likeness.errors import InputError
from likeness.labels import nearest_labels
from likeness.progress import Progress, no_progress
from likeness.samplers import ClassBatches, NeighbourBatches
from likeness.threads import threads_for
from likeness.training.config import RunConfig
from likeness.training.data.outputs import stored_outputs
from likeness.training.data.pixels import Pixels, load_pixels
from likeness.training.data.run_data import Batches, Remaining
from likeness.training.data.run_images import RunImages, run_images
from likeness.training.guidance.language_side import build_guidance
from likeness.training.loop.launch import launch
from likeness.training.loop.memory import keep_memory
from likeness.training.loop.module import RunModule, build_objective
from likeness.training.loop.objects import NOTHING_GIVEN, GivenObjects, config_with, require_here
from likeness.training.loop.place import Place, started_outside
from likeness.training.loop.trainer import build_trainer, lost_companion, place_of, quietly
from likeness.training.loop.watch import Watch, Work
from likeness.training.network.batch_norm import shared_batch_norm
from likeness.training.network.network import EmbeddingNetwork, build_network
from likeness.training.runs.run_folder import RunFolder, Status


def train(
    config: RunConfig, folder: Path | str, progress: Progress | None = None, *, loss: Any = None, miner: Any = None, language: Any = None
) -> RunFolder:
    """Trains, or goes on with, the run of this config in this folder.

    Killed at any moment and called again, it ends with the weights of an undisturbed run (on the same machine): batches, crops and drawn
    tuples are functions of the seed and the step, and a checkpoint holds the rest. With several processes, and after a change of their
    number, the weights are those of one process but for the rounding of sums; where layers inside the network draw numbers (dropout,
    stochastic depth), they draw others.

    Args:
        config: what to do.
        folder: where the run lies or will lie.
        progress: called with (done, total, what is being done).
        loss: an object in place of the config's objective: a module or a function (embeddings (n, d), labels (n,)) -> scalar, whose parameters
            are trained too. Labels are class numbers, or label distances (a, n) of the first a rows where the config's objective reads those.
            The saved config calls it "custom", and the run is resumed with the object only.
        miner: an object in place of the objective's own miner: (embeddings, labels) -> (anchors, positives, negatives), row numbers. A loss
            given as an object then takes these as a third argument, as the losses of pytorch-metric-learning do.
        language: for guidance, an object with `encode_texts`, or several, in place of the language models of the config.

    Returns:
        The run; its status is "finished", or "stopped" where a stop was asked for.

    Raises:
        InputError: anything in config or data that does not fit, a folder with another run, a loss that is not finite, a process of several
            that is gone. The status then says so, and the last checkpoint stays.
    """
    progress = progress or no_progress
    given = GivenObjects(loss, miner, language)
    config = config_with(config, given)
    if config.processes > 1 and not started_outside():
        require_here(given, config.processes)
        return launch(config, folder, progress)
    return train_here(config, folder, progress, given=given)


def train_here(config: RunConfig, folder: Path | str, progress: Progress, owner: int | None = None, given: GivenObjects = NOTHING_GIVEN) -> RunFolder:
    """`train` in this process, which may be one of several that were started together.

    Args:
        config, folder, progress: as for `train`.
        owner: the process that has taken up the run and that its status is to name; None: this one, which takes it up.
        given: objects in place of names, of which the config says so.
    """
    place, run = place_of(config), RunFolder(folder)
    if not place.first:
        return _assist(config, run, place, given)
    before = run.take_up(config) if owner is None else run.status()
    try:
        return _train(config, run, place, before, progress, owner or os.getpid(), given)
    except InputError as error:
        run.fail(str(error))
        raise
    except OSError as error:
        told = f"Writing or reading failed: {error.strerror or error}; make room on the disk and resume the run."
        with contextlib.suppress(OSError):
            run.fail(told)
        raise InputError(told) from error
    except (KeyboardInterrupt, SystemExit):  # Lightning answers an interruption by leaving the program
        run.end("stopped", "Interrupted; resume the run to go on.")
        raise KeyboardInterrupt from None
    except Exception as error:
        with contextlib.suppress(OSError):
            run.fail(f"Ended by {type(error).__name__}: {error}")
        raise


def _assist(config: RunConfig, run: RunFolder, place: Place, given: GivenObjects) -> RunFolder:
    """The run in a process that is not the first; what all processes meet together, the first one tells."""
    try:
        return _train(config, run, place, Status(), no_progress, os.getpid(), given)
    except InputError:
        if torch.distributed.is_initialized():
            _leave()
        raise


def _leave() -> NoReturn:
    raise SystemExit(2)


def _train(config: RunConfig, run: RunFolder, place: Place, before: Status, progress: Progress, owner: int, given: GivenObjects) -> RunFolder:
    images = run_images(config.data, config.seed)
    torch.manual_seed(config.seed)
    network = shared_batch_norm(build_network(config.backbone), place)
    if not config.unit_embeddings:
        network.free_length(anew=config.backbone.dim is not None)
    # the others end with the first one; a stop asked for before this run may still lie there when they look
    inputs = _inputs(config, images, network, progress, run.stop_requested if place.first else None)
    batches, epoch = _batches(config, images, progress)
    objective = build_objective(config.objective, len(images.train_classes), network.head.out_features, network.feature_dim, given)
    guidance = build_guidance(config, images, progress, network, given.language) if config.guidance else None
    if config.backbone.head_only:
        network.backbone = None
    module = RunModule(network, objective, guidance, config, epoch, place)
    views = "view" in module.reads
    watch = Watch(Work(config, run, images, inputs, place, owner), epoch, before.seconds, progress)
    _fit(config, run, module, Batches(inputs, images, batches, config.data.image_size, config.augment, config.seed, views, place), watch)
    if place.first:
        _conclude(config, run, module, watch)
    return run


def _conclude(config: RunConfig, run: RunFolder, module: RunModule, watch: Watch) -> None:
    state = "stopped" if watch.stopped else "finished"
    if state == "finished":
        figures = watch.final(module)
        run.write_report({"name": config.name, "seconds": round(watch.seconds(), 1), "steps": watch.total} | figures)
    run.report_status(Status(state, watch.step, watch.total, "", 0, watch.seconds()))


def _batches(config: RunConfig, images: RunImages, progress: Progress) -> tuple[ClassBatches | NeighbourBatches, int]:
    """The batches, and how many make an epoch."""
    batch = config.batch
    if not config.objective.continuous:
        if config.data.split == "images":  # measured, not trained
            return ClassBatches([0, 0, 1, 1], 4, 2), 1
        return ClassBatches(images.labels[images.train], batch.size, batch.per_class, config.seed), max(1, len(images.train) // batch.size)
    assert images.distances is not None
    count = batch.pool or batch.nearest
    nearest = nearest_labels(images.distances, images.train, count, progress, seed=config.seed)
    anchors = batch.size if batch.anchors == "all" else batch.drawn
    found = NeighbourBatches(nearest, batch.size, batch.nearest, batch.drawn, anchors, config.seed)
    return found, found.epoch


def _inputs(
    config: RunConfig, images: RunImages, network: EmbeddingNetwork, progress: Progress, should_stop: Callable[[], bool] | None
) -> "Pixels | NDArray[np.float32]":
    pixels = load_pixels(images.table, config.data.image_size, progress, should_stop)
    if not config.backbone.head_only:
        return pixels
    everything = np.arange(len(images.table))
    return stored_outputs(network, pixels, everything, config.data.image_size, progress)


def _fit(config: RunConfig, run: RunFolder, module: RunModule, data: Batches, watch: Watch) -> None:
    from lightning.pytorch.loggers import TensorBoardLogger

    resumed = run.checkpoint.is_file()
    start = _checked_step(run.checkpoint) if resumed else 0
    watch.begin(start)
    loader = DataLoader(data, batch_size=None, sampler=Remaining(start, watch.total))
    with quietly():
        logger = TensorBoardLogger(run.path, "tensorboard", version="")
        trainer = build_trainer(config, max_steps=watch.total, max_epochs=1, callbacks=[watch], logger=logger, log_every_n_steps=1)
        if start < watch.total:
            keep_memory()
            with threads_for(_multiply_adds(config, module)):
                try:
                    trainer.fit(module, loader, ckpt_path=run.checkpoint if resumed else None, weights_only=True if resumed else None)
                except RuntimeError as error:
                    lost = lost_companion(trainer, error) if watch.place.together else ""
                    if not lost:
                        raise
                    raise InputError(lost) from error
        elif resumed:
            module.load_state_dict(torch.load(run.checkpoint, weights_only=True)["state_dict"])
        elif watch.place.first:
            watch.measure_untrained(module)


def _multiply_adds(config: RunConfig, module: RunModule) -> float:
    """Of a step's largest product; a whole backbone counts as large."""
    return config.batch.size * module.network.head.weight.numel() if config.backbone.head_only else float("inf")


def _checked_step(file: Path) -> int:
    try:
        return int(torch.load(file, weights_only=True)["global_step"])
    except (RuntimeError, KeyError, EOFError, ValueError, OSError) as error:
        raise InputError(f"The checkpoint '{file}' cannot be read ({error}); delete it to start the run anew.") from error
