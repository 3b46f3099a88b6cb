"""Sweeps: hyperparameters searched by Optuna, a run for each trial, judged on validation images alone."""

from likeness.studies.sweeps.config import (
    Domain as Domain,
    SweepConfig as SweepConfig,
    Trial as Trial,
    read_sweep as read_sweep,
    settings_text as settings_text,
)
from likeness.studies.sweeps.folder import SweepFolder as SweepFolder
from likeness.studies.sweeps.sweep import sweep as sweep
