"""How well captions agree with what people wrote: BLEU, ROUGE-L, CIDEr-D and a score like METEOR."""

from likeness.recipes.captioning.metrics.bleu import bleu
from likeness.recipes.captioning.metrics.cider import CiderD, DocumentFrequencies, document_frequencies
from likeness.recipes.captioning.metrics.meteor import METEOR_1_5, MeteorLike, MeteorParameters
from likeness.recipes.captioning.metrics.rouge import rouge_l
from likeness.recipes.captioning.metrics.scores import SCORES, caption_scores

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
