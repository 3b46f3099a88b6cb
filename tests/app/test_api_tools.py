"""The MCP tools: a client of the official package lists and calls them on a served app."""

import base64
import importlib.util
from pathlib import Path
from typing import Any

import httpx2
import pytest

from likeness.data import read_cars
from likeness.errors import InputError
from server import settings
from server.accounts import write_token
from worlds import cars as all_cars, in_own_loop

pytestmark = pytest.mark.skipif(importlib.util.find_spec("mcp") is None, reason="the package mcp is not installed")


@pytest.fixture(scope="module")
def app_and_token(begin_once: Any, tmp_path_factory: pytest.TempPathFactory) -> tuple[Any, str]:
    """A served app with tools, and a token."""
    file = tmp_path_factory.mktemp("tools") / "tokens.txt"
    token = write_token(file, "agent")
    return begin_once("--token", "--mcp", "--program-tokens", str(file)), token


@pytest.fixture
def served(app_and_token: tuple[Any, str]) -> tuple[str, str]:
    """Address of its tools, and the token."""
    return f"{app_and_token[0].url}/mcp", app_and_token[1]


def _with_client(served: tuple[str, str], mode: str, work: Any) -> Any:
    """What `work` makes of a connected client."""
    from mcp import Client
    from mcp.client.streamable_http import streamable_http_client

    async def main() -> Any:
        headers = {"Authorization": f"Bearer {served[1]}"}
        async with (
            httpx2.AsyncClient(headers=headers, timeout=600, trust_env=False) as http,
            Client(streamable_http_client(served[0], http_client=http), mode=mode) as client,
        ):
            return await work(client)

    return in_own_loop(main())


@pytest.mark.parametrize("mode", ["auto", "legacy"])
def test_a_client_lists_and_calls_tools(served: tuple[str, str], mode: str) -> None:
    cars = {"dataset": "cars"}
    calls = {
        "neighbors": cars | {"row": 3, "k": 4},
        "search": cars | {"terms": [{"text": "a red car"}], "k": 3},
        "search by picture": cars | {"terms": [{"image": base64.b64encode(read_cars().file(11).read_bytes()).decode()}], "k": 1},
        "edit_labels": cars | {"rows": [1, 2], "tag": f"by {mode}"},
        "list_labels": cars,
    }

    async def work(client: Any) -> Any:
        tools = {tool.name: tool for tool in (await client.list_tools()).tools}
        return tools, [(await client.call_tool(name.partition(" ")[0], arguments)).structured_content for name, arguments in calls.items()]

    names = [name for name in calls if " " not in name]
    tools, (near, texts, picture, given, labels) = _with_client(served, mode, work)
    assert {"status", "list_datasets", "fit_notion", *names} <= set(tools)
    assert [tools[name].annotations.read_only_hint for name in names] == [True, True, False, True]
    assert tools["neighbors"].input_schema["required"] == ["dataset", "row"]
    space = all_cars()
    assert [hit["row"] for hit in near["hits"]] == space.nearest(3, k=4).rows.tolist()
    assert [hit["row"] for hit in texts["hits"]] == space.nearest("a red car", k=3).rows.tolist()
    assert [hit["row"] for hit in picture["hits"]] == [11]
    assert given["images"] == 2
    assert f"by {mode}" in {each["name"] for each in labels["labels"]}


def test_wrong_calls_are_told_in_a_sentence(served: tuple[str, str]) -> None:
    wrong = [
        ("nope", {}),
        ("neighbors", {}),
        ("neighbors", {"dataset": "nope", "row": 1}),
        ("neighbors", {"dataset": "cars", "row": 5_000}),
        *(("neighbors", {"dataset": "cars", "row": row}) for row in (False, "3", 3.0)),
        *(("neighbors", {"dataset": "cars", "row": 1} | wrong) for wrong in ({"k": "3"}, {"k": True}, {"attributes": "yes"})),
        ("search", {"dataset": "cars", "terms": [{"row": True}]}),
        ("search", {"dataset": "cars", "terms": [{"text": "a", "row": 2}]}),
        ("edit_labels", {"dataset": "cars", "rows": [1], "tag": "car_color"}),
    ]

    async def work(client: Any) -> list[Any]:
        return [await client.call_tool(name, arguments) for name, arguments in wrong]

    for result in _with_client(served, "legacy", work):
        assert result.is_error
        assert result.content[0].text.endswith(".")
        assert "Traceback" not in result.content[0].text


def test_no_call_without_the_token_nor_from_a_foreign_page(served: tuple[str, str]) -> None:
    call = {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}
    headers = {"Accept": "application/json, text/event-stream", "Authorization": f"Bearer {served[1]}"}
    with httpx2.Client(timeout=600, trust_env=False) as client:
        assert client.post(served[0], json=call, headers=headers).status_code == 200
        assert client.post(served[0], json=call, headers=headers | {"Authorization": "Bearer nope"}).status_code == 401
        assert client.post(served[0], json=call, headers=headers | {"Origin": "http://evil.example"}).status_code == 403
        assert client.get(served[0], headers=headers).status_code == 405
        assert client.get(served[0].replace("/mcp", "/api/v1/status"), headers=headers).status_code == 404  # off, beside the tools


def test_a_missing_package_is_told_before_the_start(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(settings, "find_spec", lambda name: None)
    with pytest.raises(InputError, match=r"likeness\[mcp\]"):
        settings.settings_from({"mcp": True})


def test_a_call_that_breaks_off_leaves_no_traceback(app_and_token: tuple[Any, str]) -> None:
    app, token = app_and_token
    before = len(app.printed())
    headers = {"Authorization": f"Bearer {token}", "Content_Type": "application/json", "Accept": "application/json, text/event-stream"}
    for _ in range(2):
        app.break_off("POST /mcp", b'{"jsonrpc": "2.0", ', **headers, Content_Length="1000")
    with httpx2.Client(headers={"Authorization": f"Bearer {token}"}, trust_env=False) as client:
        kinds = {"Content-Type": "application/json", "Accept": "application/json, text/event-stream"}
        for content in (b"\xff", b"[" * 100_000, b"{}"):
            assert client.post(f"{app.url}/mcp", content=content, headers=kinds).status_code == 400
    printed = app.printed()[before:]
    assert "Traceback" not in printed
    assert len(printed.splitlines()) <= 2, printed
