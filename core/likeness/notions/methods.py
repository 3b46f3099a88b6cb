"""Registry of the methods of a comparison."""

import inspect
from collections.abc import Iterable
from copy import deepcopy
from typing import Any, Protocol, runtime_checkable

from likeness.errors import InputError, check_known
from likeness.notions.aligned_tangents import ALIGNED_TANGENTS
from likeness.notions.aspect_coordinates import ASPECT_PROBABILITIES, ASPECT_SIMILARITIES
from likeness.notions.autoencoders import AUTOENCODER, AUTOENCODER_CODE, LINEAR_AUTOENCODER, LINEAR_AUTOENCODER_CODE
from likeness.notions.baselines import IDENTITY, IDENTITY_CODE, RANDOM_EMBEDDING, RANDOM_TRANSFORM
from likeness.notions.indirect import INDIRECT_ADAM, INDIRECT_EXACT, INDIRECT_FADED
from likeness.notions.method import Maker, NotionMethod
from likeness.notions.oracle import ORACLE
from likeness.notions.other_notions import CONTRASTIVE_COMPONENTS, NULL_SPACE
from likeness.notions.other_words import OTHER_WORDS
from likeness.notions.pca import FADED_COMPONENTS, PRINCIPAL_COMPONENTS, PRINCIPAL_COMPONENTS_CODE, SCALED_COMPONENTS
from likeness.registry import LiveView

METHODS: dict[str, NotionMethod] = {
    method.name: method
    for method in (
        *(RANDOM_EMBEDDING, IDENTITY, RANDOM_TRANSFORM, PRINCIPAL_COMPONENTS, FADED_COMPONENTS),
        *(LINEAR_AUTOENCODER, AUTOENCODER, IDENTITY_CODE, PRINCIPAL_COMPONENTS_CODE, LINEAR_AUTOENCODER_CODE, AUTOENCODER_CODE),
        *(INDIRECT_EXACT, INDIRECT_ADAM, INDIRECT_FADED),
        *(SCALED_COMPONENTS, ASPECT_SIMILARITIES, ASPECT_PROBABILITIES, ALIGNED_TANGENTS, CONTRASTIVE_COMPONENTS, NULL_SPACE),
        *(OTHER_WORDS, ORACLE),
    )
}
METHOD_TITLES = LiveView(lambda: {name: method.title for name, method in METHODS.items()})
# the columns of the InDiReCT paper's tables and the lines of its Figure 3, with InDiReCT both as "adam", its procedure, and as the minimum
PAPER_METHODS = ("random", "raw", "random-transform", "pca", "lae", "ae", "exact", "adam", "oracle")
# offered by the editor: methods that need only the words of one notion, and no labels
WORD_METHODS = ("exact", "probabilities", "scaled-pca", "crl", "faded", "adam")


@runtime_checkable
class Estimator(Protocol):
    """Learns a notion's space: fit on the prompts' embeddings (n, r), transform of images (m, r) -> (m, d)."""

    def fit(self, text: Any) -> Any: ...

    def transform(self, images: Any) -> Any: ...


MethodLike = str | tuple[str, Maker] | NotionMethod | type | Estimator


def named_methods(methods: Iterable[MethodLike]) -> list[NotionMethod]:
    """Makes methods of names of `METHODS`; pairs (name, factory) with a factory of the keywords dim and seed; classes of estimators, which get dim
    and seed if their constructor has them; or estimators, which each run copies. The last two are named by their class.

    InputError: no method, an unknown name, an object that is not an estimator, or a repeated name.
    """
    chosen = [_method(method) for method in methods]
    if not chosen:
        raise InputError(f"There is no method to compare; choose from {', '.join(METHODS)}.")
    names = [method.name for method in chosen]
    for name in names:
        if names.count(name) > 1:
            raise InputError(f"The method '{name}' is listed twice; list each once.")
    return chosen


def _method(given: MethodLike) -> NotionMethod:
    if isinstance(given, NotionMethod):
        return given
    if isinstance(given, str):
        check_known("method", given.strip(), METHODS)
        return METHODS[given.strip()]
    if isinstance(given, tuple):
        name, make = given
        return NotionMethod(name, name, "", make)
    if isinstance(given, type):
        return _of_class(given)
    if isinstance(given, Estimator):
        name = type(given).__name__
        return NotionMethod(name, name, _first_line(given), lambda dim, seed: deepcopy(given), seeds=False, dims=False)
    raise InputError(f"The method {given!r} has no fit and transform; pass a name, (name, factory) or an estimator. Names are {', '.join(METHODS)}.")


def _of_class(estimator: type) -> NotionMethod:
    """The method of a listed class; for others, the constructor's arguments decide."""
    for known in METHODS.values():
        if known.make is estimator:
            return known
    if not (hasattr(estimator, "fit") and hasattr(estimator, "transform")):
        raise InputError(f"The class {estimator.__name__} has no fit and transform; pass the class of an estimator.")
    taken = [name for name in ("dim", "seed") if name in inspect.signature(estimator).parameters]

    def make(dim: int, seed: int) -> Any:
        given = {"dim": dim, "seed": seed}
        return estimator(**{name: given[name] for name in taken})

    name = estimator.__name__
    return NotionMethod(name, name, _first_line(estimator), make, seeds="seed" in taken, dims="dim" in taken)


def _first_line(described: Any) -> str:
    return (inspect.getdoc(described) or "").partition("\n")[0]
