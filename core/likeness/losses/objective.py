"""What an objective, and a wrapper of objectives, declares about itself."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Any, Literal

from likeness.options import Option

if TYPE_CHECKING:
    from torch import nn

Labels = Literal["classes", "distances"]
MakeObjective = Callable[[int], "nn.Module"]  # dim -> objective


@dataclass(frozen=True)
class Objective:
    """A loss that a run can train with, with a title and one sentence for people.

    Attributes:
        make: (classes, dim, **options) -> a module (embeddings (n, d), labels) -> scalar. `classes` are those of training and `dim` is d; both
            matter to objectives with a proxy for each class, which are then parameters of the module. Heavy imports belong into it.
        labels: "classes": labels are class numbers (n,) from 0; "distances": label distances (a, n) of the first a rows, the anchors.
        unit: it needs embeddings of unit length.
        mines: it compares tuples that a miner picks, and another miner can be taken (`likeness.samplers.MINERS`).
        listed: offered in menus and tables; false for what stands in a config only.
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
    """A loss around an objective on classes; its name is its key in a config's objective, its title stands within a phrase: "Margin + uniform prior".

    Attributes:
        wrap: (make, dim, feature_dim, classes, **options) -> a module, where make(dim) is the objective inside for embeddings (n, dim).
        options: with defaults and bounds; None: its class checks them.
        parts: into how many parts of unit length the embedding must be divided; None: any.
        per_class: options -> fewest images of each class in a batch.
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
    """The `make` of an objective that is a function (embeddings, labels, **options) -> scalar; `fixed` is what no option sets."""

    def make(classes: int, dim: int, **options: Any) -> "nn.Module":
        from likeness.losses.mined import FunctionLoss

        return FunctionLoss(partial(loss, **fixed, **options))

    return make
