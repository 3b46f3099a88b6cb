"""Trains a run from config to report, in one process or several; can be stopped and resumed at any step."""

import contextlib
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import torch
from lightning import Callback

from likeness.data import ImageTable
from likeness.errors import InputError
from likeness.io import folder_kept_out
from likeness.progress import Progress, no_progress
from likeness.threads import threads_for
from likeness.training.config import RunConfig
from likeness.training.data.outputs import placed_on
from likeness.training.dist_context import DistContext, launched_externally
from likeness.training.loop.callback import RunCallback, ends_early
from likeness.training.loop.given_objects import NOTHING_GIVEN, GivenObjects, config_with, require_here
from likeness.training.loop.launch import launch
from likeness.training.loop.loggers import build_loggers, close_loggers
from likeness.training.loop.module import RunModule
from likeness.training.loop.prepare import ReadyRun, prepare_run
from likeness.training.loop.trainer import build_trainer, dist_context_of, lost_process_message, retain_freed_memory, silence_lightning
from likeness.training.runs.run_folder import RunFolder, State, Status

# what Lightning needs to resume, besides the step
_STATE = ("state_dict", "loops", "optimizer_states", "lr_schedulers")
_NO_BFLOAT16 = "This processor has no instructions for bfloat16, so bf16-mixed is slower than precision 32 here."
_SMALL_IMAGE = 32  # minimum side in pixels at which the last of five halvings still sees more than one pixel


@folder_kept_out()
def train(
    config: RunConfig,
    folder: Path | str,
    progress: Progress | None = None,
    *,
    loss: Any = None,
    miner: Any = None,
    language: Any = None,
    backbone: Any = None,
    callbacks: Sequence[Callback] = (),
    data: ImageTable | None = None,
    sampler: Any = None,
    transform: Any = None,
) -> RunFolder:
    """Trains or resumes the run of this config in this folder.

    A run that is killed and resumed ends with the weights of an uninterrupted run (on the same machine): batches, crops and mined tuples
    are functions of the seed and the step, and a checkpoint holds the rest. With several processes, and after a change of their number,
    the weights are those of one process up to the rounding of sums, except that layers with random numbers (dropout, stochastic depth)
    draw others.

    Args:
        folder, progress: the run's folder; called with (done, total, stage).
        loss: replaces the config's objective: a module or a function (embeddings (n, d), labels (n,)) -> scalar, whose parameters are trained, too.
            Labels are class numbers, or label distances (a, n) of the first a rows if the config's objective reads those. The saved config calls it
            "custom", and the run can only be resumed with the object.
        miner: replaces the objective's miner: (embeddings, labels) -> (anchors, positives, negatives), row numbers. A `loss` object then takes these
            as a third argument, like the losses of pytorch-metric-learning.
        language: for guidance, an object with `encode_texts`, or several, instead of the config's language models.
        backbone: replaces the config's backbone: a module from images (n, 3, s, s), normalized by ImageNet's mean and standard deviation, to features
            (n, f). The run's weights then need that module.
        callbacks: Lightning callbacks, called before the run's own; to stop the run, use `RunFolder.request_stop`.
        data: images to train and test on, instead of data.source.
        sampler: replaces the batches: called with the class numbers (n,) of the training images, it returns an object whose `batch(number)` gives
            the places (size,) of a batch among these, the same for a number in every call.
        transform: replaces the config's transforms: a crop (3, s, s) with values 0 to 1 -> one of the same size. It should draw its random numbers
            from torch, which is seeded for each image.

    Returns:
        The run; its status is "finished", or "stopped" after a requested stop.

    Raises:
        InputError: invalid config or data, a folder with another run, a loss that is not finite, or a process that has ended. The status then says
            so, and the last checkpoint is kept.
    """
    progress = progress or no_progress
    given = GivenObjects(loss, miner, language, backbone, tuple(callbacks), data, sampler, transform)
    try:
        config = config_with(config, given)
        if config.processes > 1 and not launched_externally():
            require_here(given, config.processes)
            return launch(config, folder, progress)
        return train_here(config, folder, progress, given=given)
    except InputError as error:
        run = RunFolder(folder)
        begun = run.status()
        if begun.state == "running" and begun.pid == os.getpid():  # started in the background, and refused before its first step
            run.fail(str(error))
        raise


@folder_kept_out()
def train_here(config: RunConfig, folder: Path | str, progress: Progress, owner: int | None = None, given: GivenObjects = NOTHING_GIVEN) -> RunFolder:
    """`train` in this process, which may be one of several that train together.

    `owner` is the id of the process that started the run, for its status; None: this process.
    """
    dist, run = dist_context_of(config), RunFolder(folder)
    if not dist.is_main:
        return _train_as_worker(config, run, dist, given)
    before = run.start_or_resume(config) if owner is None else run.status()
    try:
        return _train(config, run, dist, before, progress, owner or os.getpid(), given)
    except InputError as error:
        run.fail(str(error))
        raise
    except torch.OutOfMemoryError as error:
        message = (
            f"The memory of the GPU is too small for a batch of {config.batch.size} images of {config.data.image_size} px; lower batch.size, "
            "set keep_on_device to false, or choose a smaller network."
        )
        run.fail(message)
        raise InputError(message) from error
    except OSError as error:
        message = f"Writing or reading failed: {error.strerror or error}; make room on the disk and resume the run."
        with contextlib.suppress(OSError):
            run.fail(message)
        raise InputError(message) from error
    except (KeyboardInterrupt, SystemExit):  # Lightning exits the program on an interruption
        run.end("stopped", "Interrupted; resume the run to continue.")
        raise KeyboardInterrupt from None
    except Exception as error:
        with contextlib.suppress(OSError):
            run.fail(f"Ended by {type(error).__name__}: {error}")
        raise


