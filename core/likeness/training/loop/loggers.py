"""Where the figures of a run go beside its own file: loggers of Lightning by name."""

import hashlib
import os
from collections.abc import Callable
from typing import Any

from likeness.errors import InputError
from likeness.io import is_confined
from likeness.training.config import RunConfig
from likeness.training.runs.run_folder import RunFolder


def build_loggers(config: RunConfig, run: RunFolder) -> list[Any]:
    """Lightning's loggers of the names in the config, each told the whole config.

    InputError: the package of a logger is not installed, or it would send figures away from a server that strangers use.
    """
    sent = sorted(_ELSEWHERE & set(config.loggers))
    if sent and is_confined():
        raise InputError(f"This server sends no figures of runs elsewhere; leave {' and '.join(sent)} out of loggers.")
    found = [_built(name, config, run) for name in config.loggers]
    for logger in found:
        logger.log_hyperparams(config.model_dump(mode="json"))
    return found


def close_loggers(loggers: list[Any]) -> None:
    """Ends what the next run of this process would go on with: Weights & Biases has one run at a time, which takes the figures of all loggers."""
    for logger in loggers:
        finish = getattr(logger.experiment, "finish", None)
        if finish is not None:
            finish()


def _built(name: str, config: RunConfig, run: RunFolder) -> Any:
    try:
        return LOGGERS[name](config, run)
    except ModuleNotFoundError as error:
        raise InputError(f"The logger '{name}' needs its package; run `pip install {name}`, or leave it out of loggers.") from error


def _tensorboard(config: RunConfig, run: RunFolder) -> Any:
    from lightning.pytorch.loggers import TensorBoardLogger

    return TensorBoardLogger(run.path, "tensorboard", version="")


def _csv(config: RunConfig, run: RunFolder) -> Any:
    from lightning.pytorch.loggers import CSVLogger

    logger = CSVLogger(run.path, "csv", version="")
    for row in run.metrics().to_dict("records"):  # of a run that goes on: Lightning begins the file anew
        log_row(logger, {str(name): value for name, value in row.items() if value == value})
    return logger


def log_row(logger: Any, row: dict[str, Any]) -> None:
    logger.log_metrics({name: value for name, value in row.items() if name not in ("step", "seconds")}, int(row["step"]))


def _wandb(config: RunConfig, run: RunFolder) -> Any:
    """As Weights & Biases' own settings say (WANDB_MODE, WANDB_PROJECT ...); a resumed run goes on under its name."""
    from lightning.pytorch.loggers import WandbLogger

    mark = hashlib.sha256(os.fsencode(run.path.resolve())).hexdigest()[:16]
    return WandbLogger(name=config.name, id=mark, save_dir=run.path, resume="allow")


def _mlflow(config: RunConfig, run: RunFolder) -> Any:
    """To MLFLOW_TRACKING_URI, or where it is not set, into the run's folder."""
    from lightning.pytorch.loggers import MLFlowLogger

    uri = os.environ.get("MLFLOW_TRACKING_URI") or f"sqlite:///{run.path.resolve() / 'mlflow.db'}"
    return MLFlowLogger(experiment_name="likeness", run_name=config.name, tracking_uri=uri)


LOGGERS: dict[str, Callable[[RunConfig, RunFolder], Any]] = {"tensorboard": _tensorboard, "csv": _csv, "wandb": _wandb, "mlflow": _mlflow}
_ELSEWHERE = {"wandb", "mlflow"}
