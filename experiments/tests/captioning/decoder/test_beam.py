"""Beam search: width 1 is greedy, a wide one is exhaustive search, and more width never finds less here."""

from collections.abc import Callable
from itertools import product

import pytest
import torch

from experiments.captioning.decoder import Captioner, beam_search, greedy
from experiments.captioning.vocabulary import END, PAD, UNKNOWN

Maker = Callable[..., Captioner]
SEEDS = range(6)


def log_probability(captioner: Captioner, memory: object, sentence: list[int]) -> float:
    words = torch.tensor([sentence])
    log_probs = captioner(memory, words)[0][0].detach()
    return float(sum(log_probs[t, word] for t, word in enumerate(sentence)))


def all_sentences(words: int, steps: int) -> list[list[int]]:
    """Every sentence with its end within `steps`, and every unfinished one of as many words."""
    choices = [word for word in range(words) if word > UNKNOWN]
    found = [[*body, END] for length in range(steps) for body in product(choices, repeat=length)]
    return found + [list(body) for body in product(choices, repeat=steps)]


@pytest.mark.parametrize("seed", SEEDS)
def test_width_1_is_greedy(make: Maker, seed: int) -> None:
    captioner = make(seed=seed)
    memory = captioner.memory(torch.randn(5, 6, 5))
    words, scores = beam_search(captioner, memory, 6, width=1)
    spoken = greedy(captioner, memory, 6)
    assert torch.equal(words, spoken.words)
    torch.testing.assert_close(scores, spoken.log_probs.sum(1).detach())


@pytest.mark.parametrize("seed", SEEDS)
def test_a_wide_beam_finds_the_best_of_all_sentences(make: Maker, seed: int) -> None:
    """Three words and the end, at most three steps: 40 sentences, 27 of which are followed at once."""
    captioner = make(seed=seed)
    memory = captioner.memory(torch.randn(1, 6, 5))
    with torch.no_grad():
        best = max(all_sentences(7, 3), key=lambda sentence: log_probability(captioner, memory, sentence))
        words, scores = beam_search(captioner, memory, 3, width=64)
        assert [word for word in words[0].tolist() if word != PAD] == best
        assert float(scores[0]) == pytest.approx(log_probability(captioner, memory, best), abs=1e-5)


def test_scores_are_those_of_the_sentences_and_grow_with_the_width(make: Maker) -> None:
    found = []
    for width in (1, 2, 4, 64):
        captioner = make(seed=1)
        torch.manual_seed(5)
        memory = captioner.memory(torch.randn(5, 6, 5))
        words, scores = beam_search(captioner, memory, 4, width)
        for n in range(5):
            own = [word for word in words[n].tolist() if word != PAD]
            assert float(scores[n]) == pytest.approx(log_probability(captioner, memory.rows(torch.tensor([n])), own), abs=1e-4)
        found.append(float(scores.mean()))
    assert found[0] <= found[1] <= found[-1]


def test_images_are_searched_alone(make: Maker) -> None:
    captioner = make(seed=2)
    memory = captioner.memory(torch.randn(5, 6, 5))
    words, scores = beam_search(captioner, memory, 5, width=3)
    for n in range(5):
        own, score = beam_search(captioner, memory.rows(torch.tensor([n])), 5, width=3)
        assert torch.equal(own[0], words[n, : own.shape[1]])
        torch.testing.assert_close(score[0], scores[n])
