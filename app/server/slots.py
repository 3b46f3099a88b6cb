"""So many at once: for all together, and for each who asks."""

import threading
from collections import Counter
from collections.abc import Callable

_POLL_SECONDS = 0.5


class Slots:
    """A number of slots; whoever takes one gives it back.

    Args:
        most: of all together.
        most_of_one: of one who asks.
    """

    def __init__(self, most: int, most_of_one: int) -> None:
        self.most, self.most_of_one = most, most_of_one
        self._taken: Counter[str] = Counter()
        self._changed = threading.Condition(threading.RLock())

    def take(self, who: str) -> bool:
        """Acquires a slot for this client if one is free."""
        with self._changed:
            free = self._taken[who] < self.most_of_one and self._taken.total() < self.most
            if free:
                self._taken[who] += 1
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
            self._taken[who] -= 1
            if self._taken[who] <= 0:
                del self._taken[who]
            self._changed.notify_all()

    def taken(self, who: str | None = None) -> int:
        """How many are taken, by one client or by all."""
        with self._changed:
            return self._taken.total() if who is None else self._taken[who]
