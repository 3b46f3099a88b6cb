"""How well captions agree with what people wrote: BLEU, ROUGE-L, CIDEr-D and a score like METEOR."""

from experiments.captioning.metrics.bleu import bleu
from experiments.captioning.metrics.cider import CiderD, DocumentFrequencies, document_frequencies
from experiments.captioning.metrics.meteor import METEOR_1_5, MeteorLike, MeteorParameters
from experiments.captioning.metrics.rouge import rouge_l
from experiments.captioning.metrics.scores import SCORES, caption_scores

__all__ = [
    "METEOR_1_5",
    "SCORES",
    "CiderD",
    "DocumentFrequencies",
    "MeteorLike",
    "MeteorParameters",
    "bleu",
    "caption_scores",
    "document_frequencies",
    "rouge_l",
]
