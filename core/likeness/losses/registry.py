"""Registry of the objectives that a run can train with, and of their wrappers. Needs no torch."""

from collections.abc import Callable
from difflib import get_close_matches
from typing import TYPE_CHECKING, Any, NoReturn

from likeness.errors import InputError
from likeness.losses.binary_margin import BINARY_MARGIN
from likeness.losses.commodity import COMMODITY, pml_objective
from likeness.losses.dense_triplet import BINARY_TRIPLET, DENSE_TRIPLET, DENSE_TRIPLET_OFFICIAL
from likeness.losses.log_ratio import LOG_RATIO, LOG_RATIO_OFFICIAL
from likeness.losses.margin import MARGIN, MARGIN_OFFICIAL, R_MARGIN
from likeness.losses.multi_similarity import MULTISIMILARITY, MULTISIMILARITY_OFFICIAL, MULTISIMILARITY_OODML
from likeness.losses.objective import Labels, Objective
from likeness.losses.rank_n_contrast import RANK_N_CONTRAST
from likeness.options import check_options, defaults
from likeness.samplers import PML, Mine, make_miner

if TYPE_CHECKING:
    from torch import nn


def _missing(classes: int, dim: int) -> NoReturn:
    raise InputError("The run trains with a loss object, which configs cannot hold; pass it again: train(config, folder, loss=...).")


def _image_text(softmax: bool) -> "nn.Module":
    from likeness.losses.image_text import ImageText

    return ImageText(softmax)


IMAGE_TEXT = Objective(
    "image-text",
    "Image-text",
    "Each image is nearer to its caption than to the other captions of the batch, and the other way round.",
    lambda classes, dim: _image_text(softmax=True),
    labels="captions",
    paper="Radford et al., ICML 2021",
)
IMAGE_TEXT_SIGMOID = Objective(
    "image-text-sigmoid",
    "Image-text (sigmoid)",
    "Each pair of an image and a caption of the batch is told apart on its own: partners or not.",
    lambda classes, dim: _image_text(softmax=False),
    labels="captions",
    paper="Zhai et al., ICCV 2023",
)
CUSTOM = Objective("custom", "Own loss", "The object passed to `likeness.train` as `loss`, on class labels.", _missing, mines=True, listed=False)
CUSTOM_DISTANCES = Objective(
    "custom-distances",
    "Own loss",
    "The object passed to `likeness.train` as `loss`, on label distances.",
    _missing,
    labels="distances",
    listed=False,
)

OBJECTIVES: dict[str, Objective] = {
    objective.name: objective
    for objective in (
        MULTISIMILARITY,
        MULTISIMILARITY_OFFICIAL,
        MULTISIMILARITY_OODML,
        MARGIN,
        MARGIN_OFFICIAL,
        R_MARGIN,
        *COMMODITY,
        LOG_RATIO,
        LOG_RATIO_OFFICIAL,
        DENSE_TRIPLET,
        DENSE_TRIPLET_OFFICIAL,
        BINARY_TRIPLET,
        BINARY_MARGIN,
        RANK_N_CONTRAST,
        IMAGE_TEXT,
        IMAGE_TEXT_SIGMOID,
        CUSTOM,
        CUSTOM_DISTANCES,
    )
}


def objectives_on(labels: Labels) -> dict[str, Objective]:
    """Listed objectives on class labels, on label distances, or on captions, by name."""
    return {name: each for name, each in OBJECTIVES.items() if each.labels == labels and each.listed}


def find_objective(name: str) -> Objective:
    """An objective by its name, or by "pml:" and that of a loss of pytorch-metric-learning, with its numeric options. InputError: there is none."""
    if name.startswith(PML):
        return pml_objective(name)
    if name not in OBJECTIVES:
        listed = [each.name for each in OBJECTIVES.values() if each.listed]
        near = ", ".join(get_close_matches(name, listed, n=3, cutoff=0.5))
        raise InputError(
            f"There is no objective '{name}'; {f'near it are {near}, and ' if near else ''}`likeness kinds objectives` lists all {len(listed)}."
        )
    return OBJECTIVES[name]


def check_objective(name: str, options: dict[str, Any]) -> str:
    """One sentence on what is wrong with an objective's name or options; empty if nothing is."""
    try:
        return check_options(f"The objective '{name}'", find_objective(name).options, options, "objective.options")
    except InputError as error:
        return str(error)


def check_mines(name: str) -> str:
    """One sentence on why the miner cannot be replaced; empty if it can."""
    if find_objective(name).mines:
        return ""
    return f"The objective '{name}' takes no miner; choose one of {', '.join(each for each, known in OBJECTIVES.items() if known.mines)}."


def make_objective(name: str, classes: int = 0, dim: int = 0, *, miner: str | Mine | None = None, **options: Any) -> "nn.Module":
    """Creates an objective: a module (embeddings (n, d), labels) -> scalar, with labels as in `Objective.labels`.

    Args:
        classes, dim: number of training classes, and d; objectives on label distances need neither.
        miner: replaces the objective's own: a name of `likeness.samplers.MINERS`, or a callable (embeddings, labels) -> row numbers.
        options: of the objective; defaults are the papers' values.

    InputError: unknown name or option, a value out of bounds, or a miner for an objective without mined tuples.
    """
    if wrong := check_objective(name, options):
        raise InputError(wrong)
    objective = find_objective(name)
    if miner is not None and (wrong := check_mines(name)):
        raise InputError(wrong)
    module = objective.make(classes, dim, **(defaults(objective.options) | options))
    if miner is not None:
        from likeness.losses.mined import Mined

        assert isinstance(module, Mined), "an objective that mines is made as Mined"
        return Mined(module.loss, make_miner(miner))
    return module


def as_module(loss: Any) -> "nn.Module":
    """Returns a module as it is and wraps a function (embeddings (n, d), labels) -> scalar; InputError for anything else, also for a class."""
    from torch import nn

    from likeness.losses.mined import FunctionLoss

    if isinstance(loss, nn.Module):
        return loss
    if not callable(loss) or isinstance(loss, type):
        raise InputError(f"The loss {loss!r} is not callable; pass a module or a function (embeddings, labels) -> scalar.")
    function: Callable[..., Any] = loss
    return FunctionLoss(function)
