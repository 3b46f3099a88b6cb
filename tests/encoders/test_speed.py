"""Speeds are measured without weights, and remembered for this machine."""

from dataclasses import replace
from pathlib import Path

import pytest

from likeness.encoders import PUBLISHED, measure_speed, remembered_speeds

_SMALL = replace(PUBLISHED["timm:vit_small_patch16_dinov3.lvd1689m"], name="timm:test_vit", pixels=160)


@pytest.mark.parametrize("encoder", [_SMALL, replace(PUBLISHED["ViT-B-32/openai"], name="ViT-S-32/none")])
def test_a_speed_needs_no_weights_and_is_remembered(encoder, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("socket.socket.connect", None)
    assert remembered_speeds() == {}
    speed = measure_speed(encoder, "cpu", seconds=0.0)
    assert speed > 0
    assert remembered_speeds() == {encoder.name: speed}


def test_speeds_of_several_are_kept_and_those_of_another_machine_are_not(monkeypatch: pytest.MonkeyPatch) -> None:
    measure_speed(_SMALL, "cpu", seconds=0.0)
    measure_speed(replace(_SMALL, name="timm:test_vit2", pixels=64), "cpu", seconds=0.0)
    assert set(remembered_speeds()) == {"timm:test_vit", "timm:test_vit2"}
    monkeypatch.setattr("platform.node", lambda: "another machine")
    assert remembered_speeds() == {}


@pytest.mark.parametrize("content", [b"", b"[]", b"{}", b"\xff", b'{"a": 1}'])
def test_a_damaged_file_of_speeds_is_none(cache: Path, content: bytes) -> None:
    cache.mkdir()
    (cache / "encoder_speeds.json").write_bytes(content)
    assert remembered_speeds() == {}
