"""A shared server behind a reverse proxy that signs people in and names each in a header."""

from starlette.datastructures import Headers
from starlette.types import ASGIApp, Receive, Scope, Send

import audit
from accounts import account_name
from doors.door_page import answer, plain
from doors.programs import bearer_of
from doors.proxies import is_trusted, peer
from doors.token_door import is_health
from likeness.errors import InputError
from program_tokens import program_name
from server_settings import ServerSettings
from signed_in import let_in


class HeaderLogin:
    """Lets those in whom a trusted proxy names in a header, and nobody who writes that header himself; programs by tokens of their own, past the
    proxy, too.

    Args:
        app: what lies behind.
        settings: of the server: `auth_header`, `trusted_proxies` and `program_tokens`.
    """

    def __init__(self, app: ASGIApp, settings: ServerSettings) -> None:
        assert settings.auth_header is not None
        self.app, self.header, self.tokens = app, settings.auth_header, settings.program_tokens

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] not in ("http", "websocket") or is_health(scope):
            await self.app(scope, receive, send)
            return
        given, trusted = Headers(scope=scope).getlist(self.header), is_trusted(peer(scope))
        if given and not trusted:
            audit.record("header refused", peer(scope), self.header)
            await answer(scope, receive, send, plain("This server is used through its reverse proxy; open that one's address.", 403))
            return
        shown = bearer_of(scope)
        try:
            name = program_name(self.tokens, shown) if shown is not None and not given else account_name(given[0]) if len(given) == 1 else ""
        except InputError:
            name = ""
        if not name:
            sentence = f"The reverse proxy names no account in {self.header}; open its address, and sign in there."
            await answer(scope, receive, send, plain(sentence, 401))
            return
        await let_in(self.app, scope, receive, send, name, lambda: True)
