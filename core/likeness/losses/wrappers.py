"""Registry of wrappers around objectives on classes. Needs no torch."""

from collections.abc import Mapping, Sequence
from copy import deepcopy
from functools import partial
from typing import TYPE_CHECKING, Any

from likeness.errors import InputError
from likeness.losses.objective import MakeObjective, Wrapper
from likeness.losses.wrapper_options import DIVA_PARTS, WRAPPER_OPTIONS

if TYPE_CHECKING:
    from torch import nn


def _memory(make: MakeObjective, dim: int, feature_dim: int, classes: int, size: int = 1024) -> "nn.Module":
    from likeness.losses.memory import with_memory

    return with_memory(make(dim), dim, size)


def _matryoshka(make: MakeObjective, dim: int, feature_dim: int, classes: int, **options: Any) -> "nn.Module":
    from likeness.losses.matryoshka import Matryoshka

    try:
        return Matryoshka(lambda each: deepcopy(make(each)), dim, **options)
    except TypeError as error:
        raise InputError(f"Matryoshka does not take these options: {error}.") from error


def _s2sd(
    make: MakeObjective, dim: int, feature_dim: int, classes: int, target_dims: Sequence[int] = (512, 1024, 1536, 2048), **options: Any
) -> "nn.Module":
    from likeness.losses.s2sd import S2SD

    # copied, since a loss passed as an object is the same for every dimension
    objectives = [deepcopy(make(each)) for each in (dim, *target_dims)]
    try:
        return S2SD(objectives, feature_dim, target_dims, **options)
    except TypeError as error:
        raise InputError(f"S2SD does not take these options: {error}.") from error


def _uniform_prior(
    make: MakeObjective, dim: int, feature_dim: int, classes: int, weight: float = 0.1, hidden: int = 100, official: bool = False, **options: Any
) -> "nn.Module":
    from likeness.losses.uniform_prior import OfficialUniformPrior, UniformPrior

    inner = make(dim)
    return OfficialUniformPrior(inner, feature_dim, weight, hidden, **options) if official else UniformPrior(inner, dim, weight, hidden)


def _diva(make: MakeObjective, dim: int, feature_dim: int, classes: int, **options: Any) -> "nn.Module":
    from likeness.losses.diva import DiVA

    return DiVA(make(dim // DIVA_PARTS), dim, classes=classes, **options)


# in order of wrapping: each wraps those before it
WRAPPERS: dict[str, Wrapper] = {
    wrapper.name: wrapper
    for wrapper in (
        Wrapper(
            "memory",
            "memory",
            "Compares the batch with embeddings of earlier ones.",
            _memory,
            WRAPPER_OPTIONS["memory"],
            paper="Wang et al., CVPR 2020",
        ),
        Wrapper(
            "matryoshka",
            "Matryoshka",
            "The first dimensions of the embedding are trained as embeddings, too.",
            _matryoshka,
            parts=1,
            excludes=("s2sd", "diva"),
            paper="Kusupati et al., NeurIPS 2022",
        ),
        Wrapper("s2sd", "S2SD", "The embedding also learns from wider branches that are trained beside it.", _s2sd, paper="Roth et al., ICML 2021"),
        Wrapper(
            "uniform_prior",
            "uniform prior",
            "Also spreads the images evenly over the whole space.",
            _uniform_prior,
            WRAPPER_OPTIONS["uniform_prior"],
            parts=1,
            paper="Sinha et al. 2020",
        ),
        Wrapper(
            "diva",
            "DiVA",
            "Adds parts that learn what classes share and what is special to an image.",
            _diva,
            WRAPPER_OPTIONS["diva"],
            parts=DIVA_PARTS,
            per_class=lambda options: 2 if options.get("random_labels") else 3,
            excludes=("s2sd", "uniform_prior"),
            paper="Milbich et al., ECCV 2020",
        ),
    )
}


def wrapper_parameters(objective: "nn.Module") -> "list[nn.Parameter]":
    """Parameters of the networks that wrappers train besides the objective: branches, discriminator, separations."""
    from likeness.losses.diva import DiVA
    from likeness.losses.s2sd import S2SD
    from likeness.losses.uniform_prior import UniformPrior

    wrappers = [each for each in objective.modules() if isinstance(each, S2SD | UniformPrior | DiVA)]
    return [parameter for each in wrappers for parameter in each.networks.parameters() if parameter.requires_grad]


def wrap_objective(make: MakeObjective, wrappers: Mapping[str, Mapping[str, Any]], dim: int, feature_dim: int, classes: int = 0) -> "nn.Module":
    """Wraps an objective; `wrappers` are options by name, {} for the defaults. InputError: options that do not fit.

    `make` creates an objective on embeddings (n, d) for each dimension d that the wrappers need. `feature_dim` is the dimension of the backbone's
    pooled features, `classes` the number of training classes, for wrappers that learn a value for each.
    """
    for name in (each for each in WRAPPERS if each in wrappers):
        make = partial(WRAPPERS[name].wrap, make, feature_dim=feature_dim, classes=classes, **wrappers[name])
    return make(dim)
