"""Training loop: from a config to a finished run, in one process or several."""
