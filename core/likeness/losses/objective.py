"""What an objective, and a wrapper of objectives, declares about itself."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Any, Literal

from likeness.options import Option

if TYPE_CHECKING:
    from torch import nn

Labels = Literal["classes", "distances", "captions"]
MakeObjective = Callable[[int], "nn.Module"]  # dim -> objective


@dataclass(frozen=True)
class Objective:
    """A loss that a run can train with, with a title and one sentence of help.

    Attributes:
        make: (classes, dim, **options) -> a module (embeddings (n, d), labels) -> scalar. `classes` is the number of training classes and `dim` is d;
            both size the proxies of objectives that learn some. Import heavy packages inside it.
        labels: "classes": labels are class numbers (n,) from 0; "distances": label distances (a, n) of the first a rows, the anchors;
            "captions": not read, but unit embeddings (n, d) of a caption of each image are, as `texts`.
        unit: requires embeddings of unit length.
        mines: compares tuples of a miner, which can be replaced (`likeness.samplers.MINERS`).
        listed: offered in menus and tables; False for objectives that only configs can name.
        paper: authors, venue and year.
    """

    name: str
    title: str
    help: str
    make: "Callable[..., nn.Module]"
    options: Mapping[str, Option] = field(default_factory=dict)
    labels: Labels = "classes"
    unit: bool = True
    mines: bool = False
    listed: bool = True
    paper: str = ""


@dataclass(frozen=True)
class Wrapper:
    """A loss around an objective on classes. Its name is its key in a config's objective; titles read "Margin + uniform prior".

    Attributes:
        wrap: (make, dim, feature_dim, classes, **options) -> a module; make(dim) is the inner objective for embeddings (n, dim).
        options: with defaults and bounds; None: checked by its class.
        parts: number of unit-length parts that the embedding must be divided into; None: any.
        per_class: options -> minimum number of images of each class in a batch.
        excludes: names of wrappers that it cannot be combined with.
        paper: authors, venue and year.
    """

    name: str
    title: str
    help: str
    wrap: "Callable[..., nn.Module]"
    options: Mapping[str, Option] | None = None
    parts: int | None = None
    per_class: Callable[[Mapping[str, Any]], int] = lambda options: 1
    excludes: tuple[str, ...] = ()
    paper: str = ""


def of_function(loss: Callable[..., Any], **fixed: Any) -> "Callable[..., nn.Module]":
    """`make` of an objective that is a function (embeddings, labels, **options) -> scalar; `fixed` are arguments that are not options."""

    def make(classes: int, dim: int, **options: Any) -> "nn.Module":
        from likeness.losses.mined import FunctionLoss

        return FunctionLoss(partial(loss, **fixed, **options))

    return make
