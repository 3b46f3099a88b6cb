"""What is read from files as typed, frozen parts, and what does not fit there in words."""

from pathlib import Path
from typing import Any

import yaml
from pydantic import BaseModel, ConfigDict, ValidationError

from likeness.errors import InputError


class Part(BaseModel):
    """A part of a file: unknown keys are refused, and nothing changes after it was read."""

    model_config = ConfigDict(extra="forbid", frozen=True)


def yaml_content(path: Path) -> Any:
    """What a YAML file holds.

    Raises:
        InputError: it is none.
    """
    try:
        return yaml.safe_load(path.read_text(encoding="utf-8"))
    except (yaml.YAMLError, UnicodeDecodeError) as error:
        raise InputError(f"'{path.name}' is no YAML: {str(error).splitlines()[0]}.") from error


def with_keys(part: Part, changes: dict[str, Any]) -> dict[str, Any]:
    """The part as nested dicts, with other values by dotted keys: {"decoder.hidden": 256}; a part that is None becomes one of its own.

    Raises:
        InputError: a key goes through a value that has no keys.
    """
    content: dict[str, Any] = part.model_dump(mode="json")
    for key, value in changes.items():
        *way, last = key.split(".")
        place = content
        for step in way:
            if place.get(step) is None:
                place[step] = {}
            place = place[step]
            if not isinstance(place, dict):
                raise InputError(f"'{key}' goes through '{step}', which has no keys of its own.")
        place[last] = value
    return content


def told(error: ValidationError) -> str:
    """What does not fit, key by key, in words."""
    return "; ".join(_told(each) for each in error.errors())


def _told(error: Any) -> str:
    place = ".".join(str(step) for step in error["loc"]) or "it"
    if error["type"] == "extra_forbidden":
        return f"there is no key '{place}'"
    message = error["msg"].removeprefix("Value error, ")
    if not error["loc"]:
        return str(message)
    return f"{place}: {message}" if isinstance(error["input"], dict) else f"{place} is {error['input']!r}: {message}"
