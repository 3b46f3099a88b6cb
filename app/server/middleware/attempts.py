"""Tries to sign in, slowed down where many were wrong: by the address they come from, and by the name they are for."""

import time
from collections import OrderedDict
from collections.abc import Callable
from ipaddress import IPv6Address, ip_address, ip_network

_FREE = 5
_LONGEST = 60.0  # seconds between two tries
_FORGOTTEN = 900.0  # seconds after the last one
_MOST = 10_000  # addresses and names that are remembered


class Attempts:
    """Counts tries until one succeeds. After five, a key has to wait 1, 2, 4 ... seconds between two of them, a minute at most.

    Used from the event loop alone.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._tries: OrderedDict[str, tuple[int, float]] = OrderedDict()

    def wait(self, *keys: str) -> float:
        """Seconds before any of these may try again. At 0 this is a try, which counts as wrong until it is taken back."""
        now = self._clock()
        seconds = max(self._left(key, now) for key in keys)
        if seconds <= 0:
            for key in keys:
                self._tries[key] = self._count(key, now) + 1, now
                self._tries.move_to_end(key)
            while len(self._tries) > _MOST:
                self._tries.popitem(last=False)
        return max(0.0, seconds)

    def forget(self, key: str) -> None:
        """Counts from nothing again."""
        self._tries.pop(key, None)

    def take_back(self, key: str) -> None:
        """Counts one try less, which was right."""
        if key in self._tries:
            count, last = self._tries[key]
            self._tries[key] = count - 1, last

    def _count(self, key: str, now: float) -> int:
        count, last = self._tries.get(key, (0, now))
        return count if now - last < _FORGOTTEN else 0

    def _left(self, key: str, now: float) -> float:
        count = self._count(key, now)
        pause = min(_LONGEST, 2.0 ** (count - _FREE)) if count >= _FREE else 0.0
        return self._tries[key][1] + pause - now if pause else 0.0


def address_key(address: str) -> str:
    """The key of an address; of IPv6 the network of 64 bits, all of whose addresses are usually one customer's."""
    try:
        found = ip_address(address)
    except ValueError:
        return f"address {address}"
    return f"address {ip_network(f'{found}/64', strict=False) if isinstance(found, IPv6Address) else found}"
