"""Captioning models: what says the next word from a grid of features, and how whole sentences are found."""

from experiments.captioning.decoder.att2all2 import Att2all2
from experiments.captioning.decoder.attention import AdditiveAttention
from experiments.captioning.decoder.beam import beam_search
from experiments.captioning.decoder.captioner import Captioner, Memory, Step
from experiments.captioning.decoder.rollout import Spoken, greedy, sample
from experiments.captioning.decoder.topdown import TopDown

# By the names of a config.
CAPTIONERS: dict[str, type[Captioner]] = {"att2all2": Att2all2, "topdown": TopDown}

__all__ = ["CAPTIONERS", "AdditiveAttention", "Att2all2", "Captioner", "Memory", "Spoken", "Step", "TopDown", "beam_search", "greedy", "sample"]
