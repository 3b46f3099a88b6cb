"""The server begins before its pages are imported; sessions and pictures wait for these."""

import asyncio
import threading
from typing import Any

import pytest
import streamlit as st

from worlds import in_own_loop


@pytest.fixture
def asgi(monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.setattr(st, "get_option", lambda name: "127.0.0.1")
    from server import asgi

    return asgi


def test_sessions_and_pictures_wait_until_the_pages_are_imported_and_files_do_not(asgi: Any) -> None:
    begin = threading.Event()
    thread = threading.Thread(target=begin.wait)
    thread.start()
    answered: list[str] = []

    async def app(scope: Any, receive: Any, send: Any) -> None:
        answered.append(scope["path"])

    async def ask() -> None:
        doors = asgi.PagesFirst(app, thread)
        first = [("websocket", "/_stcore/stream"), ("http", "/thumbnails/cars/0"), ("http", "/api/v1/status")]
        scopes = [*first, ("http", "/static/js/index.js"), ("http", "/")]
        waiting = [asyncio.create_task(doors({"type": kind, "path": path}, None, None)) for kind, path in scopes]
        await asyncio.gather(*waiting[3:])
        assert sorted(answered) == ["/", "/static/js/index.js"]
        begin.set()
        await asyncio.gather(*waiting)

    in_own_loop(ask())
    thread.join()
    assert sorted(answered[2:]) == ["/_stcore/stream", "/api/v1/status", "/thumbnails/cars/0"]


def test_every_address_of_a_picture_leads_to_the_pictures(asgi: Any) -> None:
    from api.picture_routes import ROUTES

    assert {str(route.path).split("/")[1] for route in ROUTES} == set(asgi.PICTURES)
