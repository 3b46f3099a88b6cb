"""Class similarities from names: the matrices S^lang that language guidance distills."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from likeness.encoders import TextEncoder
from likeness.errors import InputError
from likeness.language.family import Vectors
from likeness.language.models import embed_names, language_model, similarity_source

DEFAULT_PRIMER = "A photo of a {}"

# The first is the paper's, "a photo of a {}" the one in the authors' code, "{}" Table 5's "Classname only". Which "other primers" Table 5
# averages over is not printed; the rest are ours.
PRIMERS = (
    DEFAULT_PRIMER,
    "a photo of a {}",
    "{}",
    "A photo of the {}",
    "A close-up photo of a {}",
    "A picture of a {}",
    "An image showing a {}",
    "This is a {}",
)


def prime(names: Sequence[str], primer: str = DEFAULT_PRIMER) -> list[str]:
    """The names put into the primer, in order: the sentences c_i of Sec. 3.2 of "Integrating Language Guidance" (Roth et al. 2022). Braces within a
    name are unchanged. Raises InputError unless the primer has exactly one "{}" and all names are strings.
    """
    check_primer(primer)
    if isinstance(names, str) or not all(isinstance(name, str) for name in names):
        raise InputError(f"Expected a list of names, got {names!r}; give the names as a list of strings.")
    before, _, after = primer.partition("{}")
    return [f"{before}{name}{after}" for name in names]


def check_primer(primer: str) -> None:
    """Raises InputError unless the primer is a string with exactly one "{}"."""
    if not isinstance(primer, str) or primer.count("{}") != 1:
        raise InputError(f"The primer {primer!r} must hold exactly one '{{}}' where the class name goes, as in '{DEFAULT_PRIMER}'.")


Model = TextEncoder | str


def class_similarities(
    names: Sequence[str], model: Model | Sequence[Model] = "minilm", primer: str = DEFAULT_PRIMER, device: str = "auto"
) -> Vectors:
    """Cosine similarities of class names, S^lang of Sec. 3.2 of "Integrating Language Guidance" (Roth et al. 2022).

    The matrix over classes is computed once; that of a batch is gathered from it (`batch_similarities`). InputError: no name or model, a primer
    without exactly one "{}", an unknown or unavailable model, or a name that it does not know.

    Args:
        names: n class names in words (`readable_names`), in the order of the classes; they may repeat.
        model: what `language_model` knows, an object with `encode_texts`, "wordnet" (Wu-Palmer), "hierarchy:FILE" (HierMatch) or "hierarchy:wordnet"
            (the same on WordNet's tree); or several, whose matrices are averaged ("Top 3" of Table 3: `TOP_3`).
        primer: sentence with one "{}" that the names are put into. Word vectors, WordNet and hierarchies know names only and get no primer.

    Returns:
        (n, n) float32, symmetric, in [-1, 1], with ones on the diagonal; [0, 1] from WordNet and hierarchies.
    """
    models = _checked(names, model, primer)
    total = sum(_similarities(list(names), one, primer, device) for one in models)
    return np.asarray(total / len(models), dtype=np.float32)


def class_vectors(names: Sequence[str], model: Model | Sequence[Model] = "minilm", primer: str = DEFAULT_PRIMER, device: str = "auto") -> Vectors:
    """Unit vectors (n, d) of class names or captions whose dot products are `class_similarities`, float32, for losses that need vectors. Vectors of
    several models are concatenated and divided by the square root of their number: their dot products are the mean cosine, and d is the sum of the
    models' dimensions. Arguments and errors as `class_similarities`, but no "wordnet" or hierarchy, which have no vectors.
    """
    models = _checked(names, model, primer)
    parts = [_unit(_vectors(list(names), one, primer, device)) for one in models]
    return np.asarray(np.concatenate(parts, axis=1) / np.sqrt(len(models)), dtype=np.float32)


def cosine_similarities(vectors: NDArray[np.floating]) -> NDArray[np.float64]:
    """Cosines (n, n) between rows (n, d), clipped to [-1, 1], exactly 1 on the diagonal; raises InputError for a row of zeros, which has no
    direction.
    """
    rows = _unit(vectors)
    cosines = np.clip(rows @ rows.T, -1.0, 1.0)
    np.fill_diagonal(cosines, 1.0)
    return np.asarray((cosines + cosines.T) / 2)


def _unit(vectors: NDArray[np.floating]) -> NDArray[np.float64]:
    rows = np.asarray(vectors, dtype=np.float64)
    lengths = np.linalg.norm(rows, axis=1, keepdims=True)
    if not lengths.all():
        raise InputError(f"The embedding of name {int(np.argmin(lengths))} is all zeros; choose another model or name.")
    return np.asarray(rows / lengths)


def _checked(names: Sequence[str], model: Model | Sequence[Model], primer: str) -> list[Model]:
    """The models as a list."""
    check_primer(primer)
    if isinstance(names, str) or not len(names):
        raise InputError(f"Expected a list of at least one class name, got {names!r}; give the names as a list of strings.")
    models = list(model) if isinstance(model, Sequence) and not isinstance(model, str) else [model]
    if not models:
        raise InputError("There is no language model to average over; pass at least one, such as 'minilm'.")
    return models


def _similarities(names: list[str], model: Model, primer: str, device: str) -> NDArray[np.float64]:
    """One model's matrix (n, n)."""
    if found := similarity_source(model):
        source, target = found
        return source.compare(target, names)
    return cosine_similarities(_vectors(names, model, primer, device))


def _vectors(names: list[str], model: Model, primer: str, device: str) -> Vectors:
    """One model's vectors (n, d), of any length."""
    chosen = language_model(model, device)
    texts = prime(names, primer) if getattr(chosen, "reads_sentences", True) else names
    return embed_names(texts, chosen)
