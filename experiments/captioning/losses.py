"""Losses of captioning models: cross-entropy, and rewards of sampled sentences."""

import torch
from torch import Tensor

from experiments.captioning.vocabulary import BEGIN, PAD


def cross_entropy(log_probs: Tensor, targets: Tensor, smoothing: float = 0.0) -> Tensor:
    """Mean of -log p(word) over the words of all sentences and their ends; padding plays no part.

    Args:
        log_probs: (n, t, words).
        targets: (n, t), padded.
        smoothing: share of the target that is spread evenly over the words that can be said.
    """
    there = targets != PAD
    likely = log_probs[there]
    found = -likely.gather(1, targets[there][:, None]).mean()
    if not smoothing:
        return found
    sayable = torch.arange(log_probs.shape[2], device=log_probs.device)
    return (1 - smoothing) * found - smoothing * likely[:, (sayable != PAD) & (sayable != BEGIN)].mean()


def self_critical(log_probs: Tensor, words: Tensor, advantage: Tensor) -> Tensor:
    """Mean over sentences of -(r(w^s) - r(w)) sum_t log p(w^s_t): its gradient by the scores before the softmax is Eq. 9 of Rennie et al.

    (CVPR 2017: dL/ds_t = (r(w^s) - r(w)) (p(w_t | h_t) - 1_{w^s_t}), with the sign that lowers L.)

    Args:
        log_probs: (n, t) of the words that were drawn.
        words: (n, t), with their ends, padded; what comes after the end plays no part.
        advantage: (n,) reward of the drawn sentence less that of the greedy one; no gradient flows through it.
    """
    there = words != PAD
    return -(advantage.detach() * log_probs.masked_fill(~there, 0.0).sum(1)).mean()
