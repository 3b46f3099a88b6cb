"""A run that kills its own process: a watcher on a busy machine would come late."""

import itertools
import os
import signal
import threading
from pathlib import Path
from typing import Any

from likeness.training.config import RunConfig
from likeness.training.loop.train import train
from likeness.training.runs.run_folder import RunFolder


def train_until_killed(config: RunConfig, folder: Path, rows: int, seconds: float) -> None:
    """Trains and ends by SIGKILL, so many seconds after it has written so many rows of metrics."""
    original, killer = RunFolder.append_metrics, threading.Timer(seconds, os.kill, (os.getpid(), signal.SIGKILL))
    left = itertools.count(rows - 1, -1)

    def append(self: RunFolder, row: dict[str, Any]) -> None:
        original(self, row)
        if next(left) == 0:
            killer.start()

    RunFolder.append_metrics = append  # type: ignore[method-assign]
    train(config, folder)
