"""The runs behind the tables of experiments/results, a script for each; some take hours."""
