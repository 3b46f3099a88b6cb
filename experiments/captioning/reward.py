"""The reward of self-critical training: CIDEr-D against the training captions."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from experiments.captioning.metrics import CiderD
from experiments.captioning.vocabulary import END, Vocabulary

_END = "<end>"


class CaptionReward:
    """CIDEr-D of sentences in numbers, with document frequencies of the training captions.

    Args:
        references: sentences in words of each training image.
        vocabulary: of the numbers; the sign for unknown words matches no reference.
        reward_end: the end of a sentence counts as its last word.
    """

    def __init__(self, references: Sequence[Sequence[Sequence[str]]], vocabulary: Vocabulary, reward_end: bool = True) -> None:
        self.vocabulary, self.reward_end = vocabulary, reward_end
        ending = [_END] if reward_end else []
        self._scorer = CiderD([[[*words, *ending] for words in own] for own in references])

    def __call__(self, sentences: NDArray[np.int64], images: NDArray[np.int64]) -> NDArray[np.float64]:
        """Rewards (n,) in [0, 10] of sentences (n, t) about images (n,), numbers among the references."""
        return self._scorer.scores([self._words(row) for row in sentences], images)

    def _words(self, row: NDArray[np.int64]) -> list[str]:
        words = self.vocabulary.decode(row).split()
        return [*words, _END] if self.reward_end and END in row else words
