"""Read untrusted text, JSON and YAML with limits; problems raise one-sentence errors."""

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
    """The content of a UTF-8 text file, with or without byte order mark.

    Raises:
        InputError: it is missing, unreadable, not UTF-8, or has more than `longest` bytes.
    """
    name = f"'{plain_name(path.name)}'"
    try:
        size = regular_file(path).stat().st_size
        if size > longest:
            raise InputError(f"{name} has {size:,} bytes, more than the limit of {longest:,}; split it.")
        return decoded(path.read_bytes(), name)
    except (OSError, MemoryError) as error:
        reason = (getattr(error, "strerror", None) or "too little memory").lower()
        raise InputError(f"{name} cannot be read ({reason}); check that it exists and its permissions.") from error


def decoded(content: bytes, name: str) -> str:
    """Decodes UTF-8; raises InputError, which starts with `name`, for other bytes."""
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise InputError(f"{name} is not text in UTF-8 (byte {error.start:,}); save it again in UTF-8.") from error


def plain_name(name: str) -> str:
    """A file name for messages: without invisible characters, and truncated."""
    shown = name if name.isprintable() else "".join(sign if sign.isprintable() else "_" for sign in name)
    return shown if len(shown) <= _SHOWN_OF_A_NAME else f"{shown[: _SHOWN_OF_A_NAME // 2]}…{shown[-_SHOWN_OF_A_NAME // 2 :]}"


def parse_json(text: str, name: str) -> Any:
    """Parses JSON; raises InputError if it is invalid or nested too deeply."""
    try:
        content = json.loads(text)
        if "\\u" in text:
            json.dumps(content, ensure_ascii=False).encode()  # half of a pair of surrogates is no text
        return content
    except RecursionError as error:
        raise InputError(f"{name} is nested too deeply to be read; create it again.") from error
    except ValueError as error:
        raise InputError(f"{name} is not valid JSON: {one_line(error, _SHOWN).rstrip('.')}.") from error


def parse_yaml(text: str, name: str, as_texts: bool = False) -> Any:
    """Parses YAML of at most two million characters and 40 levels into plain values, all text if `as_texts`. Aliases are refused, because a few of
    them can expand beyond all memory.

    Raises:
        InputError: it is invalid or exceeds a limit. The message starts with `name` and gives the line if known.
    """
    import yaml

    if len(text) > _LONGEST_YAML:
        raise InputError(f"{name} has {len(text):,} characters, more than the limit of {_LONGEST_YAML:,}; split it.")
    try:
        _check_events(text, name)
        return yaml.load(text, Loader=_loader("BaseLoader" if as_texts else "SafeLoader"))
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        where = f" near line {mark.line + 1}" if mark else ""
        raise InputError(f"{name} is not valid YAML{where}: {one_line(getattr(error, 'problem', None) or error, _SHOWN).rstrip('.')}.") from error
    except (ValueError, TypeError, ArithmeticError, LookupError, AttributeError, RecursionError) as error:  # dates, numbers and keys that are none
        if isinstance(error, InputError):
            raise
        raise InputError(f"{name} is not valid YAML: {one_line(error, _SHOWN).rstrip('.')}.") from error


def _loader(name: str) -> Any:
    """The C loader of that name, ten times faster, if PyYAML has it; both build plain values only."""
    import yaml

    return getattr(yaml, f"C{name}", getattr(yaml, name))


def _check_events(text: str, name: str) -> None:
    import yaml

    depth = 0
    for event in yaml.parse(text, Loader=_loader("SafeLoader")):
        if isinstance(event, yaml.events.AliasEvent):
            raise InputError(f"{name} uses a YAML alias near line {_line(event)}, which is not supported; repeat the content instead.")
        depth += isinstance(event, yaml.events.CollectionStartEvent) - isinstance(event, yaml.events.CollectionEndEvent)
        if depth > _DEEPEST_YAML:
            raise InputError(f"{name} has more than {_DEEPEST_YAML} levels near line {_line(event)}; flatten it.")


def _line(event: Any) -> int:
    return int(event.start_mark.line) + 1


def one_line(text: object, longest: int) -> str:
    """A text, or that of an error or else its type, on one line and truncated."""
    line = " ".join(str(text).split()) or type(text).__name__
    return line if len(line) <= longest else f"{line[:longest]}…"
