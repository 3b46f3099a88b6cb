"""Copies to and from devices; of CUDA, which is not here, the order of the calls."""

from typing import Any, ClassVar

import numpy as np
import pytest
import torch

from likeness.encoders import choose_device, fetch_later, to_device
from likeness.errors import InputError


class OnGpu:
    """What `fetch_later` and `to_device` ask of a tensor, and a note of what was asked."""

    device, is_cuda = torch.device("cuda"), True

    def __init__(self, notes: list[str], is_cuda: bool = True) -> None:
        self.notes, self.is_cuda = notes, is_cuda

    def pin_memory(self) -> "OnGpu":
        self.notes.append("pin")
        return self

    def to(self, device: Any, non_blocking: bool = False) -> Any:
        self.notes.append(f"copy to {device}{', not waiting' if non_blocking else ''}")
        return torch.ones(2)


class Event:
    notes: ClassVar[list[str]] = []

    def record(self, stream: str) -> None:
        self.notes.append(f"record {stream}")

    def synchronize(self) -> None:
        self.notes.append("wait")


@pytest.fixture
def notes(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    found: list[str] = []
    monkeypatch.setattr(Event, "notes", found)
    monkeypatch.setattr(torch.cuda, "Event", Event)
    monkeypatch.setattr(torch.cuda, "current_stream", lambda device: "the stream")
    return found


def test_on_the_processor_nothing_is_copied() -> None:
    rows = torch.arange(6.0).reshape(3, 2)
    assert to_device(rows, "cpu") is rows
    fetched = fetch_later(rows)()
    np.testing.assert_array_equal(fetched, rows.numpy())
    assert np.shares_memory(fetched, rows.numpy())


def test_to_a_gpu_from_pinned_memory_and_back_only_the_copy_is_waited_for(notes: list[str]) -> None:
    to_device(OnGpu(notes, is_cuda=False), "cuda")  # type: ignore[arg-type]
    assert notes == ["pin", "copy to cuda, not waiting"]
    to_device(OnGpu(notes), "cuda:0")  # type: ignore[arg-type]
    assert notes[2:] == ["copy to cuda:0"]
    notes.clear()
    fetch = fetch_later(OnGpu(notes))  # type: ignore[arg-type]
    assert notes == ["copy to cpu, not waiting", "record the stream"]
    np.testing.assert_array_equal(fetch(), np.ones(2))
    assert notes[2:] == ["wait"]


@pytest.mark.parametrize("device", ["gpu", "cuda:99", "cpu:x"])
def test_devices_that_are_not_there(device: str) -> None:
    with pytest.raises(InputError, match=f"The device '{device}' is not available here; use 'auto', 'cpu', 'cuda' or 'mps'"):
        choose_device(device)
