"""Restores torch's random generators after code that seeds them."""

from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def kept_random_state() -> Iterator[None]:
    """Random draws and seeds inside have no effect outside, on CPU and CUDA."""
    import torch

    with torch.random.fork_rng(devices=range(torch.cuda.device_count())):
        yield
