"""Shared parts of both captioning models: embeddings of words and features, a step from word to word, whole sentences at once."""

from typing import NamedTuple

import torch
from torch import Tensor, nn

from experiments.captioning.decoder.attention import AdditiveAttention
from experiments.captioning.vocabulary import BEGIN, PAD
from likeness.errors import InputError

State = tuple[Tensor, ...]


class Memory(NamedTuple):
    """What a model stores of n images while decoding.

    Attributes:
        features: (n, l, h), of each place.
        keys: (n, l, a), for the attention.
        mean: (n, h), of the places.
        mask: (n, l), false where there is nothing to see; None: everywhere something.
    """

    features: Tensor
    keys: Tensor
    mean: Tensor
    mask: Tensor | None

    def rows(self, rows: Tensor) -> "Memory":
        """The memory of these images, (m,) numbers; repeats are allowed."""
        return Memory(*(None if each is None else each[rows] for each in self))  # type: ignore[arg-type]


class Step(NamedTuple):
    """log_probs (n, words) of the next word, the state after it, attention (n, l)."""

    log_probs: Tensor
    state: State
    attention: Tensor


class Captioner(nn.Module):
    """A model that says a sentence word by word; subclasses have `cells`, which turns a word and what is seen into a hidden vector.

    The features go through a linear layer with ReLU first, as in common implementations of both papers; Anderson et al. attend to them as they
    are. The signs for padding and the beginning are never said.

    Args:
        words: size of the vocabulary.
        features: size f of the features.
        hidden: of the recurrent layers and the embedded features.
        embedding: of words.
        attention: in which features and state are compared.
        dropout: of words, features and output.
    """

    states = 2  # tensors in a state

    def __init__(self, words: int, features: int, hidden: int = 512, embedding: int = 512, attention: int = 512, dropout: float = 0.5) -> None:
        super().__init__()
        self.hidden = hidden
        self.word = nn.Sequential(nn.Embedding(words, embedding, padding_idx=PAD), nn.ReLU(), nn.Dropout(dropout))
        self.feature = nn.Sequential(nn.Linear(features, hidden), nn.ReLU(), nn.Dropout(dropout))
        self.attention = AdditiveAttention(hidden, hidden, attention)
        self.output = nn.Sequential(nn.Dropout(dropout), nn.Linear(hidden, words))

    def memory(self, grid: Tensor, mask: Tensor | None = None) -> Memory:
        """Of features (n, l, f) in any floating type; `mask` (n, l) is false where there is nothing to see.

        Raises:
            InputError: features of another shape, or an image of which nothing is to be seen.
        """
        first = self.feature[0]
        assert isinstance(first, nn.Linear)
        if grid.ndim != 3 or grid.shape[2] != first.in_features:
            raise InputError(f"Expected features (images, places, {first.in_features}), got {tuple(grid.shape)}; use those it was trained on.")
        if mask is None:
            features = self.feature(grid.float())
            return Memory(features, self.attention.keys(features), features.mean(1), None)
        if not bool(mask.any(1).all()):
            raise InputError("The mask hides an image completely; exclude such images.")
        features = self.feature(grid.float()) * mask[:, :, None]
        return Memory(features, self.attention.keys(features), features.sum(1) / mask.sum(1, keepdim=True), mask)

    def start(self, count: int) -> State:
        """The initial state: zeros."""
        empty = self.attention.query.weight.new_zeros(count, self.hidden)
        return (empty,) * self.states

    def step(self, words: Tensor, state: State, memory: Memory) -> Step:
        """The state after the words (n,), one per image."""
        hidden, state, weights = self.cells(self.word(words), state, memory)
        logits = self.output(hidden)
        never = torch.zeros(logits.shape[1], dtype=torch.bool, device=logits.device)
        never[[PAD, BEGIN]] = True
        return Step(logits.masked_fill(never, -torch.inf).log_softmax(1), state, weights)

    def cells(self, word: Tensor, state: State, memory: Memory) -> tuple[Tensor, State, Tensor]:
        """Hidden vector (n, hidden), state and attention (n, l) after embedded words (n, embedding)."""
        raise NotImplementedError

    def forward(self, memory: Memory, targets: Tensor, sampling: float = 0.0) -> tuple[Tensor, Tensor]:
        """Log-probabilities (n, t, words) of each next word of given sentences, and attention (n, t, l).

        Args:
            memory: of n images.
            targets: (n, t) sentences with their end, padded; what comes after the end has no meaning.
            sampling: chance that the model goes on from a word it drew itself instead of the given one (scheduled sampling, Bengio et al., 2015).
        """
        words, state, steps = torch.full_like(targets[:, 0], BEGIN), self.start(len(targets)), []
        for t in range(targets.shape[1]):
            step = self.step(words, state, memory)
            steps.append(step)
            state, words = step.state, targets[:, t]
            if sampling:
                drawn = torch.multinomial(step.log_probs.detach().exp(), 1).squeeze(1)
                words = torch.where((torch.rand(len(words), device=words.device) < sampling) & (words != PAD), drawn, words)
        return torch.stack([step.log_probs for step in steps], 1), torch.stack([step.attention for step in steps], 1)
