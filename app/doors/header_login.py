"""A shared server behind a reverse proxy that signs people in and names each in a header."""

from starlette.datastructures import Headers
from starlette.types import ASGIApp, Receive, Scope, Send

import audit
from accounts import account_name
from doors.door_page import answer, plain
from doors.proxies import is_trusted, peer
from doors.token_door import is_health
from likeness.errors import InputError
from server_settings import ServerSettings
from signed_in import let_in


class HeaderLogin:
    """Lets those in whom a trusted proxy names in a header, and nobody who writes that header himself.

    Args:
        app: what lies behind.
        settings: of the server: `auth_header` and `trusted_proxies`.
    """

    def __init__(self, app: ASGIApp, settings: ServerSettings) -> None:
        assert settings.auth_header is not None
        self.app, self.header = app, settings.auth_header

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] not in ("http", "websocket") or is_health(scope):
            await self.app(scope, receive, send)
            return
        given, trusted = Headers(scope=scope).getlist(self.header), is_trusted(peer(scope))
        if given and not trusted:
            audit.record("header refused", peer(scope), self.header)
            await answer(scope, receive, send, plain("This server is used through its reverse proxy; open that one's address.", 403))
            return
        try:
            name = account_name(given[0]) if len(given) == 1 else ""
        except InputError:
            name = ""
        if not name:
            sentence = f"The reverse proxy names no account in {self.header}; open its address, and sign in there."
            await answer(scope, receive, send, plain(sentence, 401))
            return
        await let_in(self.app, scope, receive, send, name, lambda: True)
