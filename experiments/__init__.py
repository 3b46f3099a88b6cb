"""Experiments that built the shipped files and evaluate the project; not in the wheel. `python -m experiments` lists them; run one with `python -m
experiments.NAME`."""
