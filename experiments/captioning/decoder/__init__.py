"""Captioning models: decoders that predict the next word from a grid of features, and search for whole sentences."""

from experiments.captioning.decoder.att2all2 import Att2all2 as Att2all2
from experiments.captioning.decoder.attention import AdditiveAttention as AdditiveAttention
from experiments.captioning.decoder.beam import beam_search as beam_search
from experiments.captioning.decoder.captioner import Captioner as Captioner, Memory as Memory, Step as Step
from experiments.captioning.decoder.rollout import Spoken as Spoken, greedy as greedy, sample as sample
from experiments.captioning.decoder.topdown import TopDown as TopDown

# By the names of a config.
CAPTIONERS: dict[str, type[Captioner]] = {"att2all2": Att2all2, "topdown": TopDown}
