"""What the API can do: each operation is a function of checked arguments, under an HTTP address and as a tool."""

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

from api.schemas import Schema

PREFIX = "/v1"  # below /api
_NAMES = re.compile(r"{(\w+)}")


@dataclass(frozen=True)
class Operation:
    """One thing that programs can ask for.

    Attributes:
        method, path: of HTTP; names in braces are fields of `takes`.
        takes: all arguments: those in the path; of GET the others in the query, of POST in a JSON body.
        gives: the answer.
        work: arguments -> answer, called in a thread; its docstring is the description. Where `content`, also the body in bytes.
        topic: heading under which it is listed.
        computes: waits for one of few slots.
        writes: changes something.
        content: the body is the file of a picture, and the other arguments stand in the query.
        most_bytes: of a body in JSON.
    """

    method: Literal["GET", "POST"]
    path: str
    takes: type[Schema]
    gives: type[Schema]
    work: Callable[..., Schema]
    topic: str
    computes: bool = False
    writes: bool = False
    content: bool = False
    most_bytes: int = 1_000_000

    @property
    def name(self) -> str:
        """That of the function: operationId and name of the tool."""
        return self.work.__name__

    @property
    def description(self) -> str:
        """Sentences for people, on one line."""
        return " ".join((self.work.__doc__ or "").split())

    @property
    def summary(self) -> str:
        """The first sentence."""
        return self.description.partition(".")[0]

    @property
    def in_path(self) -> tuple[str, ...]:
        """Arguments that stand in the path."""
        return tuple(_NAMES.findall(self.path))

    @property
    def elsewhere(self) -> tuple[str, ...]:
        """The other arguments: in the query, or in the body."""
        return tuple(name for name in self.takes.model_fields if name not in self.in_path)

    @property
    def in_query(self) -> tuple[str, ...]:
        """Arguments that stand in the query."""
        return self.elsewhere if self.method == "GET" or self.content else ()

    def carry_out(self, arguments: Any, content: bytes = b"") -> Schema:
        """The answer to unchecked arguments.

        Raises:
            ValidationError, Problem, InputError: see `api.problems.problem_of`.
        """
        checked = self.takes.model_validate(arguments)
        return self.work(checked, content) if self.content else self.work(checked)
