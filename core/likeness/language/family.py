"""Declarations of families of language models and other sources of name similarities."""

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
        name: the prefix of "PREFIX:TARGET", or the whole name if there is no target.
        help: one sentence.
        make: (name, target, device) -> a model: any object with `encode_texts`; its weights are loaded on first use. Optional attributes: `identity`,
            a digest of everything that changes its vectors, `name`, `has_text` and `reads_sentences`.
        form: syntax of names, for help and errors; empty if the plain name is valid.
        short_names: aliases, such as "bert" for "transformers:bert-base-uncased".
        reads_sentences: whether word order and primer matter.
        pools: a name may end in "@mean" or "@pooler".
        claims: whether a name without the prefix belongs to the family.
        listed: offered in menus and tables.
        map_path: (target, change) -> the target with `change` applied to its path, which may be a hub id.
        is_here: target -> whether the model can be loaded without a download.
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
    """A source of name similarities without vectors; other attributes as in `LanguageFamily`.

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
