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
        assert set(_blas_threads()) == {1}
        first.__exit__(None, None, None)  # it came first and leaves first, as other threads of a server do
        assert set(_blas_threads()) == {1}
        second.__exit__(None, None, None)
        assert _blas_threads() == before
        assert set(before) == {2}


@one_blas_thread()
def _nested(depth: int) -> list[int]:
    return _nested(depth - 1) if depth else _blas_threads()


def test_a_decorated_function_may_call_itself_and_fail() -> None:
    with threadpool_limits(limits=2, user_api="blas"):
        assert set(_nested(3)) == {1}
        with pytest.raises(RecursionError):
            _nested(100_000)
        assert set(_blas_threads()) == {2}
