"""Torch's generators as they were, after something that seeds them."""

from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def kept_random_state() -> Iterator[None]:
    """What is drawn and seeded inside changes nothing outside, on the processor and on CUDA."""
    import torch

    with torch.random.fork_rng(devices=range(torch.cuda.device_count())):
        yield