def _train_as_worker(config: RunConfig, run: RunFolder, dist: DistContext, given: GivenObjects) -> RunFolder:
    """Trains in a process other than the main one, which reports errors that all processes raise."""
    try:
        return _train(config, run, dist, Status(), no_progress, os.getpid(), given)
    except InputError:
        if torch.distributed.is_initialized():
            raise SystemExit(2) from None
        raise


def _train(config: RunConfig, run: RunFolder, dist: DistContext, before: Status, progress: Progress, owner: int, given: GivenObjects) -> RunFolder:
    # only the main process checks for a stop, and the others end with it: they may still see an old request
    ready = prepare_run(config, dist, given, progress, run.stop_requested if dist.is_main else None)
    callback = RunCallback(ready, run, dist, owner, before.seconds, progress)
    device = _fit(config, run, ready, callback, given.callbacks)
    if dist.is_main:
        _conclude(config, run, ready.module, callback, device)
    return run


def _conclude(config: RunConfig, run: RunFolder, module: RunModule, callback: RunCallback, device: torch.device) -> None:
    state: State = "stopped" if callback.stopped else "finished"
    if state == "finished":
        with placed_on(module, device):
            figures = callback.final(module)
        left_out = {"left_out": callback.images.left_out} if callback.images.left_out else {}
        run.write_report({"name": config.name, "seconds": round(callback.seconds(), 1), "steps": callback.step} | left_out | figures)
        if callback.step < callback.total:
            ended = f"Ended early, after {config.stop_early} evaluations without improvement on the validation images."
            callback.note = f"{ended} {callback.note}".strip()
    run.report_status(Status(state, callback.step, callback.total, callback.whole_note, 0, callback.seconds()))


def _whole_gradients(config: RunConfig, device: torch.device) -> contextlib.AbstractContextManager[Any]:
    """A context without uninitialized gradients: in bfloat16 on CPUs, oneDNN (with torch 2.15) does not write the gradients of a strided convolution
    of a single pixel, as small images have in late layers, so they can be NaN. Only then oneDNN is off, since torch's own kernels are slower.
    """
    is_hit = device.type == "cpu" and config.precision == "bf16-mixed" and config.data.image_size < _SMALL_IMAGE
    return torch.backends.mkldnn.flags(enabled=False) if is_hit else contextlib.nullcontext()


def _fit(config: RunConfig, run: RunFolder, ready: ReadyRun, callback: RunCallback, others: Sequence[Callback]) -> torch.device:
    """Runs the remaining steps and returns the device; the network is on the CPU afterwards."""
    checkpoints, module = callback.checkpoints, ready.module
    resumed = checkpoints.is_there()
    state: dict[str, Any] = checkpoints.read(_check_state) if resumed else {"global_step": 0}
    start = int(state["global_step"])
    done = start >= callback.total or ends_early(config.stop_early, state.get("plateau", {}).get("without_best", 0))
    weights = state["state_dict"] if resumed and done else None
    del state  # if steps are left, Lightning reads the file itself
    callback.begin(start)
    with silence_lightning():
        loggers = build_loggers(config, run) if callback.dist.is_main and not done else []
        trainer = build_trainer(
            config, max_steps=callback.total, max_epochs=1, callbacks=[*others, callback], logger=loggers or False, log_every_n_steps=1
        )
        device: torch.device = trainer.strategy.root_device
        if config.precision == "bf16-mixed" and device.type == "cpu" and not torch.ops.mkldnn._is_mkldnn_bf16_supported():
            callback.note = f"{_NO_BFLOAT16} {callback.note}".strip()
        if not done:
            retain_freed_memory()
            # multiply-adds of the largest matrix product of a step; infinite for a whole backbone
            products = config.batch.size * module.network.head.weight.numel() if config.backbone.head_only else float("inf")
            with threads_for(products), _whole_gradients(config, device):
                try:
                    loader = ready.loader(device, start, callback.total)
                    trainer.fit(module, loader, ckpt_path=checkpoints.path if resumed else None, weights_only=True if resumed else None)
                except RuntimeError as error:
                    lost = lost_process_message(trainer, error) if callback.dist.is_distributed else ""
                    if not lost:
                        raise
                    raise InputError(lost) from error
                finally:
                    close_loggers(loggers)
                    ready.release_images()
        elif weights is not None:
            module.load_state_dict(weights)
        elif callback.dist.is_main:
            with placed_on(module, device):
                callback.measure_untrained(module)
    return device


def _check_state(state: dict[str, Any]) -> None:
    int(state["global_step"])
    lacking = [name for name in _STATE if not isinstance(state[name], dict | list)]
    if lacking:
        raise TypeError(f"'{lacking[0]}' is not part of a run")
