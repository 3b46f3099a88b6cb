"""What made what ships, and what judges the project: not in the wheel. `python -m experiments` lists all; each runs as `python -m
experiments.NAME`."""
