"""Agreement of captions with references: BLEU, ROUGE-L, CIDEr-D and a METEOR-like score."""

from experiments.captioning.metrics.bleu import bleu as bleu
from experiments.captioning.metrics.cider import (
    CiderD as CiderD,
    DocumentFrequencies as DocumentFrequencies,
    document_frequencies as document_frequencies,
)
from experiments.captioning.metrics.meteor import METEOR_1_5 as METEOR_1_5, MeteorLike as MeteorLike, MeteorParameters as MeteorParameters
from experiments.captioning.metrics.rouge import rouge_l as rouge_l
from experiments.captioning.metrics.scores import SCORES as SCORES, caption_scores as caption_scores
