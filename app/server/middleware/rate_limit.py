"""How much one client may ask for: some at once, and then so much a second."""

import threading
import time
from collections.abc import Callable

_MOST_KNOWN = 10_000


class Pace:
    """An allowance for each client, which is spent, and fills up again with time.

    Args:
        a_second: how much comes back each second.
        at_once: how much there is after a pause.
        most_owed: by how much it may be overdrawn; None: by any amount.
        clock: of seconds.
    """

    def __init__(self, a_second: float, at_once: float, most_owed: float | None = None, clock: Callable[[], float] = time.monotonic) -> None:
        self._a_second, self._at_once, self._most_owed, self._clock = a_second, at_once, most_owed, clock
        self._left: dict[str, tuple[float, float]] = {}  # how much, and when that was
        self._lock = threading.Lock()

    def spend(self, who: str, amount: float = 1) -> float:
        """Takes so much of an allowance; the seconds until it is not overdrawn any more."""
        with self._lock:
            now = self._clock()
            left = self._now(who, now) - amount
            if self._most_owed is not None:
                left = max(left, -self._most_owed)
            self._left[who] = left, now
            if len(self._left) > _MOST_KNOWN:
                self._forget(now)
            return max(0.0, -left / self._a_second)

    def is_overdrawn(self, who: str) -> bool:
        """Whether a client has used more than its allowance."""
        with self._lock:
            return self._now(who, self._clock()) < 0

    def _now(self, who: str, now: float) -> float:
        left, since = self._left.get(who, (self._at_once, now))
        return min(self._at_once, left + (now - since) * self._a_second)

    def _forget(self, now: float) -> None:
        """Those who have their whole allowance again."""
        self._left = {who: known for who, known in self._left.items() if self._now(who, now) < self._at_once}
