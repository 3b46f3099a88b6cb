import io
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

from likeness.io import remove_damaged_array
from likeness.labels import NumberLabels
from likeness.labels.distance_cache import stored_distances
from likeness.labels.protocol import Distances, Rows


class Watched:
    """Numbers on a line, and how many blocks of distances were asked for."""

    unit = "m"

    def __init__(self, count: int) -> None:
        self.labels, self.calls = NumberLabels(np.random.default_rng(0).normal(size=count)), 0

    def __len__(self) -> int:
        return len(self.labels)

    def between(self, rows: Rows, columns: Rows) -> Distances:
        self.calls += 1
        return self.labels.between(rows, columns)

    def whole(self) -> Distances:
        return self.labels.between(np.arange(len(self)), np.arange(len(self)))


def files(cache: Path) -> list[str]:
    return sorted(path.name for path in (cache / "label_distances").iterdir()) if (cache / "label_distances").is_dir() else []


@pytest.mark.parametrize("count", [1, 2, 31, 32, 33, 64, 65])
def test_borders_of_blocks(count: int) -> None:
    watched = Watched(count)
    found = stored_distances(watched, "key", workers=1)
    assert isinstance(found.matrix, np.memmap)
    assert (found.matrix.dtype, found.unit, len(found)) == (np.float32, "m", count)
    np.testing.assert_array_equal(found.matrix, watched.whole())
    blocks = -(-count // 32)
    assert watched.calls == blocks * (blocks + 1) // 2


def test_what_is_damaged_or_of_another_form_is_computed_again(cache: Path) -> None:
    sound = Watched(70)
    stored_distances(sound, "key", workers=1)
    (file,) = (cache / "label_distances").iterdir()
    whole, other = file.read_bytes(), io.BytesIO()
    np.save(other, np.zeros((3, 3)))
    for content in (b"", whole[:60], whole[:-4], other.getvalue(), b"no array" + whole[8:]):
        file.write_bytes(content)
        again = Watched(70)
        np.testing.assert_array_equal(stored_distances(again, "key", workers=1).matrix, sound.whole())
        assert again.calls
    assert len(files(cache)) == 1


def test_what_may_not_be_read_is_left_as_it_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of another user, in a cache that several share."""
    np.save(tmp_path / "a.npy", np.zeros(3, np.float32))

    def refuse(*_: object, **__: object) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr("likeness.io.array_files.np.load", refuse)
    remove_damaged_array(tmp_path / "a.npy", np.float32, (3,))
    assert (tmp_path / "a.npy").is_file()


def test_it_is_computed_once_by_any_number_of_workers(cache: Path) -> None:
    seen: list[tuple[int, int]] = []
    first = stored_distances(Watched(70), "one", lambda done, total: seen.append((done, total)), workers=1)
    assert (seen[0], seen[-1]) == ((32 * 33 // 2, 70 * 71 // 2), (70 * 71 // 2, 70 * 71 // 2))
    assert [done for done, _ in seen] == sorted({done for done, _ in seen})
    again = Watched(70)
    np.testing.assert_array_equal(first.matrix, stored_distances(again, "one", workers=1).matrix)
    assert again.calls == 0
    assert len(files(cache)) == 1
    other = Watched(40)
    stored_distances(other, "two", workers=1)
    assert other.calls == 3
    assert len(files(cache)) == 2
    labels = NumberLabels(np.random.default_rng(1).normal(size=(100, 2)))
    one = np.array(stored_distances(labels, "three", workers=1).matrix)
    np.testing.assert_array_equal(stored_distances(labels, "four", workers=2).matrix, one)


_KILLED = """
import os, signal
import numpy as np
from likeness.labels import NumberLabels
from likeness.labels.distance_cache import stored_distances
stored_distances(NumberLabels(np.arange(70.0)), "key", lambda done, total: done > 2000 and os.kill(os.getpid(), signal.SIGKILL), workers=1)
"""


@pytest.mark.skipif(os.name == "nt", reason="Windows has no SIGKILL")
def test_killed_half_way_leaves_nothing_that_is_read(cache: Path) -> None:
    killed = subprocess.run([sys.executable, "-c", _KILLED], env=os.environ | {"LIKENESS_CACHE": str(cache)}, check=False)
    assert killed.returncode == -signal.SIGKILL
    left = files(cache)
    assert [name.endswith(".partial") for name in left] == [True]
    watched = Watched(70)
    np.testing.assert_array_equal(stored_distances(watched, "key", workers=1).matrix, watched.whole())
    assert len(files(cache)) == 2  # it might be another process's, which still computes
    long_ago = time.time() - 2 * 86_400
    os.utime(cache / "label_distances" / left[0], (long_ago, long_ago))
    stored_distances(Watched(3), "another", workers=1)
    assert not any(name.endswith(".partial") for name in files(cache))
