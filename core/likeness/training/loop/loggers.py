"""Loggers of metrics by name, in addition to the run's own file, through Lightning."""

import hashlib
import os
from collections.abc import Callable
from typing import Any

from likeness.errors import InputError
from likeness.io import is_confined
from likeness.training.config import RunConfig
from likeness.training.runs.run_folder import RunFolder


def build_loggers(config: RunConfig, run: RunFolder) -> list[Any]:
    """The Lightning loggers named in the config, which log the whole config.

    InputError: the package of a logger is not installed, or it would send metrics away from a public server.
    """
    sent = sorted(_ELSEWHERE & set(config.loggers))
    if sent and is_confined():
        raise InputError(f"This server does not send metrics elsewhere; remove {' and '.join(sent)} from loggers.")
    found = [_built(name, config, run) for name in config.loggers]
    for logger in found:
        logger.log_hyperparams(config.model_dump(mode="json"))
    return found


def close_loggers(loggers: list[Any]) -> None:
    """Finishes the current Weights & Biases run, which would otherwise also log the next run of this process."""
    for logger in loggers:
        finish = getattr(logger.experiment, "finish", None)
        if finish is not None:
            finish()


def _built(name: str, config: RunConfig, run: RunFolder) -> Any:
    try:
        return LOGGERS[name](config, run)
    except ModuleNotFoundError as error:
        raise InputError(f"The logger '{name}' needs its package; run `pip install {name}`, or remove it from loggers.") from error


def _tensorboard(config: RunConfig, run: RunFolder) -> Any:
    from lightning.pytorch.loggers import TensorBoardLogger

    return TensorBoardLogger(run.path, "tensorboard", version="")


def _csv(config: RunConfig, run: RunFolder) -> Any:
    from lightning.pytorch.loggers import CSVLogger

    logger = CSVLogger(run.path, "csv", version="")
    for row in run.metrics().to_dict("records"):  # for a resumed run: Lightning would start a new file
        log_row(logger, {str(name): value for name, value in row.items() if value == value})
    return logger


def log_row(logger: Any, row: dict[str, Any]) -> None:
    logger.log_metrics({name: value for name, value in row.items() if name not in ("step", "seconds")}, int(row["step"]))


def _wandb(config: RunConfig, run: RunFolder) -> Any:
    """By the settings of Weights & Biases (WANDB_MODE, WANDB_PROJECT ...); a resumed run continues under its name."""
    from lightning.pytorch.loggers import WandbLogger

    mark = hashlib.sha256(os.fsencode(run.path.resolve())).hexdigest()[:16]
    return WandbLogger(name=config.name, id=mark, save_dir=run.path, resume="allow")


def _mlflow(config: RunConfig, run: RunFolder) -> Any:
    """Logs to MLFLOW_TRACKING_URI, or else into the run's folder."""
    from lightning.pytorch.loggers import MLFlowLogger

    uri = os.environ.get("MLFLOW_TRACKING_URI") or f"sqlite:///{run.path.resolve() / 'mlflow.db'}"
    return MLFlowLogger(experiment_name="likeness", run_name=config.name, tracking_uri=uri)


LOGGERS: dict[str, Callable[[RunConfig, RunFolder], Any]] = {"tensorboard": _tensorboard, "csv": _csv, "wandb": _wandb, "mlflow": _mlflow}
_ELSEWHERE = {"wandb", "mlflow"}
