"""All operations for programs: typed functions, each with an HTTP address and an MCP tool, and the mapping of their errors."""

import inspect
import logging
from collections.abc import Callable
from dataclasses import dataclass
from http import HTTPStatus
from importlib.metadata import version
from typing import Annotated, Any, Literal, get_args, get_origin

from fastapi.exceptions import RequestValidationError
from pydantic import ValidationError
from starlette.exceptions import HTTPException
from starlette.responses import Response

from api import datasets, labeling, notions, searching
from api.gate import NOT_THERE, Gate, computing
from api.schemas import Picture, Schema, Status
from likeness.data import list_datasets
from likeness.errors import InputError
from likeness.io import validation_message
from parts.cached import TooManyMissingError
from server.access import refusal, shared_name, without_paths
from server.accounts import account
from server.settings import server
from server.visitors import visitor

_DATASET = "/datasets/{dataset}"
_LARGE = 32_000_000  # bytes of a query with pictures in it
_LONGEST = 500  # characters of an error
_ROUTING = {404: NOT_THERE, 405: "This address does not support this method."}


@dataclass(frozen=True)
class Operation:
    """One operation for programs.

    Attributes:
        method, path: HTTP method, and path below /api/v1.
        work: called in a thread; its docstring is the description. Takes the names in the path, and at most one model, whose fields a GET request
            has in its query and a POST request in its JSON body; with a `Picture`, that is the body, and the model is in the query.
        topic: heading in the documentation.
        computes: whether it needs one of the few slots.
        writes: whether it changes something.
        most_bytes: limit of a JSON body.
    """

    method: Literal["GET", "POST"]
    path: str
    work: Callable[..., Any]
    topic: str
    computes: bool = False
    writes: bool = False
    most_bytes: int = 1_000_000

    @property
    def name(self) -> str:
        """The function's name, as operationId and as the tool's name."""
        return self.work.__name__

    @property
    def description(self) -> str:
        """The function's docstring on one line."""
        return " ".join((self.work.__doc__ or "").split())

    @property
    def arguments(self) -> dict[str, Any]:
        """Types of the function's parameters, by name."""
        return {name: each.annotation for name, each in inspect.signature(self.work).parameters.items()}

    @property
    def takes_picture(self) -> bool:
        """Whether its body is a picture file."""
        return Picture in self.arguments.values()

    @property
    def gives_picture(self) -> bool:
        """Whether its answer is a picture file."""
        return issubclass(self.work.__annotations__["return"], Response)

    @property
    def model(self) -> tuple[str, type[Schema]] | None:
        """The name and type of its model, if any."""
        types = {name: get_args(each)[0] if get_origin(each) is Annotated else each for name, each in self.arguments.items()}
        return next(((name, each) for name, each in types.items() if isinstance(each, type) and issubclass(each, Schema)), None)


def status() -> Status:
    """Shows the server's version, your account and permissions, and how busy the server is."""
    settings = server()
    return Status(
        version=version("likeness"),
        shared=settings.shared,
        account=account(),
        may_edit=not refusal("edit"),
        datasets=len(list_datasets(visitor())),
        requests_per_second=settings.requests_per_second,
        computing=computing().taken(),
        most_computing=settings.max_jobs,
    )


OPERATIONS = (
    Operation("GET", "/status", status, "Status"),
    Operation("GET", "/datasets", datasets.list_datasets, "Images"),
    Operation("GET", _DATASET, datasets.show_dataset, "Images", computes=True),
    Operation("GET", f"{_DATASET}/images/{{row}}", datasets.show_image, "Images", computes=True),
    Operation("GET", f"{_DATASET}/images/{{row}}/thumbnail", datasets.thumbnail, "Images", computes=True),
    Operation("GET", f"{_DATASET}/images/{{row}}/neighbors", searching.neighbors, "Search", computes=True),
    Operation("POST", f"{_DATASET}/search", searching.search, "Search", computes=True, most_bytes=_LARGE),
    Operation("POST", f"{_DATASET}/search/image", searching.search_by_image, "Search", computes=True),
    Operation("GET", "/notions", notions.list_notions, "Notions", computes=True),
    Operation("GET", "/notions/{notion}", notions.show_notion, "Notions"),
    Operation("POST", f"{_DATASET}/notions/fit", notions.fit_notion, "Notions", computes=True),
    Operation("GET", f"{_DATASET}/labels", labeling.list_labels, "Labels", computes=True),
    Operation("GET", f"{_DATASET}/labels/images", labeling.image_labels, "Labels", computes=True),
    Operation("POST", f"{_DATASET}/labels", labeling.edit_labels, "Labels", computes=True, writes=True),
    Operation("POST", f"{_DATASET}/labels/undo", labeling.undo_labels, "Labels", computes=True, writes=True),
)


async def answered(gate: Gate, operation: Operation, work: Callable[[], Any]) -> Any:
    """Runs an operation and returns its result.

    Raises:
        HTTPException: any error, as described by `refused`.
    """
    try:
        return await gate.run(work, operation.computes)
    except Exception as error:
        raise refused(error) from error


def refused(error: Exception) -> HTTPException:
    """An error for programs: an HTTP status and one sentence without server paths."""
    if isinstance(error, HTTPException):
        stock = error.detail == HTTPStatus(error.status_code).phrase
        return HTTPException(error.status_code, _ROUTING.get(error.status_code, error.detail), error.headers) if stock else error
    if isinstance(error, ValidationError | RequestValidationError):
        wrong = [each | {"loc": each["loc"][1:]} for each in error.errors()] if isinstance(error, RequestValidationError) else error
        return HTTPException(422, _sentence(f"The request is invalid: {validation_message(wrong)}."))
    if isinstance(error, InputError):
        return HTTPException(409 if isinstance(error, TooManyMissingError) else 400, _sentence(str(error)))
    logging.getLogger(__name__).error("An operation of the API failed.", exc_info=error)
    return HTTPException(500, "The request failed because of a server error. See the server's log.")


def _sentence(text: str) -> str:
    line = " ".join(without_paths(shared_name(text)).split())
    return line if len(line) <= _LONGEST else f"{line[:_LONGEST]}…"
