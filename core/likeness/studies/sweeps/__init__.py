"""Sweeps: hyperparameters searched by Optuna, a run for each trial, judged on validation images alone."""
