"""Shares of a shared server: so many at once, and so much a second, for each client."""

import threading
import time
from collections import Counter
from collections.abc import Callable

_POLL_SECONDS = 0.5
_MOST_KNOWN = 10_000


class Slots:
    """A number of slots; whoever takes one gives it back.

    Args:
        most: of all together.
        most_of_one: of one client.
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
        """Acquires a slot once one is free for this client; False if it gave up."""
        while not should_stop():
            with self._changed:
                if self.take(who):
                    return True
                self._changed.wait(_POLL_SECONDS)
        return False

    def give_back(self, who: str) -> None:
        """Frees a slot of this client."""
        with self._changed:
            self._taken -= Counter([who])
            self._changed.notify_all()

    def taken(self, who: str | None = None) -> int:
        """How many are taken, by one client or by all."""
        with self._changed:
            return self._taken.total() if who is None else self._taken[who]


class Pace:
    """An allowance for each client, which is spent, and fills up again with time.

    Args:
        a_second: how much comes back each second.
        at_once: how much there is after a pause.
        most_owed: by how much it may be overdrawn.
        clock: of seconds.
    """

    def __init__(self, a_second: float, at_once: float, most_owed: float = float("inf"), clock: Callable[[], float] = time.monotonic) -> None:
        self._a_second, self._at_once, self._most_owed, self._clock = a_second, at_once, most_owed, clock
        self._left: dict[str, tuple[float, float]] = {}  # how much, and when that was
        self._lock = threading.Lock()

    def spend(self, who: str, amount: float = 1) -> float:
        """Takes so much of an allowance, or with 0 looks at it; the seconds until it is not overdrawn any more."""
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
