import subprocess
import sys
import threading

import numpy as np  # noqa: F401 (its BLAS is counted)
import pytest
import torch
from threadpoolctl import threadpool_info, threadpool_limits

from likeness.threads import one_blas_thread, threads_for


def test_small_steps_get_one_thread_and_large_ones_all() -> None:
    with threadpool_limits(limits=3, user_api="openmp"):
        with threads_for(1e6):
            assert torch.get_num_threads() == 1
        assert torch.get_num_threads() == 3
        with threads_for(1e10):
            assert torch.get_num_threads() == 3


def test_other_threads_keep_theirs() -> None:
    counts = []
    with threads_for(1e6):
        before = torch.get_num_threads()
        other = threading.Thread(target=lambda: counts.append(torch.get_num_threads()))
        other.start()
        other.join()
    fresh = threading.Thread(target=lambda: counts.append(torch.get_num_threads()))
    fresh.start()
    fresh.join()
    assert before == 1
    assert counts[0] == counts[1]


def _blas_threads() -> list[int]:
    return [library["num_threads"] for library in threadpool_info() if library["user_api"] == "blas"]


def test_the_last_to_leave_gives_blas_its_threads_back() -> None:
    with threadpool_limits(limits=2, user_api="blas"):
        before = _blas_threads()
        first, second = one_blas_thread(), one_blas_thread()
        first.__enter__()
        second.__enter__()
        both = _blas_threads()
        first.__exit__(None, None, None)  # it came first and leaves first, as other threads of a server do
        one = _blas_threads()
        second.__exit__(None, None, None)
        assert set(both) == set(one) == {1}
        assert _blas_threads() == before
        assert set(before) == {2}


_LATER = """
import numpy
from threadpoolctl import threadpool_info, threadpool_limits
from likeness.threads import one_blas_thread

def blas():
    return [library["num_threads"] for library in threadpool_info() if library["user_api"] == "blas"]

with one_blas_thread():
    few = len(blas())
import faiss, scipy.optimize, scipy.linalg
with threadpool_limits(limits=2, user_api="blas"):
    with one_blas_thread():
        inside = blas()
    assert set(blas()) == {2}, blas()
assert len(inside) > few, (few, inside)
assert set(inside) == {1}, inside
"""


def test_libraries_that_come_later_are_limited_too() -> None:
    ended = subprocess.run([sys.executable, "-c", _LATER], capture_output=True, text=True)
    assert ended.returncode == 0, ended.stderr


@one_blas_thread()
def _nested(depth: int) -> list[int]:
    return _nested(depth - 1) if depth else _blas_threads()


def test_a_decorated_function_may_call_itself_and_fail() -> None:
    with threadpool_limits(limits=2, user_api="blas"):
        assert set(_nested(3)) == {1}
        with pytest.raises(RecursionError):
            _nested(100_000)
        assert set(_blas_threads()) == {2}
