"""The methods that a benchmark on the page Shifts can compare: what each changes in the config of a run, and one sentence on it."""

from dataclasses import dataclass, field
from typing import Any

from likeness.losses import WRAPPERS, objectives_on


@dataclass(frozen=True)
class BenchmarkMethod:
    """changes: of a run's config, by dotted keys. help: what it does, for people."""

    help: str
    changes: dict[str, Any] = field(default_factory=dict)


# Other values than the objective's own, for runs of the size that a benchmark has.
_OPTIONS: dict[str, dict[str, Any]] = {"r-margin": {"beta": 0.6, "rho": 0.35}}
# Margin with what goes around it, by wrapper.
_AROUND: dict[str, tuple[str, dict[str, Any]]] = {
    "uniform_prior": ("Margin + uniform prior", {"objective.uniform_prior": {"weight": 0.2}}),
    "s2sd": ("S2SD", {"objective.s2sd": {"target_dims": [512]}}),
    "diva": ("DiVA", {"objective.diva": {"separation_weight": 94}, "backbone.parts": 4}),
}


def methods() -> dict[str, BenchmarkMethod]:
    """By title: the raw encoder, each objective on classes, what goes around Margin, and Margin with language guidance."""
    objectives = {
        each.title: BenchmarkMethod(each.help, {"objective.name": name, "objective.options": _OPTIONS.get(name, {})})
        for name, each in objectives_on("classes").items()
    }
    around = {title: BenchmarkMethod(f"Around Margin: {WRAPPERS[name].help}", changes) for name, (title, changes) in _AROUND.items()}
    raw = BenchmarkMethod("Not trained: the encoder as it is.", {"epochs": 0, "backbone.dim": None, "few_shot": None})
    elg = {"guidance": {"kind": "elg", "gamma": 0.0, "omega": 10.0, "language": "minilm"}}
    return {
        "Raw encoder": raw,
        **objectives,
        **around,
        "Margin + ELG": BenchmarkMethod("Margin that also asks a language model how alike the names of the classes are.", elg),
    }


METHODS = methods()
FIRST = ("Raw encoder", "Margin", "Multisimilarity", "ProxyAnchor")


def help_text() -> str:
    """A line on each method."""
    return "  \n".join(f"**{name}:** {method.help}" for name, method in METHODS.items())
