"""A cache bounded by bytes: what is kept, what goes first, and one computation for two who ask at once."""

import threading
import time
from pathlib import Path

import numpy as np
import pandas as pd

from likeness.data import ImageTable
from likeness.space import Space
from shared import cached
from shared.bounded import BoundedCache


def test_the_last_asked_for_are_kept_within_the_bytes() -> None:
    cache: BoundedCache[bytes] = BoundedCache(100, len)
    for key in range(10):
        cache.get(key, lambda: bytes(30))
    assert (len(cache), cache.bytes) == (3, 90)
    made: list[int] = []
    cache.get(7, lambda: made.append(7) or bytes(30))  # type: ignore[func-returns-value]
    assert made == []
    cache.get(0, lambda: made.append(0) or bytes(30))  # type: ignore[func-returns-value]
    cache.get(8, lambda: made.append(8) or bytes(30))  # type: ignore[func-returns-value]
    assert made == [0, 8]  # 7 was asked for since, so 8 went first


def test_the_newest_is_kept_whatever_its_size() -> None:
    cache: BoundedCache[bytes] = BoundedCache(100, len)
    cache.get("small", lambda: bytes(50))
    cache.get("large", lambda: bytes(500))
    assert (len(cache), cache.bytes) == (1, 500)


def test_two_who_ask_at_once_wait_for_one_computation_and_errors_are_not_kept() -> None:
    cache: BoundedCache[bytes] = BoundedCache(100, len)
    made: list[int] = []

    def slow() -> bytes:
        made.append(1)
        time.sleep(0.05)
        return bytes(1)

    threads = [threading.Thread(target=cache.get, args=("a", slow)) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert made == [1]

    def broken() -> bytes:
        raise ValueError

    for _ in range(2):
        try:
            cache.get("b", broken)
        except ValueError:
            made.append(2)
    assert made == [1, 2, 2]


def test_mapped_vectors_take_no_memory(tmp_path: Path) -> None:
    rows = np.eye(4, 8, dtype=np.float32)
    np.save(tmp_path / "rows.npy", rows)
    table = ImageTable("four", tmp_path, pd.DataFrame({"path": [f"{row}.png" for row in range(4)]}))
    in_memory, mapped = Space(rows, table, name="a"), Space(np.load(tmp_path / "rows.npy", mmap_mode="r"), table, name="a")
    assert cached._held(in_memory) - cached._held(mapped) == rows.nbytes
    assert cached._held(mapped) > 0
