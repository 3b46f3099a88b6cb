"""The objectives by name, and what wraps them, with their options and the papers' values. Needs no torch."""

from math import inf
from typing import Any, NamedTuple

from likeness.errors import InputError

_MULTISIMILARITY = {"alpha": 2.0, "beta": 40.0, "base": 0.5, "epsilon": 0.1}
OBJECTIVES: dict[str, dict[str, Any]] = {
    "multisimilarity": _MULTISIMILARITY,
    "multisimilarity-official": _MULTISIMILARITY,
    "margin": {"beta": 1.2, "margin": 0.2, "learn_beta": False},
    "r-margin": {"beta": 1.2, "margin": 0.2, "learn_beta": False, "rho": 0.2},
    "contrastive": {"pos_margin": 0.0, "neg_margin": 1.0},
    "triplet": {"margin": 0.2},
    "arcface": {"margin": 0.5, "scale": 16.0},
    "proxyanchor": {"alpha": 32.0, "delta": 0.1},
    "softmax": {"temperature": 0.05},
}


class Continuous(NamedTuple):
    """An objective on continuous labels.

    Attributes:
        options: with the papers' values.
        unit: it needs embeddings of unit length; the log-ratio loss does not (section 3.2).
    """

    options: dict[str, Any]
    unit: bool


CONTINUOUS: dict[str, Continuous] = {
    "log-ratio": Continuous({}, unit=False),
    "log-ratio-official": Continuous({}, unit=False),
    "dense-triplet": Continuous({"margin": 0.03}, unit=True),
    "dense-triplet-official": Continuous({"margin": 0.03}, unit=True),
    "binary-triplet": Continuous({"positives": 5, "margin": 0.2}, unit=True),
    "binary-margin": Continuous({"positives": 5, "beta": 1.2, "margin": 0.2}, unit=True),
}
# Each option's value where none is given, and its bounds.
WRAPPERS: dict[str, dict[str, tuple[float, float, float]]] = {
    "uniform_prior": {"weight": (0.1, 0, inf), "hidden": (100, 1, inf)},
    "diva": {
        "shared_weight": (0.3, 0, inf),
        "intra_weight": (0.3, 0, inf),
        "sample_weight": (0.3, 0, inf),
        "separation_weight": (1500.0, 0, inf),
        "beta": (1.2, 0, inf),
        "margin": (0.2, 0, inf),
        "hidden": (512, 1, inf),
        "momentum": (0.9, 0, 1),
        "temperature": (0.1, 1e-4, inf),
        "queue_batches": (30, 1, inf),
        "dropout": (0.1, 0, 0.9),
    },
}
# Of the embedding of DiVA.
DIVA_PARTS = 4


def check_objective(name: str, options: dict[str, Any]) -> str:
    """What is wrong with an objective's name or options, in one sentence; empty where nothing is."""
    known = OBJECTIVES | {each: continuous.options for each, continuous in CONTINUOUS.items()}
    if name not in known:
        return f"There is no objective '{name}'; choose from {', '.join(known)}."
    unknown = sorted(set(options) - set(known[name]))
    return f"The objective '{name}' has no option '{unknown[0]}'; it has {', '.join(known[name]) or 'none'}." if unknown else ""


def check_wrapper(name: str, options: dict[str, Any]) -> str:
    """What is wrong with the options of what wraps an objective, in one sentence; empty where nothing is."""
    known = WRAPPERS[name]
    for key, value in options.items():
        if key not in known:
            return f"{name} has no option '{key}'; it has {', '.join(known)}."
        default, least, most = known[key]
        kind = int if isinstance(default, int) else float
        if isinstance(value, bool) or not isinstance(value, (int, kind)) or not least <= value <= most:
            bounds = f"of at least {least:g}" if most == inf else f"from {least:g} to {most:g}"
            return f"{name}.{key} is {value!r}; choose {'a whole number' if kind is int else 'a number'} {bounds}."
    return ""


def require_options(name: str, **options: Any) -> None:
    """Raises InputError where `check_wrapper` finds something wrong."""
    wrong = check_wrapper(name, options)
    if wrong:
        raise InputError(wrong)
