"""Checkpoints and weights: no damage passes unnoticed, and the one before stands in."""

import logging
import os
import pickle
import random
from pathlib import Path
from typing import Any

import pytest
import torch
from safetensors import safe_open
from safetensors.torch import load_file, save_file

from likeness.errors import InputError
from likeness.io import CheckpointFile, read_weights, write_weights


def _state(step: int) -> dict[str, Any]:
    return {"step": step, "weights": torch.arange(600.0).reshape(3, 200) * step, "names": ["a", "b"]}


def _same(found: dict[str, Any], step: int) -> bool:
    wanted = _state(step)
    return found.keys() == wanted.keys() and bool(torch.equal(found.pop("weights"), wanted.pop("weights"))) and found == wanted


@pytest.fixture
def checkpoints(tmp_path: Path) -> CheckpointFile:
    found = CheckpointFile(tmp_path / "checkpoint.ckpt")
    for step in (1, 2, 3):
        found.write(_state(step))
    return found


def _flipped(content: bytes, bit: int) -> bytes:
    changed = bytearray(content)
    changed[bit // 8] ^= 1 << bit % 8
    return bytes(changed)


def test_the_newest_state_is_read_and_the_one_before_it_is_kept(checkpoints: CheckpointFile) -> None:
    assert sorted(file.name for file in checkpoints.file.parent.iterdir() if file.is_file()) == ["checkpoint.ckpt", "checkpoint.previous.ckpt"]
    assert _same(checkpoints.read(), 3)
    assert _same(torch.load(checkpoints.file, weights_only=True), 3)  # as other programs read it
    assert (checkpoints.path, checkpoints.note) == (checkpoints.file, "")
    assert _same(CheckpointFile(checkpoints.previous).read(), 2)


def test_no_flipped_bit_passes_unnoticed_and_the_one_before_stands_in(checkpoints: CheckpointFile, caplog: pytest.LogCaptureFixture) -> None:
    whole, draw = checkpoints.file.read_bytes(), random.Random(0)
    begin = whole.find(torch.arange(600.0).mul(3).numpy().tobytes())
    bits = {*draw.sample(range(8 * len(whole)), 300), *range(8 * (len(whole) - 120), 8 * len(whole), 5)}
    caplog.set_level(logging.CRITICAL, logger="likeness")
    for bit in sorted(bits):
        checkpoints.file.write_bytes(_flipped(whole, bit))
        found = checkpoints.read()
        assert _same(found, 2 if begin <= bit // 8 < begin + 2400 else found["step"]), bit  # some are in padding, and change nothing
    for end in (0, 10, len(whole) // 2, len(whole) - 1):
        checkpoints.file.write_bytes(whole[:end])
        assert _same(checkpoints.read(), 2)


def test_falling_back_is_said_and_the_damaged_one_never_takes_the_place_of_the_sound_one(
    checkpoints: CheckpointFile, caplog: pytest.LogCaptureFixture
) -> None:
    checkpoints.file.write_bytes(_flipped(checkpoints.file.read_bytes(), 8 * 2000))
    assert _same(checkpoints.read(), 2)
    assert checkpoints.note == "The checkpoint 'checkpoint.ckpt' is damaged; resuming from the previous one, so some steps are repeated."
    assert checkpoints.note in caplog.text
    checkpoints.write(_state(7))
    assert _same(CheckpointFile(checkpoints.previous).read(), 2)
    assert _same(checkpoints.read(), 7)
    checkpoints.write(_state(8))
    assert _same(CheckpointFile(checkpoints.previous).read(), 7)


@pytest.mark.parametrize("kind", ["list", "pickle", "text", "empty", "a folder of another program"])
def test_what_is_no_state_is_one_sentence(tmp_path: Path, kind: str) -> None:
    found = CheckpointFile(tmp_path / "checkpoint.ckpt")
    if kind == "list":
        torch.save([1, 2], found.file)
    elif kind == "a folder of another program":
        torch.save({"model": {}}, found.file)
    else:
        found.file.write_bytes({"pickle": pickle.dumps({"step": 3}), "text": b"hello", "empty": b""}[kind])
    with pytest.raises(InputError, match=r"^The checkpoint '.*' .*; delete it to restart training\.$"):
        found.read(lambda state: state["step"])


def test_a_write_that_fails_leaves_both(checkpoints: CheckpointFile, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(_: int) -> None:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(os, "fsync", full)
        with pytest.raises(OSError, match="No space left"):
            checkpoints.write(_state(9))
    assert _same(checkpoints.read(), 3)
    assert not checkpoints.partial.exists()


def test_file_and_folder_are_on_the_disk_before_it_counts(checkpoints: CheckpointFile, monkeypatch: pytest.MonkeyPatch) -> None:
    order: list[str] = []
    sync, replace = os.fsync, os.replace

    def synced(number: int) -> None:
        name = os.readlink(f"/proc/self/fd/{number}")
        order.append(f"sync {Path(name).name}")
        sync(number)

    def replaced(source: Path, target: Path) -> None:
        order.append(f"replace {Path(target).name}")
        replace(source, target)

    monkeypatch.setattr(os, "fsync", synced)
    monkeypatch.setattr(os, "replace", replaced)
    checkpoints.write(_state(4))
    assert order == [
        "sync .checkpoint.ckpt.partial",
        "replace checkpoint.previous.ckpt",
        "replace checkpoint.ckpt",
        f"sync {checkpoints.file.parent.name}",
    ]


def test_a_file_system_without_links_keeps_the_one_before_too(checkpoints: CheckpointFile, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> None:
        raise OSError(95, "Operation not supported")

    monkeypatch.setattr(os, "link", refuse)
    checkpoints.write(_state(4))
    assert _same(checkpoints.read(), 4)
    assert _same(CheckpointFile(checkpoints.previous).read(), 3)
    checkpoints.file.unlink()  # as a kill between the two renames leaves it
    assert checkpoints.is_there()
    assert _same(checkpoints.read(), 3)


def test_no_flipped_bit_of_weights_passes_unnoticed(tmp_path: Path) -> None:
    weights = {"a": torch.arange(50.0).reshape(5, 10), "b": torch.tensor(3), "c": torch.zeros(0, 2), "half": torch.ones(4, dtype=torch.bfloat16)}
    write_weights(tmp_path / "w.safetensors", weights)
    whole = (tmp_path / "w.safetensors").read_bytes()
    for bit in range(0, 8 * len(whole), 3):
        (tmp_path / "w.safetensors").write_bytes(_flipped(whole, bit))
        try:
            found = read_weights(tmp_path / "w.safetensors")
        except InputError:
            continue
        assert found.keys() == weights.keys(), bit
        assert all(found[name].dtype == weights[name].dtype and torch.equal(found[name], weights[name]) for name in weights), bit


def test_weights_are_those_of_others_and_what_they_say_about_themselves_is_checked_and_written_in_one_order(tmp_path: Path) -> None:
    weights, file = {"a": torch.arange(50.0), "ä": torch.zeros(3)}, tmp_path / "w.safetensors"
    metadata = {f"key {number}": f'"é" {number}\n' for number in range(9)} | {"format": "pt"}
    contents = set()
    for _ in range(5):
        write_weights(file, weights, metadata)
        contents.add(file.read_bytes())
    (whole,) = contents
    assert torch.equal(load_file(file)["ä"], weights["ä"])
    save_file(weights, tmp_path / "theirs.safetensors", {"format": "pt"})
    assert torch.equal(read_weights(tmp_path / "theirs.safetensors")["a"], weights["a"])
    with safe_open(file, "pt") as opened:
        assert {name: value for name, value in opened.metadata().items() if name in metadata} == metadata
    assert torch.equal(read_weights(file)["a"], weights["a"])
    file.write_bytes(whole.replace(b"key 3", b"key k"))
    with pytest.raises(InputError, match="cannot be read as safetensors"):
        read_weights(file)
