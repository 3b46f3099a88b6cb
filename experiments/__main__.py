"""`python -m experiments`: the help of all experiments."""

from experiments.command_line import run

run()
