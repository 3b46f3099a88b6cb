"""Captioning models: what says the next word from a grid of features, and how whole sentences are found."""

from likeness.recipes.captioning.decoder.att2all2 import Att2all2
from likeness.recipes.captioning.decoder.attention import AdditiveAttention
from likeness.recipes.captioning.decoder.beam import beam_search
from likeness.recipes.captioning.decoder.captioner import Captioner, Memory, Step
from likeness.recipes.captioning.decoder.rollout import Spoken, greedy, sample
from likeness.recipes.captioning.decoder.topdown import TopDown

# By the names of a config.
CAPTIONERS: dict[str, type[Captioner]] = {"att2all2": Att2all2, "topdown": TopDown}

__all__ = ["CAPTIONERS", "AdditiveAttention", "Att2all2", "Captioner", "Memory", "Spoken", "Step", "TopDown", "beam_search", "greedy", "sample"]
