"""The methods that a comparison knows, by name."""

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from likeness.errors import InputError

Maker = Callable[..., Any]


class Method(NamedTuple):
    """What a comparison has to know of a method.

    Attributes:
        name: in the table.
        make: (dim, seed) -> estimator.
        learns_from: "text", "labels" (of the images) or "nothing".
        seeds: it has random choices.
        dims: its dimensions can be chosen.
    """

    name: str
    make: Maker
    learns_from: str = "text"
    seeds: bool = True
    dims: bool = True


METHOD_TITLES = {
    "random": "Random",
    "raw": "Raw encoder",
    "random-transform": "Random transform",
    "pca": "PCA",
    "lae": "Linear autoencoder",
    "ae": "Autoencoder",
    "exact": "InDiReCT (exact)",
    "adam": "InDiReCT (Adam)",
    "oracle": "Oracle",
}
METHODS = tuple(METHOD_TITLES)


def named_methods(methods: Sequence[str | tuple[str, Maker]]) -> list[Method]:
    """Names, or pairs (name, factory) of one's own, as methods; a factory is called with the keywords dim and seed.

    Raises:
        InputError: no method, an unknown name, or a name twice.
    """
    known = _known()
    chosen = []
    for method in methods:
        if not isinstance(method, str):
            chosen.append(Method(*method))
        elif method.strip() in known:
            chosen.append(known[method.strip()])
        else:
            raise InputError(f"There is no method '{method}'; choose from {', '.join(METHODS)}.")
    if not chosen:
        raise InputError(f"There is no method to compare; name at least one of {', '.join(METHODS)}.")
    names = [method.name for method in chosen]
    for name in names:
        if names.count(name) > 1:
            raise InputError(f"The method '{name}' stands twice; give each once.")
    return chosen


def _known() -> dict[str, Method]:
    from likeness.notions import PCA, Autoencoder, Identity, InDiReCT, LinearAutoencoder, Oracle, RandomEmbedding, RandomTransform

    methods = (
        Method("random", RandomEmbedding, learns_from="nothing"),
        Method("raw", lambda dim, seed: Identity(), learns_from="nothing", seeds=False, dims=False),
        Method("random-transform", RandomTransform, learns_from="nothing"),
        Method("pca", PCA, seeds=False),
        Method("lae", LinearAutoencoder),
        Method("ae", Autoencoder),
        Method("exact", lambda dim, seed: InDiReCT(dim, "exact", seed)),
        Method("adam", lambda dim, seed: InDiReCT(dim, "adam", seed)),
        Method("oracle", Oracle, learns_from="labels"),
    )
    return {method.name: method for method in methods}
