"""Beam search: follows several sentences at a time and returns the likeliest whole one."""

import torch
from torch import Tensor

from experiments.captioning.decoder.captioner import Captioner, Memory
from experiments.captioning.decoder.rollout import sayable
from experiments.captioning.vocabulary import BEGIN, END, PAD


@torch.no_grad()
def beam_search(captioner: Captioner, memory: Memory, steps: int, width: int = 2) -> tuple[Tensor, Tensor]:
    """Sentences (n, t), padded after their ends, and their log-probabilities (n,).

    A sentence that has ended keeps its place among the `width` likeliest; lengths are not made up for. After `steps` words the likeliest is
    taken, ended or not. Table 1 of the log-ratio paper is measured at width 2; width 1 is `greedy`.

    Args:
        captioner: in evaluation mode.
        memory: of n images.
        steps: most words, the end counted.
        width: sentences that are followed.
    """
    count, device = len(memory.features), memory.features.device
    first = torch.arange(count, device=device)[:, None] * width
    wide = memory.rows(torch.arange(count, device=device).repeat_interleave(width))
    state, last = captioner.start(count * width), torch.full((count * width,), BEGIN, device=device)
    # all begin alike, so that only one of them counts
    scores = torch.full((count, width), -torch.inf, device=device)
    scores[:, 0] = 0
    said = torch.empty((count, width, 0), dtype=torch.long, device=device)
    for _ in range(steps):
        step = captioner.step(last, state, wide)
        total = scores[:, :, None] + _continued(sayable(step.log_probs), last).view(count, width, -1)
        scores, places = total.flatten(1).topk(width, 1)
        parents, words = places // total.shape[2], places % total.shape[2]
        said = torch.cat([said.gather(1, parents[:, :, None].expand(-1, -1, said.shape[2])), words[:, :, None]], 2)
        rows = (first + parents).flatten()
        state, last = tuple(each[rows] for each in step.state), words.flatten()
        if bool(((last == END) | (last == PAD)).all()):
            break
    return said[:, 0], scores[:, 0]


def _continued(log_probs: Tensor, last: Tensor) -> Tensor:
    """Finished sentences continue with padding only, at no cost."""
    over = (last == END) | (last == PAD)
    found = log_probs.masked_fill(over[:, None], -torch.inf)
    found[over, PAD] = 0.0
    return found
