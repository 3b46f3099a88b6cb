"""Batches of anchors, their nearest neighbors by label, and other images (Kim et al., CVPR 2019, section 3.3)."""

import numpy as np
from numpy.typing import NDArray

from likeness.errors import InputError


class NeighborBatches:
    """Batches of anchors and their neighbors by label. Batch t depends on the seed and t alone.

    A batch holds the drawn anchors, then `nearest` neighbors of each, then images drawn uniformly from the rest. No image repeats, so other images
    replace neighbors that anchors have in common. In `epoch` batches nearly every image is an anchor once. InputError: a batch larger than the number
    of images, or too small for its anchors and their neighbors.

    Args:
        neighbors: (n, p) row numbers of the p nearest images by label, nearest first.
        nearest: neighbors of each anchor in a batch. If p is larger, they are drawn from the p nearest, and the rest of the batch from beyond these,
            as in the authors' code for binary labels.
        drawn: anchors drawn per batch; 1 in the paper.
        anchors: how many first rows of a batch are anchors of the loss: `drawn` as in the paper, or `size` for all.
    """

    def __init__(self, neighbors: NDArray[np.int64], size: int, nearest: int = 5, drawn: int = 1, anchors: int | None = None, seed: int = 0) -> None:
        count, pool = neighbors.shape
        self.neighbors, self.size, self.nearest, self.drawn, self.seed = neighbors, size, nearest, drawn, seed
        self.anchors = drawn if anchors is None else anchors
        if size > count:
            raise InputError(f"A batch of {size} images needs at least as many, but there are {count}; choose a smaller batch.")
        if drawn * (nearest + 1) > size:
            raise InputError(f"A batch of {size} can't hold {drawn} anchors with {nearest} neighbors each; draw at most {size // (nearest + 1)}.")
        if nearest > pool:
            raise InputError(f"nearest is {nearest}, but {pool} neighbors are known; choose at most {pool}.")
        self.epoch = max(1, count // self.anchors)

    def batch(self, number: int) -> NDArray[np.int64]:
        turn, place = divmod(number * self.drawn, len(self.neighbors))
        rng = np.random.default_rng([self.seed, number, 4])
        anchors = self._drawn(turn, place)
        taken = np.zeros(len(self.neighbors), bool)
        taken[anchors] = True
        kept = []
        for anchor in anchors:
            known = self.neighbors[anchor]
            chosen = known if len(known) == self.nearest else rng.permutation(known)[: self.nearest]
            new = chosen[~taken[chosen]]
            taken[new] = True
            kept.append(new)
        beyond = ~taken
        if self.neighbors.shape[1] > self.nearest:
            beyond[self.neighbors[anchors].ravel()] = False
        fill = self.size - int(taken.sum())
        # too few images outside the pools of the anchors: fill from the pools as well
        if beyond.sum() < fill:
            beyond = ~taken
        others = rng.choice(np.flatnonzero(beyond), fill, replace=False)
        return np.concatenate([anchors, *kept, others]).astype(np.int64)

    def _drawn(self, turn: int, place: int) -> NDArray[np.int64]:
        """Anchors at these positions of an endless sequence of shuffles of all images."""
        rows = self._order(turn)[place : place + self.drawn]
        if len(rows) == self.drawn:
            return rows
        # a batch across two shuffles: skip what the first already gave, so that no anchor repeats
        following = self._order(turn + 1)
        return np.concatenate([rows, following[~np.isin(following, rows)][: self.drawn - len(rows)]])

    def _order(self, turn: int) -> NDArray[np.int64]:
        return np.random.default_rng([self.seed, turn, 5]).permutation(len(self.neighbors))
