"""Declaration and validation of component options: help, default, bounds. Does not import torch."""

from collections.abc import Mapping
from math import inf
from typing import Any, NamedTuple


class Option(NamedTuple):
    """A numeric or boolean option: default, which sets its type (bool, int or float), one sentence of help, inclusive bounds, and title and step of
    its control.
    """

    default: bool | int | float
    help: str
    least: float = -inf
    most: float = inf
    title: str = ""
    step: float = 1

    def text(self) -> str:
        """Default and bounds in a table: "0.2 (0 to 1)"."""
        value = str(self.default).lower() if isinstance(self.default, bool) else f"{self.default:g}"
        if self.most < inf:
            return f"{value} ({self.least:g} to {self.most:g})"
        return f"{value} ({self.least:g} or more)" if self.least > -inf else value

    def problem(self, value: Any) -> str:
        """What to choose instead of an invalid value; empty if it is valid."""
        if isinstance(self.default, bool):
            return "" if isinstance(value, bool) else "choose true or false"
        kinds = int if isinstance(self.default, int) else int | float
        # NaN is outside of all bounds
        if isinstance(value, kinds) and not isinstance(value, bool) and self.least <= value <= self.most:
            return ""
        kind = "a whole number" if isinstance(self.default, int) else "a number"
        if self.most < inf:
            return f"choose {kind} from {self.least:g} to {self.most:g}"
        return f"choose {kind} of at least {self.least:g}" if self.least > -inf else f"choose {kind}"


Options = Mapping[str, Option]


def check_options(owner: str, options: Options, given: Mapping[str, Any], place: str) -> str:
    """The first problem of given options as a sentence; empty if there is none.

    For an unknown option it starts with the owner, "The objective 'margin'"; `place` is the key of the options in a config, "objective.options".
    """
    for key, value in given.items():
        if key not in options:
            return f"{owner} has no option '{key}'; it has {', '.join(options) or 'none'}."
        if problem := options[key].problem(value):
            return f"{place}.{key} is {value!r}; {problem}."
    return ""


def defaults(options: Options) -> dict[str, bool | int | float]:
    """The default of each option."""
    return {name: option.default for name, option in options.items()}
