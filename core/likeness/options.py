"""Options of a component: what each does, its value where none is given, its bounds; and what is wrong with given ones. Needs no torch."""

from collections.abc import Mapping
from math import inf
from typing import Any, NamedTuple


class Option(NamedTuple):
    """One number or switch: its default, whose type is the option's (bool, int or float), one sentence of help, the bounds of a number, both allowed,
    and title and step, where it has a control.
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
        """What to choose in place of a value that does not fit; empty where it does."""
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
    """What is wrong with given options, in one sentence; empty where nothing is.

    About an unknown one it begins with the owner, "The objective 'margin'"; `place` is where they stand in a config, "objective.options".
    """
    for key, value in given.items():
        if key not in options:
            return f"{owner} has no option '{key}'; it has {', '.join(options) or 'none'}."
        if problem := options[key].problem(value):
            return f"{place}.{key} is {value!r}; {problem}."
    return ""


def defaults(options: Options) -> dict[str, bool | int | float]:
    """Each option's value where none is given."""
    return {name: option.default for name, option in options.items()}
