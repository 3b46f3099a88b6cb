"""InputError: invalid input, reported in one sentence."""

import re
from collections.abc import Collection

_NO_TEXT = re.compile("[\ud800-\udfff]")  # bytes of file names that are not UTF-8: nothing can show them
_LONGEST, _END = 700, 200  # letters of a message, and of its end, where the remedy stands


class InputError(ValueError):
    """Invalid input. The message is one sentence with the value, the expectation and the remedy.

    The command line prints it and exits with status 2; the app shows it in place. Any other exception is a bug.
    """

    def __str__(self) -> str:
        text = _NO_TEXT.sub("\N{REPLACEMENT CHARACTER}", " ".join(super().__str__().split("\n")))  # a value that is shown may hold anything
        return text if len(text) <= _LONGEST else f"{text[: _LONGEST - _END]} … {text[-_END:]}"


def check_known(what: str, name: object, known: Collection[str]) -> None:
    """Raises InputError unless `known` holds the name; `what` says of what kind it is."""
    if name not in known:
        raise InputError(f"There is no {what} '{name}'; choose from {', '.join(known)}.")
