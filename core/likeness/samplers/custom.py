"""A miner that was given as an object: what a saved config says of it."""

from typing import NoReturn

from likeness.errors import InputError
from likeness.samplers.miner import Miner


def _missing() -> NoReturn:
    raise InputError("The run trains with a miner that was given as an object; pass it again: train(config, folder, miner=...).")


CUSTOM_MINER = Miner("custom", "Own miner", "The object that was given to `likeness.train` as `miner`.", _missing)
