"""The miners that a config can name, a line each. Needs no torch."""

from typing import Any, NoReturn

from likeness.errors import InputError
from likeness.options import check_options, defaults
from likeness.samplers.commodity import COMMODITY_MINERS
from likeness.samplers.distance_weighted import DISTANCE_WEIGHTED
from likeness.samplers.miner import Mine, Miner
from likeness.samplers.rho_triplets import RHO_TRIPLETS


def _missing() -> NoReturn:
    raise InputError("The run trains with a miner that was given as an object; pass it again: train(config, folder, miner=...).")


CUSTOM_MINER = Miner("custom", "Own miner", "The object that was given to `likeness.train` as `miner`.", _missing)


MINERS: dict[str, Miner] = {
    miner.name: miner
    for miner in (
        DISTANCE_WEIGHTED,
        RHO_TRIPLETS,
        *COMMODITY_MINERS,
        CUSTOM_MINER,
    )
}


def check_miner(name: str, options: dict[str, Any]) -> str:
    """What is wrong with a miner's name or options, in one sentence; empty where nothing is."""
    if name not in MINERS:
        return f"There is no miner '{name}'; choose from {', '.join(MINERS)}."
    return check_options(f"The miner '{name}'", MINERS[name].options, options, "objective.miner_options")


def make_miner(miner: str | Mine, **options: Any) -> Mine:
    """The miner of this name; a callable (embeddings, labels) -> row numbers is taken as it is.

    Raises:
        InputError: an unknown name or option, or neither a name nor a callable.
    """
    if isinstance(miner, str):
        if wrong := check_miner(miner, options):
            raise InputError(wrong)
        return MINERS[miner].make(**(defaults(MINERS[miner].options) | options))
    if not callable(miner):
        raise InputError(f"The miner {miner!r} is neither a name nor a callable (embeddings, labels) -> row numbers; names are {', '.join(MINERS)}.")
    return miner
