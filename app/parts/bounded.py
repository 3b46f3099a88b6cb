"""Results that all sessions share, bounded by the memory they hold and not by their number."""

import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable
from typing import Any, Generic, TypeVar

Value = TypeVar("Value")


class BoundedCache(Generic[Value]):
    """The results last asked for, as many as fit.

    The newest one is kept whatever its size. Two sessions that ask for the same at once wait for one computation.

    Args:
        most_bytes: of all results together.
        size: bytes of one.
    """

    def __init__(self, most_bytes: int, size: Callable[[Value], int]) -> None:
        self._most, self._size = most_bytes, size
        self._kept: OrderedDict[Hashable, tuple[Value, int]] = OrderedDict()
        self._under_way: dict[Hashable, threading.Lock] = {}
        self._lock = threading.Lock()

    @property
    def bytes(self) -> int:
        """Of what is kept."""
        with self._lock:
            return sum(size for _, size in self._kept.values())

    def __contains__(self, key: Hashable) -> bool:
        return key in self._kept

    def __len__(self) -> int:
        return len(self._kept)

    def get(self, key: Hashable, make: Callable[[], Value]) -> Value:
        """The result of this key, made now where it is not kept."""
        with self._lock:
            own = self._under_way.setdefault(key, threading.Lock())
        with own:
            with self._lock:
                if key in self._kept:
                    self._kept.move_to_end(key)
                    return self._kept[key][0]
            try:
                value = make()
                self._keep(key, value)
            finally:
                with self._lock:
                    self._under_way.pop(key, None)
            return value

    def _keep(self, key: Hashable, value: Value) -> None:
        with self._lock:
            self._kept[key] = value, self._size(value)
            total = sum(size for _, size in self._kept.values())
            while total > self._most and len(self._kept) > 1:
                _, (_, size) = self._kept.popitem(last=False)
                total -= size

    def drop_where(self, unwanted: Callable[[Any], bool]) -> None:
        """Forgets the results of the keys that this is true of."""
        with self._lock:
            for key in [key for key in self._kept if unwanted(key)]:
                del self._kept[key]

    def clear(self) -> None:
        """Forgets all."""
        with self._lock:
            self._kept.clear()
