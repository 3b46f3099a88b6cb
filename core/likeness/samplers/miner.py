"""What a miner declares about itself."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from likeness.options import Option

if TYPE_CHECKING:
    from torch import Tensor

Mine = Callable[["Tensor", "Tensor"], Any]


@dataclass(frozen=True)
class Miner:
    """A way to pick the tuples of a batch that a loss compares, with a title and one sentence of help.

    `make` is (**options) -> (embeddings (n, d), labels (n,)) -> row numbers as in pytorch-metric-learning: (anchors, positives, negatives)
    or (anchors, positives, anchors, negatives).
    """

    name: str
    title: str
    help: str
    make: Callable[..., Mine]
    options: Mapping[str, Option] = field(default_factory=dict)
    paper: str = ""
