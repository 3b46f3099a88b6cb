"""The images and sentences of each step: functions of the seed and the step, so that a run can resume anywhere."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

# The largest growth of scheduled sampling's chance at a time, as in common implementations of Rennie et al.
_SAMPLING_STEP = 0.05


@dataclass(frozen=True)
class Stage:
    """Steps `first` to `last` - 1 of a run.

    Attributes:
        name: "xe" or "rl".
        first: number of its first step.
        epochs: passes over the images.
        batch: images in a step; the last step of an epoch may have fewer.
        rows: (m,) rows of the training images.
        seed: of the order of images, and of what a step draws.
    """

    name: str
    first: int
    epochs: int
    batch: int
    rows: NDArray[np.int64]
    seed: int

    @property
    def epoch_steps(self) -> int:
        """Steps in an epoch."""
        return -(-len(self.rows) // self.batch)

    @property
    def last(self) -> int:
        """Number of the step after its last one."""
        return self.first + self.epochs * self.epoch_steps

    def epoch(self, step: int) -> int:
        """Epoch from 0 that a step belongs to."""
        return (step - self.first) // self.epoch_steps

    def ends_epoch(self, step: int) -> bool:
        """Whether no step of its epoch follows."""
        return (step + 1 - self.first) % self.epoch_steps == 0

    def images(self, step: int) -> NDArray[np.int64]:
        """Rows of a step's images; in an epoch every training image comes once."""
        order = np.random.default_rng([self.seed, _number(self.name), self.epoch(step)]).permutation(self.rows)
        place = (step - self.first) % self.epoch_steps * self.batch
        chosen: NDArray[np.int64] = order[place : place + self.batch]
        return chosen

    def draws(self, step: int) -> np.random.Generator:
        """The random generator of a step."""
        return np.random.default_rng([self.seed, 2 + _number(self.name), step])

    def torch_seed(self, step: int) -> int:
        """Seed of torch's generator in a step: dropout, sampled words."""
        return int(np.random.SeedSequence([self.seed, 4 + _number(self.name), step]).generate_state(1)[0])


def rate(initial: float, factor: float, every: int, epoch: int) -> float:
    """Learning rate in an epoch."""
    return float(initial * factor ** (epoch // every))


def sampling_chance(largest: float, every: int, epoch: int) -> float:
    """Chance of scheduled sampling in an epoch."""
    return min(largest, _SAMPLING_STEP * (epoch // every))


def drawn_sentences(count: int, wanted: int, rng: np.random.Generator) -> NDArray[np.int64]:
    """Samples `wanted` of `count` sentences, without repeats while there are enough."""
    whole, rest = divmod(wanted, count)
    return np.concatenate([*[np.arange(count)] * whole, rng.permutation(count)[:rest]]).astype(np.int64)


def _number(name: str) -> int:
    return ("xe", "rl").index(name)
