import threading

import torch
from threadpoolctl import threadpool_limits

from likeness.threads import threads_for


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
