"""Limit threads for work on small matrices."""

import sys
from collections.abc import Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager, nullcontext
from functools import lru_cache
from threading import Lock
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from threadpoolctl import ThreadpoolController

# Multiply-adds per step, some milliseconds on one core: below, waiting for a second thread costs more than it gives, and a hundred times
# more where other programs use the cores.
_SMALL = 1e8


def threads_for(multiply_adds: float) -> AbstractContextManager[Any]:
    """A context that limits torch to one thread, for the calling thread only, if steps have few multiply-adds."""
    if multiply_adds >= _SMALL:
        return nullcontext()
    from threadpoolctl import threadpool_limits

    context: AbstractContextManager[Any] = threadpool_limits(limits=1, user_api="openmp")
    return context


@contextmanager
def one_blas_thread() -> Iterator[None]:
    """A context, or with parentheses a decorator, that limits BLAS to one thread, for many small matrix products: waiting for a second thread can
    take a hundred times longer if other work occupies the cores.

    The limit is per process: the first block to enter sets it and the last to leave restores it.
    """
    with _LOCK:
        if not _inside:
            _limited.enter_context(_libraries(len(sys.modules)).limit(limits=1, user_api="blas"))
        _inside.append(None)
    try:
        yield
    finally:
        with _LOCK:
            _inside.pop()
            if not _inside:
                _limited.close()


_LOCK, _limited = Lock(), ExitStack()
_inside: list[None] = []


@lru_cache(maxsize=1)
def _libraries(imported: int) -> "ThreadpoolController":
    """The BLAS libraries of this process, searched again (some milliseconds) after every import, because SciPy and faiss bring their own."""
    from threadpoolctl import ThreadpoolController

    return ThreadpoolController()
