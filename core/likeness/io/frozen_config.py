"""Frozen pydantic models for config files, and readable validation errors."""

import reprlib
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Self

from pydantic import BaseModel, ConfigDict, ValidationError

from likeness.errors import InputError
from likeness.io.paths import as_path
from likeness.io.text import one_line, parse_yaml, text_of

_MOST_ERRORS = 6


class FrozenConfig(BaseModel):
    """Base class of parts of a config file: immutable, and unknown keys are refused."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    @classmethod
    def checked(cls, content: Any, name: str) -> Self:
        """Validates nested dicts; raises InputError, which starts with `name` and lists each invalid key or value."""
        try:
            return cls.model_validate(content)
        except ValidationError as error:
            raise InputError(f"{name} does not fit: {validation_message(error)}.") from error


def config_file(file: Path | str, shipped: Mapping[str, Path], missing: str) -> Path:
    """The file at this path, or else the shipped one of this name; raises InputError with the message `missing` if there is neither."""
    if str(file) in shipped and not Path(file).is_file():
        return shipped[str(file)]
    path = as_path(file)
    if not path.is_file():
        raise InputError(missing)
    return path


def yaml_content(path: Path) -> Any:
    """The content of a YAML file; raises InputError if it is invalid or unreadable."""
    return parse_yaml(text_of(path), f"'{path.name}'")


def with_keys(part: FrozenConfig, changes: dict[str, Any]) -> dict[str, Any]:
    """The part as nested dicts, with values changed by dotted keys: {"decoder.hidden": 256}; missing parts (None) are created. Raises InputError if a
    key descends into a plain value.
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
                raise InputError(f"Invalid key '{key}': '{step}' has no keys.")
        place[last] = value
    return content


def validation_message(error: ValidationError | list[Any]) -> str:
    """The first validation errors, key by key, in one line. Takes the error or its `errors()`."""
    wrong = error if isinstance(error, list) else error.errors(include_url=False)
    more = f"; and {len(wrong) - _MOST_ERRORS} more" if len(wrong) > _MOST_ERRORS else ""
    return "; ".join(_one_message(each) for each in wrong[:_MOST_ERRORS]) + more


def _one_message(error: Any) -> str:
    place = one_line(".".join(str(step) for step in error["loc"]) or "it", 80)
    if error["type"] == "extra_forbidden":
        return f"there is no key '{place}'"
    message = one_line(error["msg"].removeprefix("Value error, "), 500)
    if not error["loc"]:
        return message
    return f"{place}: {message}" if isinstance(error["input"], dict) else f"{place} is {reprlib.repr(error['input'])}: {message}"
