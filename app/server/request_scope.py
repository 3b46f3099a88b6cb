"""The request that is being answered for a program, where no page of Streamlit is drawn: who asks follows from it."""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

from starlette.types import Scope

_scope: ContextVar[Scope | None] = ContextVar("likeness_request", default=None)
PROGRAM = "likeness_program"  # in a scope: the name of the token that a program showed


def request_scope() -> Scope | None:
    """The request that this thread or task works for; None where it is none of a program's."""
    return _scope.get()


@contextmanager
def answering(scope: Scope) -> Iterator[None]:
    """While it lasts, `signed_in`, `visitors` and `clients` take this request for what is asked; threads that begin in it inherit it."""
    before = _scope.set(scope)
    try:
        yield
    finally:
        _scope.reset(before)
