"""Training: recipes that turn a config into a run."""
