"""Registry of the miners that a config can name. Needs no torch."""

from functools import partial
from typing import Any, NoReturn

from likeness.errors import InputError
from likeness.options import Option, check_options, defaults
from likeness.samplers.distance_weighted import DISTANCE_WEIGHTED, RHO_TRIPLETS
from likeness.samplers.miner import Mine, Miner
from likeness.samplers.pml_names import PML, pml_class


def _made(miner: str, **options: Any) -> Mine:
    from pytorch_metric_learning import miners

    made: Mine = getattr(miners, miner)(**options)
    return made


def _of(name: str, title: str, help: str, miner: str, paper: str = "", **options: Option) -> Miner:
    return Miner(name, title, help, partial(_made, miner), options, paper)


_COMMODITY: tuple[Miner, ...] = (
    _of(
        "hard-pairs",
        "Hard pairs",
        "Keeps pairs of one class that are less similar than the nearest image of another class, and pairs of two classes that are more "
        "similar than the farthest image of the class.",
        "MultiSimilarityMiner",
        epsilon=Option(0.1, "Margin of similarity to the hardest pair of the other kind, within which a pair is still kept.", 0),
        paper="Wang et al., CVPR 2019",
    ),
    _of(
        "batch-hard",
        "Hardest triplets",
        "Takes the farthest image of the own class and the nearest of another.",
        "BatchHardMiner",
        paper="Hermans et al. 2017",
    ),
    _of(
        "triplet-margin",
        "Triplets within a margin",
        "Keeps triplets whose negative is not farther than the positive by the margin.",
        "TripletMarginMiner",
        margin=Option(0.2, "Margin, in distances.", 0),
    ),
    _of(
        "pair-margin",
        "Pairs beyond margins",
        "Keeps pairs of one class that are far apart, and pairs of two classes that are near.",
        "PairMarginMiner",
        pos_margin=Option(0.2, "Distance above which a pair of one class is kept.", 0),
        neg_margin=Option(0.8, "Distance below which a pair of two classes is kept.", 0),
    ),
)


def _missing() -> NoReturn:
    raise InputError("The run trains with a miner object, which configs cannot hold; pass it again: train(config, folder, miner=...).")


CUSTOM_MINER = Miner("custom", "Own miner", "The object passed to `likeness.train` as `miner`.", _missing)


MINERS: dict[str, Miner] = {miner.name: miner for miner in (DISTANCE_WEIGHTED, RHO_TRIPLETS, *_COMMODITY, CUSTOM_MINER)}


def find_miner(name: str) -> Miner:
    """A miner by its name, or by "pml:" and that of pytorch-metric-learning. InputError: there is none."""
    if name.startswith(PML):
        found = pml_class("miners", name)
        return Miner(name, name, f"{found.made.__name__} of pytorch-metric-learning.", found.made, found.options)
    if name not in MINERS:
        raise InputError(f"There is no miner '{name}'; choose from {', '.join(MINERS)}, or one of pytorch-metric-learning, such as pml:AngularMiner.")
    return MINERS[name]


def check_miner(name: str, options: dict[str, Any]) -> str:
    """One sentence on what is wrong with a miner's name or options; empty if nothing is."""
    try:
        return check_options(f"The miner '{name}'", find_miner(name).options, options, "objective.miner_options")
    except InputError as error:
        return str(error)


def make_miner(miner: str | Mine, **options: Any) -> Mine:
    """Creates a miner by name; a callable (embeddings, labels) -> row numbers is returned as it is. InputError: anything else, or unknown options."""
    if isinstance(miner, str):
        if wrong := check_miner(miner, options):
            raise InputError(wrong)
        found = find_miner(miner)
        return found.make(**(defaults(found.options) | options))
    if not callable(miner):
        raise InputError(f"The miner {miner!r} is neither a name nor a callable (embeddings, labels) -> row numbers; names are {', '.join(MINERS)}.")
    return miner
