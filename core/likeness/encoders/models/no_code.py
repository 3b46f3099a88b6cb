"""Keeps transformers from running a model's own code while a model is loaded, whatever a configuration says and whichever library asks."""

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from likeness.errors import InputError

_here = threading.local()
_guarding = threading.Lock()
# The two functions of transformers through which all code of a model goes: one fetches it, one runs it.
_DOORS = ("get_cached_module_file", "get_class_in_module")


@contextmanager
def no_code() -> Iterator[None]:
    """While it lasts, a model's own code is refused in this thread with an InputError. What others do in this process stays as it is."""
    _guard()
    before = getattr(_here, "closed", False)
    _here.closed = True
    try:
        yield
    finally:
        _here.closed = before


def _guard() -> None:
    from transformers import dynamic_module_utils

    with _guarding:
        for name in _DOORS:
            door = getattr(dynamic_module_utils, name)
            if not hasattr(door, "guarded"):
                setattr(dynamic_module_utils, name, _guarded(door))


def _guarded(door: Callable[..., Any]) -> Callable[..., Any]:
    def guarded(*given: Any, **options: Any) -> Any:
        if getattr(_here, "closed", False):
            raise InputError("The model asks for code of its own, which is never run; choose a model that needs none.")
        return door(*given, **options)

    guarded.guarded = True  # type: ignore[attr-defined]
    return guarded
