"""The network of a run: a backbone and its embedding layer."""
