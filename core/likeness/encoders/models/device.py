"""Choice of devices, and asynchronous copies to and from them."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from likeness.errors import InputError

if TYPE_CHECKING:
    import torch


def choose_device(device: str) -> "torch.device":
    """ "auto" is the first available of CUDA, Apple's MPS and CPU. InputError: an unknown or missing device."""
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
    """The tensor on another device; copies to a GPU from pinned memory, without waiting."""
    import torch

    if torch.device(device).type != "cuda" or tensor.is_cuda:
        return tensor.to(device)
    return tensor.pin_memory().to(device, non_blocking=True)


def fetch_later(tensor: "torch.Tensor") -> Callable[[], NDArray[Any]]:
    """Starts to copy a tensor to the host and returns a function that waits for the copy, but not for later work of the device."""
    import torch

    if not tensor.is_cuda:
        return lambda: np.asarray(tensor.cpu().numpy())
    # a later `cpu()` would be queued behind the next batch and wait for it, too
    host = tensor.to("cpu", non_blocking=True)
    copied = torch.cuda.Event()  # type: ignore[no-untyped-call]
    copied.record(torch.cuda.current_stream(tensor.device))

    def fetch() -> NDArray[Any]:
        copied.synchronize()
        return np.asarray(host.numpy())

    return fetch
