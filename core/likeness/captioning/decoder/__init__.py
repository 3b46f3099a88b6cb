"""Captioning models: what says the next word from a grid of features, and how whole sentences are found."""

from likeness.captioning.decoder.att2all2 import Att2all2
from likeness.captioning.decoder.attention import AdditiveAttention
from likeness.captioning.decoder.beam import beam_search
from likeness.captioning.decoder.captioner import Captioner, Memory, Step
from likeness.captioning.decoder.rollout import Spoken, greedy, sample
from likeness.captioning.decoder.topdown import TopDown

# By the names of a config.
CAPTIONERS: dict[str, type[Captioner]] = {"att2all2": Att2all2, "topdown": TopDown}

__all__ = ["CAPTIONERS", "AdditiveAttention", "Att2all2", "Captioner", "Memory", "Spoken", "Step", "TopDown", "beam_search", "greedy", "sample"]
