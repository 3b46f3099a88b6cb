"""Registry of layout methods and their options."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from inspect import signature
from typing import Any

import numpy as np
from numpy.typing import NDArray

from likeness.errors import InputError
from likeness.options import Option
from likeness.projection.pacmap_map import pacmap_map
from likeness.projection.pca_map import pca_map
from likeness.projection.start import checked_start
from likeness.projection.trimap_map import trimap_map
from likeness.projection.tsne_map import tsne_map
from likeness.projection.umap_map import umap_map


@dataclass(frozen=True)
class LayoutMethod:
    """A layout method.

    Attributes:
        help: what it preserves, in one sentence.
        function: (vectors, seed, *, init, **parameters) -> positions (n, 2) float32.
        parameters: options for controls, by name.
        seeded: whether the seed changes the map.
        paper: authors and year.
    """

    title: str
    help: str
    function: Callable[..., NDArray[np.float32]]
    parameters: Mapping[str, Option] = field(default_factory=dict)
    seeded: bool = True
    paper: str = ""


def _options(function: Callable[..., Any], **declared: tuple[str, float, float, float, str]) -> dict[str, Option]:
    """Numeric options: title, minimum, maximum, step and help of each; defaults are the function's, which may accept a wider range."""
    own = signature(function).parameters
    return {name: Option(own[name].default, help, least, most, title, step) for name, (title, least, most, step, help) in declared.items()}


def _pca(vectors: Any, seed: int = 0, *, init: Any = None) -> NDArray[np.float32]:
    """PCA has no seed and no start; this gives it the common signature."""
    if init is not None:
        checked_start(init, len(vectors))
    return pca_map(vectors)


METHODS: dict[str, LayoutMethod] = {
    "umap": LayoutMethod(
        "UMAP",
        "Keeps close images close together.",
        umap_map,
        _options(
            umap_map,
            neighbors=("Neighbors", 2, 100, 1, "Size of the preserved neighborhood: small values show detail, large ones the global structure."),
            min_distance=("Minimum distance", 0.0, 0.99, 0.01, "Minimum distance of points: small values pack clusters densely."),
        ),
        paper="McInnes et al. 2018",
    ),
    "tsne": LayoutMethod(
        "t-SNE",
        "Shows the finest neighborhoods; distances between clusters mean little.",
        tsne_map,
        _options(
            tsne_map,
            perplexity=("Perplexity", 2.0, 100.0, 1.0, "Approximate number of neighbors that each image keeps close."),
            exaggeration=("Exaggeration", 1.0, 8.0, 0.5, "Attraction: larger values give denser clusters that are farther apart."),
        ),
        paper="van der Maaten and Hinton 2008",
    ),
    "pacmap": LayoutMethod(
        "PaCMAP",
        "Preserves neighborhoods and the arrangement of clusters.",
        pacmap_map,
        _options(
            pacmap_map,
            neighbors=("Neighbors", 2, 50, 1, "Nearest images that attract each image."),
            mid_near_ratio=("Mid-near pairs", 0.0, 2.0, 0.1, "Pairs of medium distance per neighbor: more preserve the global structure."),
            further_ratio=("Further pairs", 0.5, 5.0, 0.1, "Pairs of any distance per neighbor: more push clusters apart."),
        ),
        paper="Wang et al., JMLR 2021",
    ),
    "trimap": LayoutMethod(
        "TriMap",
        "Preserves the arrangement of clusters, as in the InDiReCT paper's appendix.",
        trimap_map,
        _options(
            trimap_map,
            neighbors=("Neighbors", 2, 50, 1, "Nearest images that attract each image."),
            outliers=("Outliers", 1, 20, 1, "Farther images that each neighbor is compared with."),
            random=("Random triplets", 0, 20, 1, "Random comparisons per image: more preserve the global structure."),
        ),
        paper="Amid and Warmuth 2019",
    ),
    "pca": LayoutMethod("PCA", "Shows the directions of largest variance; instant.", _pca, seeded=False),
}


def method_named(name: str) -> LayoutMethod:
    """The method of this name. InputError: an unknown name."""
    if name not in METHODS:
        raise InputError(f"There is no layout method '{name}'; choose from {', '.join(METHODS)}.")
    return METHODS[name]


def differing(method: str, parameters: Mapping[str, Any]) -> dict[str, Any]:
    """The parameters that differ from the method's defaults, so that explicit defaults do not change a map's key. InputError: an unknown method."""
    defaults: dict[str, Any] = {name: each.default for name, each in method_named(method).parameters.items()} | {"seed": 0}
    return {name: value for name, value in parameters.items() if name not in defaults or value != defaults[name]}
