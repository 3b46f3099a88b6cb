"""The reward: CIDEr-D of words, with and without the end."""

import numpy as np
import pytest

from experiments.captioning.metrics import CiderD
from experiments.captioning.reward import CaptionReward
from experiments.captioning.vocabulary import END, PAD, UNKNOWN, Vocabulary

VOCABULARY = Vocabulary(("a", "red", "car", "bus"))
REFERENCES = [[["a", "red", "car"], ["red", "car"]], [["a", "strange", "bus"]], [["bus"]]]


def test_rewards_are_cider_d_of_the_words_and_unknown_ones_match_nothing() -> None:
    sentences = np.array([[4, 5, 6, END, PAD], [4, 7, END, PAD, PAD], [4, 7, 5, 6, 6]])
    images = np.array([0, 1, 0])
    plain = CaptionReward(REFERENCES, VOCABULARY, reward_end=False)(sentences, images)
    said = [["a", "red", "car"], ["a", "bus"], ["a", "bus", "red", "car", "car"]]
    assert plain == pytest.approx(CiderD(REFERENCES).scores(said, images))
    ended = CaptionReward(REFERENCES, VOCABULARY)(sentences, images)
    with_end = [[[*words, "."] for words in own] for own in REFERENCES]
    assert ended == pytest.approx(CiderD(with_end).scores([[*said[0], "."], [*said[1], "."], said[2]], images))
    # "strange" is not in the vocabulary; its sign is no word of the reference.
    reward = CaptionReward(REFERENCES, VOCABULARY, False)
    assert reward(np.array([[UNKNOWN, END]]), np.array([1])) == 0
