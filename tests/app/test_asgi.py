"""The server begins before its pages are imported; sessions and pictures wait for these."""

import ast
import asyncio
import threading
from pathlib import Path
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


def test_what_main_and_the_first_page_import_is_imported_before(asgi: Any) -> None:
    def modules(name: str) -> set[str]:
        """The modules of the app that a module names at its top."""
        file = app / f"{name.replace('.', '/')}.py"
        taken = [node for node in ast.parse(file.read_text(encoding="utf-8")).body if isinstance(node, ast.ImportFrom)] if file.is_file() else []
        return {name for node in taken for name in (str(node.module), *(f"{node.module}.{each.name}" for each in node.names)) if is_module(name)}

    def is_module(name: str) -> bool:
        return (app / f"{name.replace('.', '/')}.py").is_file()

    app = Path(asgi.__file__).parents[1]
    found, rest = set[str](), set(asgi.FIRST_PAGE)
    while rest:
        found |= rest
        rest = {each for name in rest for each in modules(name)} - found
    assert all(map(is_module, asgi.FIRST_PAGE))
    assert modules("main") | modules("pages.explore.page") <= found
