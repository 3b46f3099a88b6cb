"""The pairs of a batch that lie wrongly, or nearly so (Wang et al., CVPR 2019, multisimilarity)."""

from likeness.options import Option
from likeness.samplers.miner import Mine, Miner


def _make(epsilon: float) -> Mine:
    from pytorch_metric_learning.miners import MultiSimilarityMiner

    miner: Mine = MultiSimilarityMiner(epsilon)
    return miner


HARD_PAIRS = Miner(
    "hard-pairs",
    "Hard pairs",
    "Keeps a pair of one class that is less similar than the anchor's nearest other class, and a pair of two classes that is more similar than its "
    "farthest partner.",
    _make,
    {"epsilon": Option(0.1, "Margin of similarity within which a pair still counts as hard.", 0)},
)
