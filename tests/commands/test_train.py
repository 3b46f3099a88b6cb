"""`likeness train` and `likeness runs` as a person meets them."""

import re
from pathlib import Path
from typing import Any

import pytest

from worlds import Run


def test_a_preset_trains_and_stands_in_the_list(ok: Any, tmp_path: Path) -> None:
    printed, _ = ok("train", "shipped-cars-elg", "--out", tmp_path / "a", "--set", "epochs=2", "--set", "guidance.language=clip:cars")
    assert f"finished after 20 of 20 steps, 0 s: {tmp_path / 'a'}" in printed or "finished after 20 of 20 steps" in printed
    assert "best (step 20): recall_at_1 0." in printed
    printed, _ = ok("runs", tmp_path)
    assert printed.splitlines()[1].split()[:3] == ["a", "finished", "20/20"]


def test_a_device_that_is_not_here_is_named_before_anything_is_written(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("torch.cuda.is_available", lambda: False)
    monkeypatch.setattr("torch.cuda.device_count", lambda: 0)
    status, _, err = run("train", "shipped-cars-elg", "--out", str(tmp_path / "a"), "--set", "device=cuda")
    assert (status, (tmp_path / "a").exists()) == (2, False)
    assert "The run can't train on the device 'cuda'" in err
    assert "choose auto or cpu" in err


def test_a_checkpoint_of_something_else_is_named(run: Run, ok: Any, tmp_path: Path) -> None:
    import torch

    arguments = ("train", "shipped-cars-elg", "--out", str(tmp_path / "a"), "--set", "epochs=1", "--set", "guidance=null")
    ok(*arguments)
    for content in ([1, 2], {"a": 1}, {"global_step": []}):
        torch.save(content, tmp_path / "a" / "checkpoint.ckpt")
        status, _, err = run(*arguments)
        assert (status, "checkpoint.ckpt" in " ".join(err.split()), "Traceback" in err) == (2, True, False), err


def test_a_config_is_shown_presets_are_listed_a_rate_is_looked_for_and_nothing_runs(ok: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    printed, _ = ok("train", "shipped-cars-elg", "--set", "guidance.omega=2.5", "--show")
    assert "  omega: 2.5" in printed
    assert "devices: 2\nnodes: 4\n" in ok("train", "shipped-cars-elg", "--devices", "2", "--nodes", "4", "--show")[0]
    printed, _ = ok("train", "--list")
    assert "lg-cub200-multisimilarity-plg" in printed
    assert "R@1 67.1" in printed
    printed, _ = ok("train", "shipped-cars-elg", "--find-rate", "--set", "guidance.language=clip:cars")
    assert re.fullmatch(r"It falls most steeply at (\S+): --set optimizer\.rate=\1", printed.splitlines()[-1])
    assert not (tmp_path / "runs").exists()
