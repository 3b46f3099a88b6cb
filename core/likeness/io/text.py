"""Text, JSON and YAML from others: read with limits, and answered with one sentence where something is wrong with them."""

import json
from pathlib import Path
from typing import Any

from likeness.errors import InputError
from likeness.io.confinement import regular_file

_LONGEST_YAML = 2_000_000  # characters; the parser takes a second for a megabyte
_DEEPEST_YAML = 40
_LONGEST_TEXT = 1 << 30  # bytes
_SHOWN = 120
_SHOWN_OF_A_NAME = 80


def text_of(path: Path, longest: int = _LONGEST_TEXT) -> str:
    """The content of a text file in UTF-8, with or without a mark at its beginning.

    Raises:
        InputError: it is not there, cannot be read, is no such text, or has more than `longest` bytes.
    """
    try:
        size = regular_file(path).stat().st_size
        if size > longest:
            raise InputError(f"'{path.name}' has {size:,} bytes, and {longest:,} are read at most; split it.")
        return decoded(path.read_bytes(), f"'{path.name}'")
    except (OSError, MemoryError) as error:
        reason = (getattr(error, "strerror", None) or "too little memory").lower()
        raise InputError(f"'{path.name}' cannot be read ({reason}); check that it is there, and allow reading it.") from error


def decoded(content: bytes, name: str) -> str:
    """Bytes as UTF-8; raises InputError for others, where `name` stands in the message as given."""
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise InputError(f"{name} is not text in UTF-8 (byte {error.start:,}); save it again in UTF-8.") from error


def plain_name(name: str) -> str:
    """A file's name as it may stand in a sentence: without signs that cannot be seen, and not too long."""
    shown = name if name.isprintable() else "".join(sign if sign.isprintable() else "_" for sign in name)
    return shown if len(shown) <= _SHOWN_OF_A_NAME else f"{shown[: _SHOWN_OF_A_NAME // 2]}…{shown[-_SHOWN_OF_A_NAME // 2 :]}"


def parse_json(text: str, name: str) -> Any:
    """What a JSON text holds; raises InputError where it is none, or nested too deeply."""
    try:
        content = json.loads(text)
        if "\\u" in text:
            json.dumps(content, ensure_ascii=False).encode()  # half of a pair of surrogates is no text
        return content
    except RecursionError as error:
        raise InputError(f"{name} is nested too deeply to be read; make it anew.") from error
    except ValueError as error:
        raise InputError(f"{name} is no JSON: {_reason(error)}.") from error


def parse_yaml(text: str, name: str, as_texts: bool = False) -> Any:
    """What a YAML text of at most two million characters and 40 levels holds: plain values only, each as a text if `as_texts`. Anchors are
    refused: a few of them stand for more than any memory holds.

    Raises:
        InputError: it is none, or one of these limits is passed; with the line where there is one. The message begins with `name`.
    """
    import yaml

    if len(text) > _LONGEST_YAML:
        raise InputError(f"{name} has {len(text):,} characters, and {_LONGEST_YAML:,} are read at most; split it.")
    try:
        _check_events(text, name)
        return yaml.load(text, Loader=_loader("BaseLoader" if as_texts else "SafeLoader"))
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        where = f" near line {mark.line + 1}" if mark else ""
        raise InputError(f"{name} is no YAML{where}: {_reason(getattr(error, 'problem', None) or error)}.") from error
    except (ValueError, TypeError, ArithmeticError, LookupError, AttributeError, RecursionError) as error:  # dates, numbers and keys that are none
        if isinstance(error, InputError):
            raise
        raise InputError(f"{name} is no YAML: {_reason(error)}.") from error


def _loader(name: str) -> Any:
    """The loader of that name in C, ten times as fast, where PyYAML was built with it; both build plain values only."""
    import yaml

    return getattr(yaml, f"C{name}", getattr(yaml, name))


def _check_events(text: str, name: str) -> None:
    import yaml

    depth = 0
    for event in yaml.parse(text, Loader=_loader("SafeLoader")):
        if isinstance(event, yaml.events.AliasEvent):
            raise InputError(f"{name} is no YAML near line {_line(event)}: an anchor is used again, which is not read; write it out.")
        depth += isinstance(event, yaml.events.CollectionStartEvent) - isinstance(event, yaml.events.CollectionEndEvent)
        if depth > _DEEPEST_YAML:
            raise InputError(f"{name} is no YAML near line {_line(event)}: more than {_DEEPEST_YAML} levels are not read.")


def _line(event: Any) -> int:
    return int(event.start_mark.line) + 1


def _reason(error: object) -> str:
    """On one line, and short."""
    line = " ".join(str(error).split()).rstrip(".") or type(error).__name__
    return line if len(line) <= _SHOWN else f"{line[:_SHOWN]}…"
