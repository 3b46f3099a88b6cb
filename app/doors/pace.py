"""How fast one client may ask: as many at once as he likes, up to a number, and then so many a second."""

import time
from collections.abc import Callable


class Pace:
    """An allowance for each client, which fills up again with time.

    Args:
        a_second: how many more may be asked each second.
        at_once: how many may be asked after a pause.
        clock: of seconds.
    """

    def __init__(self, a_second: float, at_once: float, clock: Callable[[], float] = time.monotonic) -> None:
        self._a_second, self._at_once, self._clock = a_second, at_once, clock
        self._spent: dict[str, tuple[float, float]] = {}  # what is left, and when that was

    def wait_seconds(self, who: str) -> float:
        """Spends one, and tells how long to wait before it is answered."""
        now = self._clock()
        left, since = self._spent.get(who, (self._at_once, now))
        left = min(self._at_once, left + (now - since) * self._a_second) - 1
        self._spent[who] = (left, now)
        if len(self._spent) > _MOST_KNOWN:
            self._forget(now)
        return max(0.0, -left / self._a_second)

    def _forget(self, now: float) -> None:
        """Those who have been quiet have their whole allowance again."""
        full = self._at_once / self._a_second
        self._spent = {who: (left, since) for who, (left, since) in self._spent.items() if now - since < full}


_MOST_KNOWN = 10_000
