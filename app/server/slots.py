"""Limits per client of a shared server: slots and rates."""

import threading
import time
from collections import Counter
from collections.abc import Callable

_POLL_SECONDS = 0.5
_MOST_KNOWN = 10_000


class Slots:
    """A number of slots that clients acquire and release.

    Args:
        most: slots in total.
        most_of_one: slots of one client.
    """

    def __init__(self, most: int, most_of_one: int) -> None:
        self.most, self.most_of_one = most, most_of_one
        self._taken: Counter[str] = Counter()
        self._changed = threading.Condition(threading.RLock())

    def take(self, who: str) -> bool:
        """Acquires a slot for this client if one is free."""
        with self._changed:
            free = self._taken[who] < self.most_of_one and self._taken.total() < self.most
            self._taken += Counter([who] if free else [])  # drops those who have none
            return free

    def wait_for(self, who: str, should_stop: Callable[[], bool]) -> bool:
        """Waits for a slot for this client; False if it gave up."""
        while not should_stop():
            with self._changed:
                if self.take(who):
                    return True
                self._changed.wait(_POLL_SECONDS)
        return False

    def give_back(self, who: str) -> None:
        """Releases a slot of this client."""
        with self._changed:
            self._taken -= Counter([who])
            self._changed.notify_all()

    def taken(self, who: str | None = None) -> int:
        """Number of slots in use, by one client or by all."""
        with self._changed:
            return self._taken.total() if who is None else self._taken[who]


class Pace:
    """A rate limit for each client: an allowance that refills with time.

    Args:
        a_second: refill per second.
        at_once: the full allowance.
        most_owed: largest overdraft.
        clock: returns seconds.
    """

    def __init__(self, a_second: float, at_once: float, most_owed: float = float("inf"), clock: Callable[[], float] = time.monotonic) -> None:
        self._a_second, self._at_once, self._most_owed, self._clock = a_second, at_once, most_owed, clock
        self._left: dict[str, tuple[float, float]] = {}  # how much, and when that was
        self._lock = threading.Lock()

    def spend(self, who: str, amount: float = 1) -> float:
        """Spends from an allowance (0: only checks it); returns the seconds until it is not overdrawn."""
        with self._lock:
            now = self._clock()
            left = max(self._now(who, now) - amount, -self._most_owed)
            self._left[who] = left, now
            if len(self._left) > _MOST_KNOWN:  # who has the whole allowance again needs no entry
                self._left = {known: each for known, each in self._left.items() if self._now(known, now) < self._at_once}
            return max(0.0, -left / self._a_second)

    def _now(self, who: str, now: float) -> float:
        left, since = self._left.get(who, (self._at_once, now))
        return min(self._at_once, left + (now - since) * self._a_second)
