"""Greedy and drawn sentences: they agree with a given sentence's log-probabilities, and drawn ones with the distribution."""

from collections.abc import Callable

import pytest
import torch

from experiments.captioning.decoder import Captioner, greedy, sample
from experiments.captioning.vocabulary import BEGIN, END, PAD, UNKNOWN

Maker = Callable[..., Captioner]


@pytest.mark.parametrize("speak", [greedy, sample])
def test_log_probs_are_those_of_the_given_sentence(make: Maker, speak: Callable[..., object]) -> None:
    captioner = make()
    memory = captioner.memory(torch.randn(8, 6, 5))
    torch.manual_seed(3)
    spoken = speak(captioner, memory, 5)
    given, attention = captioner(memory, spoken.words)  # type: ignore[attr-defined]
    there = spoken.words != PAD  # type: ignore[attr-defined]
    picked = given.gather(2, spoken.words[:, :, None]).squeeze(2)  # type: ignore[attr-defined]
    torch.testing.assert_close(spoken.log_probs[there], picked[there])  # type: ignore[attr-defined]
    torch.testing.assert_close(spoken.attention, attention)  # type: ignore[attr-defined]
    assert spoken.log_probs[~there].abs().sum() == 0  # type: ignore[attr-defined]


def test_greedy_takes_the_likeliest_but_unknown_and_nothing_follows_an_end(make: Maker) -> None:
    seen = []
    for seed in range(10):
        captioner = make(seed=seed)
        memory = captioner.memory(torch.randn(8, 6, 5))
        words = greedy(captioner, memory, 6).words
        given = captioner(memory, words)[0]
        given[:, :, UNKNOWN] = -torch.inf
        assert torch.equal(given.argmax(2)[words != PAD], words[words != PAD])
        for row in words.tolist():
            end = row.index(END) if END in row else len(row)
            assert set(row[end + 1 :]) <= {PAD}
            assert not {PAD, BEGIN} & set(row[:end])
            seen.append(end)
    assert min(seen) < 6


def test_drawn_first_words_follow_the_distribution(make: Maker) -> None:
    captioner = make(scale=1.5)
    memory = captioner.memory(torch.randn(1, 6, 5)).rows(torch.zeros(4000, dtype=torch.long))
    torch.manual_seed(0)
    drawn = sample(captioner, memory, 1).words[:, 0]
    expected = captioner.step(torch.tensor([BEGIN]), captioner.start(1), memory.rows(torch.tensor([0]))).log_probs[0].exp()
    torch.testing.assert_close(torch.bincount(drawn, minlength=7) / 4000, expected.detach(), atol=0.03, rtol=0)


def test_a_low_temperature_is_nearly_greedy_and_gradients_flow(make: Maker) -> None:
    captioner = make()
    memory = captioner.memory(torch.randn(4, 6, 5))
    torch.manual_seed(0)
    spoken = sample(captioner, memory, 4, temperature=1e-4)
    with torch.no_grad():
        given = captioner(memory, spoken.words)[0]
    there = spoken.words != PAD
    assert torch.equal(given.argmax(2)[there], spoken.words[there])
    spoken.log_probs.sum().backward()
    assert captioner.output[1].weight.grad.abs().sum() > 0
