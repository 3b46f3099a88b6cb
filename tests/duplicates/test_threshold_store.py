"""A suggested threshold is measured once for the same content; what is damaged on the disk counts as not there."""

import json
import sys
from pathlib import Path

import numpy as np
import pytest

import likeness as lk
from likeness.duplicates import SuggestedThreshold, known_threshold, stored_threshold
from likeness.errors import InputError

SOUND = {"threshold": 0.9, "found": 1, "confused": 0, "copies": 4, "pairs": 2, "alike": 1}


@pytest.fixture(autouse=True)
def cache(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    monkeypatch.setenv("LIKENESS_CACHE", str(tmp_path))
    return tmp_path / "thresholds"


@pytest.fixture
def measured(monkeypatch: pytest.MonkeyPatch) -> list[tuple[int, int]]:
    """What was asked of the measurement, which answers by the seed."""
    calls: list[tuple[int, int]] = []

    def measure(space: lk.Space, images: int, seed: int, progress: object) -> SuggestedThreshold:
        calls.append((images, seed))
        return SuggestedThreshold(0.9 + seed / 100, 0.5, 0.25, 4 * images)

    monkeypatch.setattr(sys.modules[known_threshold.__module__], "suggest_threshold", measure)
    return calls


def test_it_is_measured_once_for_the_same_content(measured: list[tuple[int, int]], cache: Path) -> None:
    space, same, other = lk.Space(np.eye(3)), lk.Space(np.eye(3), name="Another name"), lk.Space(np.eye(3)[::-1])
    assert stored_threshold(space) is None
    first = known_threshold(space)
    assert known_threshold(same) == first == stored_threshold(same)
    assert measured == [(100, 0)]
    assert stored_threshold(other) is None
    assert known_threshold(space, seed=3).threshold == pytest.approx(0.93)
    assert known_threshold(space, images=20).copies == 80
    assert measured == [(100, 0), (100, 3), (20, 0)]
    assert len(list(cache.glob("*.json"))) == 3


WRONG = [{"threshold": 2}, {"threshold": "0.9"}, {"threshold": float("nan")}, {"copies": 0}, {"alike": 3}, {"pairs": 2.5}]
WITHOUT_COPIES = {name: value for name, value in SOUND.items() if name != "copies"}


@pytest.mark.parametrize(
    "content", [b"", b"[1]", b"\xff\xfe", *(json.dumps(each).encode() for each in (WITHOUT_COPIES, *(SOUND | each for each in WRONG)))]
)
def test_a_damaged_file_is_measured_anew(measured: list[tuple[int, int]], cache: Path, content: bytes) -> None:
    space = lk.Space(np.eye(3))
    found = known_threshold(space)
    next(cache.glob("*.json")).write_bytes(content)
    assert stored_threshold(space) is None
    assert known_threshold(space) == found == stored_threshold(space)
    assert len(measured) == 2


def test_what_cannot_be_measured_is_not_kept(cache: Path) -> None:
    with pytest.raises(InputError, match="no model"):
        known_threshold(lk.Space(np.eye(3)))
    assert not cache.exists()
