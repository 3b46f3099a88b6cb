"""Lightning's trainer for runs, in one process or several."""

import contextlib
import ctypes
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
from likeness.training.dist_context import SINGLE_PROCESS, DistContext

# timeout of processes that wait for the main one's evaluation; processes that end are noticed by their closed connection
_TIMEOUT = timedelta(days=1)
# seconds until the exit status of a process is known after its connection is closed
_EXIT_GRACE_SECONDS = 3.0
# glibc's mallopt: size of blocks that are mapped individually, and of free memory that is returned to the system
_M_MMAP_MAX, _M_TRIM_THRESHOLD = -4, -1
_CONNECTION_ERRORS = ("Connection closed", "Connection reset", "Broken pipe", "Socket", "remote process exited")


def build_trainer(config: RunConfig, **options: Any) -> Trainer:
    """The trainer of a run; with several processes by distributed data parallelism. InputError: devices or processes that do not exist.

    Every process computes the loss of the whole batch from gathered embeddings, so the average of their gradients is the gradient of a single process
    (`RunModule.gather`). Parameters may have no gradient, as in one process: of an objective that guidance replaces, or in a batch without tuples.
    Buffers are always equal.
    """
    devices: dict[str, Any] = {"devices": 1}
    if config.processes > 1:
        strategy = DDPStrategy(find_unused_parameters=True, broadcast_buffers=False, timeout=_TIMEOUT)
        devices = {"strategy": strategy, "devices": config.devices, "num_nodes": config.nodes, "use_distributed_sampler": False}
    quiet = {"enable_checkpointing": False, "enable_progress_bar": False, "enable_model_summary": False, "precision": config.precision}
    steps = {"accumulate_grad_batches": config.batch.accumulate, "gradient_clip_val": config.optimizer.clip}
    arguments: dict[str, Any] = quiet | steps | devices | options
    try:
        trainer = Trainer(accelerator=config.device, **arguments)
    except (MisconfigurationException, ValueError, RuntimeError) as error:
        if config.processes == 1:
            raise InputError(f"The run can't train on the device '{config.device}': {_first_line(error)}; choose auto or cpu.") from error
        raise InputError(f"{config.devices} processes on a machine can't train on '{config.device}': {_first_line(error)}.") from error
    if config.precision == "16-mixed" and trainer.strategy.root_device.type == "cpu":  # Lightning would silently use bfloat16
        raise InputError("precision 16-mixed needs a GPU, but there is none; on processors choose bf16-mixed or 32.")
    return trainer


def dist_context_of(config: RunConfig) -> DistContext:
    """Which of the run's processes this one is, as Lightning sees it.

    InputError: devices that do not exist, or torchrun or SLURM started another number of processes than the config has.
    """
    with silence_lightning():
        trainer = build_trainer(config, logger=False)
    if config.processes == 1:
        return SINGLE_PROCESS
    environment: Any = trainer._accelerator_connector.cluster_environment
    try:
        environment.validate_settings(num_devices=config.devices, num_nodes=config.nodes)
    except ValueError as error:
        raise InputError(
            f"The run has {config.devices} processes on each of {config.nodes} machines, but others were started ({_first_line(error)}); set "
            "--devices and --nodes as in torchrun or SLURM."
        ) from error
    return DistContext(trainer.global_rank, trainer.world_size, trainer.strategy.root_device.type)


def lost_process_message(trainer: Trainer, error: BaseException) -> str:
    """A sentence if `error` means that another process of the run has ended, else ""."""
    end = time.monotonic() + _EXIT_GRACE_SECONDS
    lost = any(word in str(error) for word in _CONNECTION_ERRORS) and (isinstance(error, torch.distributed.DistError) or "gloo" in str(error).lower())
    if not lost:
        return ""
    children = getattr(trainer.strategy.launcher, "procs", [])
    while children and time.monotonic() < end:
        for rank, process in enumerate(children, start=1):
            code = process.poll()
            if code:
                how = f"was killed (signal {-code})" if code < 0 else f"ended with status {code}"
                return f"Process {rank} of {trainer.world_size}, counted from 0, {how}; resume the run to continue."
        time.sleep(0.05)
    return "Another process of the run is gone; resume the run to continue."


def _first_line(error: BaseException) -> str:
    return str(error).strip().splitlines()[0].rstrip(".")


@contextlib.contextmanager
def silence_lightning() -> Iterator[None]:
    """Silences Lightning's internal messages."""
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


def retain_freed_memory() -> None:
    """Makes glibc keep freed memory for the next step: allocating activations in new pages takes up to twice as long."""
    with contextlib.suppress(OSError, AttributeError):  # another C library has no mallopt
        mallopt = ctypes.CDLL("libc.so.6").mallopt
        mallopt(_M_MMAP_MAX, 0)
        mallopt(_M_TRIM_THRESHOLD, -1)
