"""A loss that was given as an object: what a saved config says of it, and the object as a module."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NoReturn

from likeness.errors import InputError
from likeness.losses.objective import Objective

if TYPE_CHECKING:
    from torch import nn


def _missing(classes: int, dim: int) -> NoReturn:
    raise InputError("The run trains with a loss that was given as an object; pass it again: train(config, folder, loss=...).")


CUSTOM = Objective(
    "custom", "Own loss", "The object that was given to `likeness.train` as `loss`, on class labels.", _missing, mines=True, listed=False
)
CUSTOM_DISTANCES = Objective(
    "custom-distances",
    "Own loss",
    "The object that was given to `likeness.train` as `loss`, on label distances.",
    _missing,
    labels="distances",
    listed=False,
)


def as_module(loss: Any) -> "nn.Module":
    """A module as it is; a function (embeddings (n, d), labels) -> scalar as a module.

    Raises:
        InputError: neither of them, or a class in place of an object.
    """
    from torch import nn

    from likeness.losses.mined import FunctionLoss

    if isinstance(loss, nn.Module):
        return loss
    if not callable(loss) or isinstance(loss, type):
        raise InputError(f"The loss {loss!r} is no object that can be called; pass a module or a function (embeddings, labels) -> scalar.")
    function: Callable[..., Any] = loss
    return FunctionLoss(function)
