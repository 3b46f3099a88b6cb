"""What can go wrong in an operation, as a status of HTTP and one sentence that names no path of the server."""

from http import HTTPStatus

from pydantic import ValidationError

from access import refusal, shared_name, without_paths
from likeness.errors import InputError
from likeness.io import validation_message
from shared.cached import TooManyMissingError

_LONGEST = 500  # letters


class Problem(Exception):  # noqa: N818  (RFC 9457 calls it so)
    """Ends an operation with a status and a sentence.

    Args:
        status: of HTTP, from 400.
        sentence: what was wrong, and what to do.
        seconds: after which it may be tried again, or None.
    """

    def __init__(self, status: HTTPStatus, sentence: str, seconds: int | None = None) -> None:
        super().__init__(sentence)
        self.status, self.sentence, self.seconds = status, sentence, seconds


def problem_of(error: Exception) -> Problem | None:
    """What an operation's error is for programs; None where it is a fault of the server's own."""
    if isinstance(error, Problem):
        return error
    if isinstance(error, ValidationError):
        return Problem(HTTPStatus.UNPROCESSABLE_ENTITY, _sentence(f"The request does not fit: {validation_message(error)}."))
    if isinstance(error, TooManyMissingError):
        return Problem(HTTPStatus.CONFLICT, _sentence(str(error)))
    if isinstance(error, InputError):
        return Problem(HTTPStatus.BAD_REQUEST, _sentence(str(error)))
    return None


def check_may_edit() -> None:
    """Raises Problem, 403, where who asks may only look."""
    if reason := refusal("edit"):
        raise Problem(HTTPStatus.FORBIDDEN, reason)


def _sentence(text: str) -> str:
    line = " ".join(without_paths(shared_name(text)).split())
    return line if len(line) <= _LONGEST else f"{line[:_LONGEST]}…"
