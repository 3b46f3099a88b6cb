"""The settings of a config by dotted keys, and whether one is what a table says."""

import inspect
import re
from typing import Any

import pytest
import yaml

from likeness.losses import OBJECTIVES, S2SD, WRAPPERS
from likeness.options import defaults
from likeness.training.config import RunConfig


def settings(config: RunConfig) -> dict[str, Any]:
    """All settings by dotted keys, with the options that an objective and its wrappers have by default."""
    content = config.model_dump(mode="json")
    objective = content["objective"]
    objective["options"] = defaults(OBJECTIVES[objective["name"]].options) | objective["options"]
    for name in config.objective.wrappers:
        objective[name] = wrapper_defaults(name) | objective[name]
    return flat(content)


def wrapper_defaults(name: str) -> dict[str, Any]:
    options = WRAPPERS[name].options
    if options is not None:
        return defaults(options)
    return {name: each.default for name, each in inspect.signature(S2SD).parameters.items() if each.default is not each.empty}


def flat(content: dict[str, Any], before: str = "") -> dict[str, Any]:
    found: dict[str, Any] = {}
    for key, value in content.items():
        found |= flat(value, f"{before}{key}.") if isinstance(value, dict) and value else {f"{before}{key}": value}
    return found


def fits(value: Any, text: str) -> bool:
    """Whether a value is what the table says: a number, a range ("1 to 10"), a list, a word, null."""
    low, to, high = text.partition(" to ")
    if to:
        return float(low) <= value <= float(high)
    if re.fullmatch(r"[\d.]+(e-?\d+)?", text):
        return not isinstance(value, bool) and value == pytest.approx(float(text), rel=1e-12)
    return bool(value == yaml.safe_load(text))
