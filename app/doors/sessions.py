"""Who is signed in: in this process's memory, by the random value of a cookie; a new start of the server signs everyone out."""

import secrets
import time
from collections.abc import Callable

from accounts import Account, read_accounts
from server_settings import server


class Sessions:
    """Signed-in browsers; a session ends after `seconds`, at the sign-out, and when its account is removed or gets another password."""

    def __init__(self, seconds: float, clock: Callable[[], float] = time.monotonic) -> None:
        self._seconds, self._clock = seconds, clock
        self._sessions: dict[str, tuple[Account, float]] = {}

    def begin(self, account: Account) -> str:
        """The key of a new session."""
        now = self._clock()
        self._sessions = {key: session for key, session in self._sessions.items() if session[1] > now}
        key = secrets.token_urlsafe(32)
        self._sessions[key] = account, now + self._seconds
        return key

    def name(self, key: str) -> str:
        """The account's name; empty where there is no such session, or none any more.

        Raises:
            InputError: the password file cannot be read.
        """
        account, end = self._sessions.get(key, (None, 0.0))
        file = server().auth
        if account is None or file is None or end <= self._clock():
            return ""
        now = read_accounts(file).get(account.name)
        return account.name if now is not None and now.hash == account.hash else ""

    def end(self, key: str) -> None:
        """Ends a session."""
        self._sessions.pop(key, None)
