"""Sweeps: hyperparameter search with Optuna, a run for each trial, evaluated only on validation images."""
