"""Lightning's trainer as runs use it, in one process or in several."""

import contextlib
import logging
import time
import warnings
from collections.abc import Iterator
from datetime import timedelta
from typing import Any

import torch
from lightning import Trainer
from lightning.fabric.utilities.exceptions import MisconfigurationException
from lightning.pytorch.strategies import DDPStrategy

from likeness.errors import InputError
from likeness.training.config import RunConfig
from likeness.training.loop.place import ALONE, Place

# Others wait while the first process measures, however long that takes; the end of a process is noticed otherwise.
_PATIENCE = timedelta(days=1)
# Seconds for the system to tell of a process that has ended, once its connection is gone.
_FUNERAL = 3.0
_LOST = ("Connection closed", "Connection reset", "Broken pipe", "Socket", "remote process exited")


def build_trainer(config: RunConfig, **options: Any) -> Trainer:
    """The trainer of a run; with several processes by distributed data parallelism.

    Every process computes the loss of the whole batch from gathered embeddings, so that the average of their gradients, which this takes,
    is the gradient in one process (`RunModule.whole`). Parameters may be without gradient, as in one process: an objective whose place
    guidance takes, or a batch without tuples. Buffers are equal anyway.

    Raises:
        InputError: devices or processes that are not there.
    """
    several = _several(config) if config.processes > 1 else {"devices": 1}
    given: dict[str, Any] = {"enable_checkpointing": False, "enable_progress_bar": False, "enable_model_summary": False} | several | options
    try:
        return Trainer(accelerator=config.device, **given)
    except (MisconfigurationException, ValueError, RuntimeError) as error:
        if config.processes == 1:
            raise
        raise InputError(f"{config.devices} processes on a machine can't train on '{config.device}': {_first_line(error)}.") from error


def _several(config: RunConfig) -> dict[str, Any]:
    strategy = DDPStrategy(find_unused_parameters=True, broadcast_buffers=False, timeout=_PATIENCE)
    return {"strategy": strategy, "devices": config.devices, "num_nodes": config.nodes, "use_distributed_sampler": False}


def place_of(config: RunConfig) -> Place:
    """Which of the run's processes this one is, as Lightning sees it.

    Raises:
        InputError: devices that are not there, or torchrun or SLURM started another number of processes than the config has.
    """
    if config.processes == 1:
        return ALONE
    with quietly():
        trainer = build_trainer(config, logger=False)
    environment: Any = trainer._accelerator_connector.cluster_environment
    try:
        environment.validate_settings(num_devices=config.devices, num_nodes=config.nodes)
    except ValueError as error:
        raise InputError(
            f"The run has {config.devices} processes on each of {config.nodes} machines, and others were started ({_first_line(error)}); "
            "give --devices and --nodes as torchrun or SLURM has them."
        ) from error
    return Place(trainer.global_rank, trainer.world_size, trainer.strategy.root_device.type)


def lost_companion(trainer: Trainer, error: BaseException) -> str:
    """One sentence where `error` says that another process of the run is gone; empty where it says something else."""
    end = time.monotonic() + _FUNERAL
    told = any(word in str(error) for word in _LOST) and (isinstance(error, torch.distributed.DistError) or "gloo" in str(error).lower())
    if not told:
        return ""
    children = getattr(trainer.strategy.launcher, "procs", [])
    while children and time.monotonic() < end:
        for rank, process in enumerate(children, start=1):
            code = process.poll()
            if code:
                how = f"was killed (signal {-code})" if code < 0 else f"ended with status {code}"
                return f"Process {rank} of {trainer.world_size}, counted from 0, {how}; resume the run to go on."
        time.sleep(0.05)
    return "Another process of the run is gone; resume the run to go on."


def _first_line(error: BaseException) -> str:
    return str(error).strip().splitlines()[0].rstrip(".")


@contextlib.contextmanager
def quietly() -> Iterator[None]:
    """Lightning tells of its own workings, meant for its own users."""
    loggers = [logging.getLogger(name) for name in ("lightning.pytorch", "lightning.fabric", "lightning.pytorch.utilities.rank_zero")]
    levels = [logger.level for logger in loggers]
    for logger in loggers:
        logger.setLevel(logging.ERROR)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            yield
    finally:
        for logger, level in zip(loggers, levels, strict=True):
            logger.setLevel(level)
