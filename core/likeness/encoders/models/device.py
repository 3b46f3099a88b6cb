"""Devices: which one computes, and copies to and from it that nobody waits for."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from likeness.errors import InputError

if TYPE_CHECKING:
    import torch


def choose_device(device: str) -> "torch.device":
    """ "auto" is the first of CUDA, Apple's MPS and the processor that is there; raises InputError for a device that is unknown or not there."""
    import torch

    if device == "auto":
        return torch.device("cuda" if torch.cuda.is_available() else "mps" if torch.backends.mps.is_available() else "cpu")
    try:
        chosen = torch.device(device)
        torch.empty(0, device=chosen)
    except (RuntimeError, AssertionError, NotImplementedError) as error:
        raise InputError(f"The device '{device}' is not available here; use 'auto', 'cpu', 'cuda' or 'mps'.") from error
    return chosen


def to_device(tensor: "torch.Tensor", device: "torch.device | str") -> "torch.Tensor":
    """The tensor on another device; to a GPU from pinned memory, so that the program does not wait for the copy."""
    import torch

    if torch.device(device).type != "cuda" or tensor.is_cuda:
        return tensor.to(device)
    return tensor.pin_memory().to(device, non_blocking=True)


def fetch_later(tensor: "torch.Tensor") -> Callable[[], NDArray[Any]]:
    """Begins to copy a tensor to the host; the call of what comes back waits for the copy, but for nothing that the device was given after it."""
    import torch

    if not tensor.is_cuda:
        return lambda: np.asarray(tensor.cpu().numpy())
    # A plain `cpu()` later on would stand in the stream behind the next batch, and so wait for that, too.
    host = tensor.to("cpu", non_blocking=True)
    copied = torch.cuda.Event()  # type: ignore[no-untyped-call]
    copied.record(torch.cuda.current_stream(tensor.device))

    def fetch() -> NDArray[Any]:
        copied.synchronize()
        return np.asarray(host.numpy())

    return fetch
