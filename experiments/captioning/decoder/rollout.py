"""Decodes sentences word by word: greedy or sampled."""

from collections.abc import Callable
from typing import NamedTuple

import torch
from torch import Tensor

from experiments.captioning.decoder.captioner import Captioner, Memory
from experiments.captioning.vocabulary import BEGIN, END, PAD, UNKNOWN


class Spoken(NamedTuple):
    """Sentences of n images.

    Attributes:
        words: (n, t) with their ends, padded; without an end where the steps did not suffice.
        log_probs: (n, t) of each word, 0 where padded; gradients flow through them.
        attention: (n, t, l) while each word was chosen.
    """

    words: Tensor
    log_probs: Tensor
    attention: Tensor


def greedy(captioner: Captioner, memory: Memory, steps: int) -> Spoken:
    """Greedy decoding, without the sign for unknown words.

    Args:
        captioner: in evaluation mode, or its dropout acts.
        memory: of n images.
        steps: most words, the end counted.
    """
    return _spoken(captioner, memory, steps, lambda log_probs: sayable(log_probs).argmax(1))


def sample(captioner: Captioner, memory: Memory, steps: int, temperature: float = 1.0) -> Spoken:
    """Words drawn as the model finds them likely, by torch's generator; at a temperature below 1 the likely ones more often.

    `log_probs` are of the model as it is, whatever the temperature.
    """
    return _spoken(captioner, memory, steps, lambda log_probs: torch.multinomial((log_probs / temperature).softmax(1), 1).squeeze(1))


def sayable(log_probs: Tensor) -> Tensor:
    """Masks the sign for unknown words, which is not a word of a sentence."""
    barred = torch.arange(log_probs.shape[-1], device=log_probs.device) == UNKNOWN
    return log_probs.masked_fill(barred, -torch.inf)


def _spoken(captioner: Captioner, memory: Memory, steps: int, choose: Callable[[Tensor], Tensor]) -> Spoken:
    count, device = len(memory.features), memory.features.device
    state, words = captioner.start(count), torch.full((count,), BEGIN, device=device)
    over, said, likely, looked = torch.zeros(count, dtype=torch.bool, device=device), [], [], []
    for _ in range(steps):
        step = captioner.step(words, state, memory)
        chosen = choose(step.log_probs.detach())
        likely.append(step.log_probs.gather(1, chosen[:, None]).squeeze(1).masked_fill(over, 0.0))
        words, state = chosen.masked_fill(over, PAD), step.state
        said.append(words)
        looked.append(step.attention)
        over = over | (words == END)
        if bool(over.all()):
            break
    return Spoken(torch.stack(said, 1), torch.stack(likely, 1), torch.stack(looked, 1))
