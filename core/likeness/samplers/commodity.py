"""The miners of pytorch-metric-learning by name, an entry each, with its class there and its options. Needs no torch."""

from functools import partial
from typing import Any

from likeness.options import Option
from likeness.samplers.miner import Mine, Miner


def _made(miner: str, **options: Any) -> Mine:
    from pytorch_metric_learning import miners

    made: Mine = getattr(miners, miner)(**options)
    return made


def _of(name: str, title: str, help: str, miner: str, **options: Option) -> Miner:
    return Miner(name, title, help, partial(_made, miner), options)


COMMODITY_MINERS: tuple[Miner, ...] = (
    _of(
        "hard-pairs",  # Wang et al., CVPR 2019, multisimilarity
        "Hard pairs",
        "Keeps a pair of one class that is less similar than the anchor's nearest other class, and a pair of two classes that is more similar "
        "than its farthest partner.",
        "MultiSimilarityMiner",
        epsilon=Option(0.1, "Margin of similarity within which a pair still counts as hard.", 0),
    ),
    _of("batch-hard", "Hardest triplets", "Takes the farthest image of each one's class and the nearest of another.", "BatchHardMiner"),
    _of(
        "triplet-margin",
        "Triplets within a margin",
        "Keeps triplets whose negative is not farther than the positive by the margin.",
        "TripletMarginMiner",
        margin=Option(0.2, "By how much farther, in distances.", 0),
    ),
    _of(
        "pair-margin",
        "Pairs beyond margins",
        "Keeps pairs of one class that lie far apart, and pairs of two classes that lie near.",
        "PairMarginMiner",
        pos_margin=Option(0.2, "Distance above which a pair of one class is kept.", 0),
        neg_margin=Option(0.8, "Distance below which a pair of two classes is kept.", 0),
    ),
)
