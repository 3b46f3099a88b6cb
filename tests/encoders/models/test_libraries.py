"""Whatever needs the libraries of models first imports them behind one lock: two threads that import torchvision at once fail by chance."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from likeness.encoders import PUBLISHED, encoder_family, encoder_is_here, measure_speed
from likeness.encoders.models import libraries

_SMALL = replace(PUBLISHED["timm:vit_small_patch16_dinov3.lvd1689m"], name="timm:test_vit", pixels=160)


class _Counted:
    """A lock that counts how often it was taken."""

    def __init__(self) -> None:
        self.taken = 0

    def __enter__(self) -> None:
        self.taken += 1

    def __exit__(self, *_: Any) -> None:
        pass


def _load(name: str) -> None:
    family, target = encoder_family(name)
    family.load(name, target, "cpu")


@pytest.mark.parametrize(
    "use",
    [
        lambda folder: encoder_is_here("ViT-B-32/openai"),
        lambda folder: encoder_is_here("timm:resnet50.a1_in1k"),
        lambda folder: measure_speed(_SMALL, "cpu", seconds=0.0),
        lambda folder: _load(f"local-dir:{folder}"),
        lambda folder: _load("photos"),
    ],
    ids=["open_clip's files", "timm's files", "speed", "open_clip", "photos"],
)
def test_the_lock_is_taken(use: Callable[[Path], Any], tiny_clip: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    lock = _Counted()
    monkeypatch.setattr(libraries, "_importing", lock)
    use(tiny_clip)
    assert lock.taken
