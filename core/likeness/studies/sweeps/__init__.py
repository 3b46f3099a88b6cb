"""Sweeps: hyperparameters searched by Optuna, a run for each trial, judged on validation images alone."""

from likeness.studies.sweeps.config import Domain, SweepConfig, read_sweep
from likeness.studies.sweeps.folder import SweepFolder
from likeness.studies.sweeps.sweep import sweep
from likeness.studies.sweeps.trial import Trial, settings_text

__all__ = ["Domain", "SweepConfig", "SweepFolder", "Trial", "read_sweep", "settings_text", "sweep"]
