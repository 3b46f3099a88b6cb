"""Speed of an encoder on this machine in images per second, measured with its architecture alone, without its weights."""

import json
import os
import platform
import time
from pathlib import Path

from likeness.encoders.models.device import choose_device
from likeness.encoders.models.load_model import architecture
from likeness.encoders.published import PublishedEncoder
from likeness.io import cache_dir, parse_json, write_atomic

_SECONDS = 3.0
_BATCH = 8
_LONGEST_FILE = 1_000_000  # bytes


def measure_speed(encoder: PublishedEncoder, device: str = "auto", seconds: float = _SECONDS) -> float:
    """Images per second of the image tower in float32 with random weights, without reading and resizing. Measured for so many seconds, and at least
    two images; cached for this machine.
    """
    network = architecture(encoder.name)
    import torch

    place = choose_device(device)
    tower = getattr(network, "visual", network).to_empty(device=place).eval()
    for tensor in (*tower.parameters(), *tower.buffers()):
        if tensor.is_floating_point():
            torch.nn.init.normal_(tensor.detach(), std=0.02)  # uninitialized memory may hold values that are slow to compute with, such as denormals

    def embed(images: int) -> float:
        start = time.perf_counter()
        tower(torch.zeros(images, 3, encoder.pixels, encoder.pixels, device=place)).cpu()
        return images / (time.perf_counter() - start)

    end = time.perf_counter() + seconds
    with torch.inference_mode():
        embed(1)  # warm-up
        speed = embed(1)
        while time.perf_counter() + 1 / speed < end:  # the fastest, since other programs can only slow it down
            speed = max(speed, embed(_BATCH if _BATCH / speed < seconds / 2 else 1))
    _remember(encoder.name, speed)
    return speed


def remembered_speeds() -> dict[str, float]:
    """Images per second by the encoder's name, as measured on this machine before."""
    try:
        found = parse_json(_file().read_bytes()[:_LONGEST_FILE].decode(), "The file of speeds")
        return {str(name): float(speed) for name, speed in found[_machine()].items()}
    except (OSError, ValueError, KeyError, TypeError, AttributeError):  # missing, of another machine, or damaged: measure again
        return {}


def _remember(name: str, speed: float) -> None:
    write_atomic(_file(), json.dumps({_machine(): remembered_speeds() | {name: speed}}, indent=1).encode())


def _machine() -> str:
    return f"{platform.node()} {platform.machine()} {os.cpu_count()}"


def _file() -> Path:
    return cache_dir() / "encoder_speeds.json"
