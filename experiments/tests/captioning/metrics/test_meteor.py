"""The score like METEOR: nltk's METEOR at its parameters, hand-computed cases at METEOR 1.5's, laws."""

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from experiments.captioning.metrics import MeteorLike, MeteorParameters


class NoSynonyms:
    def synsets(self, word: str) -> list[Any]:
        return []


@pytest.mark.parametrize("seed", range(40))
def test_equals_nltk_without_weights(seed: int) -> None:
    """On sentences without repeated words, where its greedy alignment is the best one; matches of all modules weigh alike there."""
    from nltk.translate.meteor_score import single_meteor_score

    rng = np.random.default_rng(seed)
    words = np.array(["cats", "run", "dogs", "sleep", "under", "red", "cars", "quickly"])
    forms = np.array(["cat", "running", "dog", "sleeping", "under", "reds", "car", "quick"])
    said, own = (list(rng.permutation(8)[: rng.integers(2, 8)]) for _ in range(2))
    candidate, reference = list(words[said]), [str(forms[i] if rng.random() < 0.3 else words[i]) for i in own]
    plain = MeteorLike(MeteorParameters(alpha=0.9, beta=3.0, gamma=0.5, delta=0.5, weights=(1.0, 1.0, 1.0)))
    theirs = single_meteor_score(reference, candidate, wordnet=NoSynonyms(), alpha=0.9, beta=3.0, gamma=0.5)
    ours = plain.sentence(candidate, [reference])
    if set(said) == set(own) and said == own:
        assert ours == 1  # nltk fines a perfect caption for its one chunk
    else:
        assert ours == pytest.approx(theirs)


def test_by_hand() -> None:
    """ "the cat sat" against "the cats sat down": the (function) .25 exact, cat .75 stem, sat .75 exact; one chunk of three matches.

    P = (.25 + .6 .75 + .75) / 1.75, R = the same / 2.5.
    """
    matched = 0.25 + 0.6 * 0.75 + 0.75
    # "down" is a function word
    precision, recall = matched / 1.75, matched / (0.25 + 0.75 + 0.75 + 0.25)
    mean = precision * recall / (0.85 * precision + 0.15 * recall)
    expected = mean * (1 - 0.6 * (1 / 3) ** 0.2)
    assert MeteorLike().sentence(["the", "cat", "sat"], [["the", "cats", "sat", "down"]]) == pytest.approx(expected)


def test_synonyms_weigh_less_than_the_word_itself() -> None:
    score = MeteorLike(relation=lambda a, b: 0 if a == b else 2 if {a, b} == {"car", "auto"} else None).sentence
    assert score(["red", "car"], [["red", "car"]]) == 1
    # one chunk of all words has no penalty; P = R = (.75 + .8 .75) / 1.5
    assert score(["red", "auto"], [["red", "car"]]) == pytest.approx(0.9)


def test_the_corpus_is_scored_by_its_sums() -> None:
    """Not the mean of the sentences: 2 of 2 words and 1 of 4."""
    scorer = MeteorLike(MeteorParameters(delta=0.5))
    found = scorer.corpus([["x", "y"], ["p", "q", "r", "s"]], [[["x", "y"]], [["p", "t", "u", "v"]]])
    mean = 3 / 6  # precision and recall alike
    assert found == pytest.approx(mean * (1 - 0.6 * (1 / 3) ** 0.2))


def test_laws(corpus: SimpleNamespace) -> None:
    scorer = MeteorLike()
    first = [own[0] for own in corpus.references]
    assert scorer.corpus(first, corpus.references) == pytest.approx(1.0)
    found = scorer.corpus(corpus.candidates, corpus.references)
    assert 0 < found < 1
    assert scorer.corpus(corpus.candidates, [own[::-1] for own in corpus.references]) == pytest.approx(found)
    assert scorer.sentence([], [["a"]]) == 0
    assert scorer.sentence(["x"], [["y"]]) == 0
    best = max(scorer.sentence(corpus.candidates[0], [one]) for one in corpus.references[0])
    assert scorer.sentence(corpus.candidates[0], corpus.references[0]) == pytest.approx(best)
