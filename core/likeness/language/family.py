"""What a family of language models, or another source of similarities between names, declares about itself."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from likeness.encoders import PathChange

Vectors = NDArray[np.float32]
Matrix = NDArray[np.float64]


@dataclass(frozen=True)
class LanguageFamily:
    """Language models of one kind.

    Attributes:
        name: the prefix of "PREFIX:TARGET", or the whole name where there is no target.
        help: one sentence.
        make: (name, target, device) -> a model: any object with `encode_texts`; its weights are loaded when it first embeds a text. What else it may
            have: `identity`, a digest of all that changes its vectors, `name`, `has_text` and `reads_sentences`.
        form: of a name, for help and errors; empty where the name alone is one.
        short_names: names that stand for others of the family, such as "bert" for "transformers:bert-base-uncased".
        reads_sentences: whether word order and primer mean something.
        pools: a name may end in "@mean" or "@pooler".
        claims: whether a name without the prefix is one of the family.
        listed: offered in menus and tables.
        map_path: (target, change) -> the target, with `change` of the path in it; an id of the hub may stand in a path's place.
        is_here: target -> whether nothing that the model needs of the hub is missing on this machine.
    """

    name: str
    title: str
    help: str
    make: Callable[[str, str, str], Any]
    form: str = ""
    short_names: Mapping[str, str] = field(default_factory=dict)
    reads_sentences: bool = True
    pools: bool = False
    claims: Callable[[str], bool] = lambda name: False
    listed: bool = True
    map_path: Callable[[str, PathChange], str] = lambda target, change: target
    is_here: Callable[[str], bool] = lambda target: True


@dataclass(frozen=True)
class SimilaritySource:
    """What knows how alike names are, and has no vectors; what is not said here is as of `LanguageFamily`.

    Attributes:
        compare: (target, names) -> similarities (n, n) in [0, 1], symmetric, ones on the diagonal.
    """

    name: str
    title: str
    help: str
    compare: Callable[[str, Sequence[str]], Matrix]
    form: str = ""
    listed: bool = True
    map_path: Callable[[str, PathChange], str] = lambda target, change: target
