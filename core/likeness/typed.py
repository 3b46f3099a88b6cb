"""What is read from files as typed, frozen parts, and what does not fit there in words."""

from typing import Any

from pydantic import BaseModel, ConfigDict, ValidationError


class Part(BaseModel):
    """A part of a file: unknown keys are refused, and nothing changes after it was read."""

    model_config = ConfigDict(extra="forbid", frozen=True)


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
