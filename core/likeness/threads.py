"""How many threads work on small matrices should have."""

from contextlib import AbstractContextManager, nullcontext
from typing import Any

# Multiply-adds per step, some milliseconds on one core: below, waiting for a second thread costs more than it gives, and a hundred times
# more where other programs use the cores.
_SMALL = 1e8


def threads_for(multiply_adds: float) -> AbstractContextManager[Any]:
    """A context in which torch has one thread, in the calling thread alone, if steps have so few multiply-adds; else all it had."""
    if multiply_adds >= _SMALL:
        return nullcontext()
    from threadpoolctl import threadpool_limits

    context: AbstractContextManager[Any] = threadpool_limits(limits=1, user_api="openmp")
    return context


def one_blas_thread() -> AbstractContextManager[Any]:
    """A context for many products of matrices so small that a second thread gains little, and waiting for one costs a hundredfold where a
    training has the cores."""
    from threadpoolctl import threadpool_limits

    context: AbstractContextManager[Any] = threadpool_limits(limits=1, user_api="blas")
    return context
