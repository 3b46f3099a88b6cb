"""The methods that a benchmark on the page Shifts can compare: what each changes in the config of a run, and one sentence on it."""

from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class Method:
    """changes: of a run's config, by dotted keys. told: what it does, for people."""

    told: str
    changes: dict[str, Any] = field(default_factory=dict)


METHODS = {
    "Raw encoder": Method("not trained at all: what the encoder knows already.", {"epochs": 0, "backbone.dim": None, "few_shot": None}),
    "Margin": Method("two images of a class must lie nearer than a bound, two of different classes farther."),
    "R-margin": Method(
        "margin that now and then pushes images of one class apart, so that they keep their differences.",
        {"objective.name": "r-margin", "objective.options": {"beta": 0.6, "rho": 0.35}},
    ),
    "Margin + uniform prior": Method(
        "margin that also spreads the images evenly over the whole space.", {"objective.uniform_prior": {"weight": 0.2}}
    ),
    "Multisimilarity": Method("weighs pairs of images by how wrongly they lie.", {"objective.name": "multisimilarity"}),
    "ArcFace": Method("a classifier with a margin between the classes' directions.", {"objective.name": "arcface"}),
    "ProxyAnchor": Method("pulls images to a learned point for each class.", {"objective.name": "proxyanchor"}),
    "S2SD": Method("margin that also learns from a wider space trained beside it.", {"objective.s2sd": {"target_dims": [512]}}),
    "DiVA": Method(
        "margin with further parts that learn what classes share and what is special to an image.",
        {"objective.diva": {"separation_weight": 94}, "backbone.parts": 4},
    ),
    "Margin + ELG": Method(
        "margin that also asks a language model how alike the names of the classes are.",
        {"guidance": {"kind": "elg", "gamma": 0.0, "omega": 10.0, "language": "minilm"}},
    ),
}
FIRST = ("Raw encoder", "Margin", "Multisimilarity", "ProxyAnchor")


def help_text() -> str:
    """A line on each method."""
    return "  \n".join(f"**{name}:** {method.told}" for name, method in METHODS.items())
