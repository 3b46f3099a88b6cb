"""All scores of captions in one call."""

from collections.abc import Sequence
from typing import Any

from experiments.captioning.metrics.bleu import bleu
from experiments.captioning.metrics.cider import CiderD, DocumentFrequencies
from experiments.captioning.metrics.meteor import MeteorLike
from experiments.captioning.metrics.ngrams import check_captions
from experiments.captioning.metrics.rouge import rouge_l
from experiments.captioning.tokenizer import tokenize

# In the order of Table 1 of the log-ratio paper (Kim et al., CVPR 2019), whose SPICE is left out: it needs a scene graph parser.
SCORES = ("bleu_4", "cider_d", "meteor_like", "rouge_l", "bleu_1", "bleu_2", "bleu_3")


def caption_scores(
    candidates: Sequence[str], references: Sequence[Sequence[str]], frequencies: DocumentFrequencies | None = None, wordnet: Any = None
) -> dict[str, float]:
    """The scores `SCORES` of a sentence per image against some that people wrote: CIDEr-D in [0, 10], the rest in [0, 1].

    An empty candidate scores 0 and stays in the mean. Table 1 prints the same figures, where CIDEr-D of 1.029 is what others call 102.9.

    Args:
        candidates: n sentences.
        references: n lists of sentences.
        frequencies: of n-grams, for CIDEr-D; None: of the references, as in the COCO evaluation, so that a single image scores 0.
        wordnet: for synonyms in the score like METEOR; `nltk_wordnet()` where it is here.

    Raises:
        InputError: numbers that differ, no images, an image without references, a reference without words, or no nltk.
    """
    said, written = [tokenize(text) for text in candidates], [[tokenize(text) for text in own] for own in references]
    check_captions(said, written)
    orders = bleu(said, written)
    found = {f"bleu_{n}": orders[n - 1] for n in range(1, 5)}
    found["cider_d"] = float(CiderD(written, frequencies).scores(said).mean())
    found["meteor_like"] = MeteorLike(wordnet=wordnet).corpus(said, written)
    found["rouge_l"] = rouge_l(said, written)
    return {name: found[name] for name in SCORES}
