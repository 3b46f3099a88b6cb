"""Losses and miners of pytorch-metric-learning that have no name of their own here, as "pml:CircleLoss" and "pml:AngularMiner"."""

import inspect
from functools import lru_cache
from importlib import import_module
from typing import NamedTuple

from likeness.errors import InputError
from likeness.options import Option

PML = "pml:"
_SIZES = {"num_classes", "embedding_size", "descriptors_dim"}  # which the run knows


class PmlClass(NamedTuple):
    """A class of the library, its numeric options, and which sizes it needs of a run."""

    made: type
    options: dict[str, Option]
    sizes: set[str]


@lru_cache
def pml_class(kind: str, name: str) -> PmlClass:
    """The class that "pml:NAME" means in `pytorch_metric_learning.losses` or `.miners`. InputError: there is none, or one that lacks
    defaults."""
    module = import_module(f"pytorch_metric_learning.{kind}")
    base = module.BaseMetricLossFunction if kind == "losses" else module.BaseMiner
    known = {each: found for each, found in vars(module).items() if inspect.isclass(found) and issubclass(found, base) and found is not base}
    made = known.get(name.removeprefix(PML))
    if made is None:
        raise InputError(f"pytorch-metric-learning has no {name.removeprefix(PML)} among its {kind}; choose from {', '.join(sorted(known))}.")
    signatures = [inspect.signature(each.__init__).parameters for each in reversed(made.__mro__[:-1]) if "__init__" in vars(each)]  # type: ignore[misc]
    taken = {key: value.default for each in signatures for key, value in each.items()}
    lacking = {key for key, value in signatures[-1].items() if value.default is value.empty} - _SIZES - {"self", "args", "kwargs"}
    if lacking:
        raise InputError(f"'{name}' has no defaults for {', '.join(sorted(lacking))}; pass it itself: train(config, folder, loss=...).")
    numbers = {key: value for key, value in taken.items() if isinstance(value, bool | int | float)}
    return PmlClass(
        made, {key: Option(value, f"As in pytorch-metric-learning's {made.__name__}.") for key, value in numbers.items()}, _SIZES & set(taken)
    )
