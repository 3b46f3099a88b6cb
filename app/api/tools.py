"""The operations as MCP tools (Model Context Protocol), with the official package: streamable HTTP, without sessions."""

import json
from contextlib import nullcontext
from functools import cache, partial
from importlib.metadata import version
from typing import TYPE_CHECKING, Any

from pydantic import create_model
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect
from starlette.types import Message, Receive, Scope, Send

from api.gate import Gate
from api.operations import OPERATIONS, Operation, answered
from api.schemas import Schema
from server.accounts import answering
from server.middleware.responses import problem

if TYPE_CHECKING:
    from mcp.server.lowlevel import Server

_LARGEST = 32_000_000  # bytes of a call
_ABOUT = (
    'Search images by what "similar" means: by text, by image or several terms, in the space of an encoder or a notion. '
    "Begin with list_datasets; a row is the number of an image in its dataset."
)
TOOLS = {each.name: each for each in OPERATIONS if not (each.takes_picture or each.gives_picture)}


class Tools:
    """Answers at /mcp while `run` lasts.

    Args:
        gate: its slots and threads run the calls.
    """

    def __init__(self, gate: Gate) -> None:
        from mcp.server.streamable_http_manager import StreamableHTTPSessionManager

        self._manager = StreamableHTTPSessionManager(tool_server(gate), json_response=True, stateless=True, max_request_body_size=_LARGEST)
        self.run = self._manager.run

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["method"] == "POST":
            await self._manager.handle_request(scope, _whole(receive), send)
        else:  # a stream from the server, which sends no messages of its own
            await problem(405, "This address takes POST requests only.", {"Allow": "POST"})(scope, receive, send)


def _whole(receive: Receive) -> Receive:
    """Raises ClientDisconnect if the body breaks off, which the package would log as a server error."""
    has_all = False

    async def received() -> Message:
        nonlocal has_all
        message = await receive()
        if message["type"] == "http.disconnect" and not has_all:
            raise ClientDisconnect
        has_all = has_all or not message.get("more_body", False)
        return message

    return received


def tool_server(gate: Gate) -> "Server[Any]":
    """The MCP server of all tools, for any transport."""
    import mcp_types as types
    from mcp.server.lowlevel import Server

    async def list_tools(context: Any, parameters: Any) -> types.ListToolsResult:
        return types.ListToolsResult(tools=[described(each) for each in TOOLS.values()])

    def described(each: Operation) -> types.Tool:
        hints = types.ToolAnnotations(read_only_hint=not each.writes, destructive_hint=each.writes, open_world_hint=False)
        return types.Tool(name=each.name, description=each.description, input_schema=_input(each).model_json_schema(), annotations=hints)

    def result(text: str, content: Any = None, is_error: bool = False) -> types.CallToolResult:
        return types.CallToolResult(content=[types.TextContent(text=text)], structured_content=content, is_error=is_error)

    async def call_tool(context: Any, parameters: types.CallToolRequestParams) -> types.CallToolResult:
        operation = TOOLS.get(parameters.name)
        if operation is None:
            return result(f"There is no tool '{parameters.name[:80]}'; list the tools.", is_error=True)
        scope = getattr(context.request, "scope", None)
        try:
            with answering(scope) if scope is not None else nullcontext():  # the request identifies the client, whatever task answers
                found = await answered(gate, operation, partial(_call, operation, parameters.arguments or {}))
        except HTTPException as error:
            return result(error.detail, is_error=True)
        return result(json.dumps(found), found)

    return Server("likeness", version=version("likeness"), instructions=_ABOUT, on_list_tools=list_tools, on_call_tool=call_tool)


@cache
def _input(operation: Operation) -> type[Schema]:
    """All arguments of an operation as one model: its own fields, and the names in the path."""
    name, base = operation.model or ("", Schema)
    fields = {each: (kind, ...) for each, kind in operation.arguments.items() if each != name}
    return create_model(operation.name, __base__=base, __cls_kwargs__={"strict": True}, **fields)  # type: ignore[call-overload, no-any-return]


def _call(operation: Operation, arguments: dict[str, Any]) -> dict[str, Any]:
    checked = _input(operation).model_validate(arguments)
    model = operation.model
    given = {name: checked if model and name == model[0] else getattr(checked, name) for name in operation.arguments}
    return operation.work(**given).model_dump(mode="json", exclude_unset=True)  # type: ignore[no-any-return]
