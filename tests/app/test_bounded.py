"""A cache bounded by bytes: what is kept, what goes first, and one computation for two who ask at once."""

import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from likeness.data import ImageTable
from likeness.space import Space
from shared import cached
from shared.bounded import BoundedCache


def test_the_last_asked_for_are_kept_within_the_bytes() -> None:
    cache: BoundedCache[bytes] = BoundedCache(100, len)
    made: list[int] = []

    def ask(key: int, size: int = 30) -> None:
        cache.get(key, lambda: made.append(key) or bytes(size))  # type: ignore[func-returns-value]

    for key in (*range(10), 7, 0, 8):
        ask(key)
    assert (len(cache), cache.bytes) == (3, 90)
    assert made == [*range(10), 0, 8]  # 7 was asked for since, so 8 went first
    ask(11, 500)  # the newest is kept whatever its size
    assert (len(cache), cache.bytes) == (1, 500)


def test_two_who_ask_at_once_wait_for_one_computation_and_errors_are_not_kept() -> None:
    cache: BoundedCache[bytes] = BoundedCache(100, len)
    made: list[int] = []

    def slow() -> bytes:
        made.append(1)
        time.sleep(0.05)
        return bytes(1)

    with ThreadPoolExecutor(8) as threads:
        assert list(threads.map(lambda _: cache.get("a", slow), range(8))) == [bytes(1)] * 8
    assert made == [1]

    def broken() -> bytes:
        made.append(2)
        raise ValueError("broken")

    for _ in range(2):
        with pytest.raises(ValueError, match="broken"):
            cache.get("b", broken)
    assert made == [1, 2, 2]


def test_mapped_vectors_take_no_memory(tmp_path: Path) -> None:
    rows = np.eye(4, 8, dtype=np.float32)
    np.save(tmp_path / "rows.npy", rows)
    table = ImageTable("four", tmp_path, pd.DataFrame({"path": [f"{row}.png" for row in range(4)]}))
    in_memory, mapped = Space(rows, table, name="a"), Space(np.load(tmp_path / "rows.npy", mmap_mode="r"), table, name="a")
    assert cached._held(in_memory) - cached._held(mapped) == rows.nbytes
    assert cached._held(mapped) > 0
