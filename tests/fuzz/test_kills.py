"""Kills at random moments, a few of each kind; `kills.py` tries as many as one likes."""

import importlib.util
import os
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))

import label_kills
from kills import KINDS, attack, preload

pytestmark = [pytest.mark.long, pytest.mark.skipif(os.name == "nt", reason="Windows has no SIGKILL")]
_HERE = [name for name in KINDS if name != "train"]  # runs are killed in tests/training/loop/test_train.py


@pytest.mark.parametrize("name", _HERE)
def test_nothing_finished_is_lost_however_often_it_is_killed(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    if name == "lance" and importlib.util.find_spec("lancedb") is None:
        pytest.skip("lancedb is not installed")
    monkeypatch.setenv("OMP_NUM_THREADS", "1")
    preload(_HERE)
    result = attack(name, tmp_path, kills=2)
    assert not result.faults, "\n".join(result.faults)
    assert result.kills == 2


def test_two_people_label_while_their_server_is_killed(tmp_path: Path) -> None:
    result = label_kills.attack(tmp_path, kills=2)
    assert not result.faults, "\n".join(result.faults)
    assert result.kills == 2
    assert result.answered >= 4
