"""Batches of anchors, their nearest neighbors by label, and others (Kim et al., CVPR 2019, section 3.3)."""

import numpy as np
from numpy.typing import NDArray

from likeness.errors import InputError


class NeighborBatches:
    """Batches of anchors and their neighbors, in which batch number t is a function of the seed and t alone.

    A batch holds drawn anchors first, then for each of them `nearest` of its nearest neighbors, then others, drawn evenly from what is
    left. No image is in a batch twice, so where anchors lie close together, other images replace some neighbors. In an epoch of `epoch`
    batches every image is an anchor once, or nearly.

    Args:
        neighbors: (n, p) rows of the p nearest of each image by label, nearest first.
        nearest: neighbors taken for each anchor: the first ones; where p is larger, so many drawn from the p nearest, and the rest of the
            batch from beyond them, as the authors' code does for binary labels.
        drawn: anchors that are drawn; the paper has one.
        anchors: rows of a batch that are anchors of the loss, the first ones: `drawn` as in the paper, or `size` for all.

    Raises:
        InputError: a batch that is larger than the images, or that does not hold its anchors and their neighbors.
    """

    def __init__(self, neighbors: NDArray[np.int64], size: int, nearest: int = 5, drawn: int = 1, anchors: int | None = None, seed: int = 0) -> None:
        count, pool = neighbors.shape
        self.neighbors, self.size, self.nearest, self.drawn, self.seed = neighbors, size, nearest, drawn, seed
        self.anchors = drawn if anchors is None else anchors
        if size > count:
            raise InputError(f"A batch of {size} images needs as many, and there are {count}; choose a smaller batch.")
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
        if beyond.sum() < fill:
            beyond = ~taken
        others = rng.choice(np.flatnonzero(beyond), fill, replace=False)
        return np.concatenate([anchors, *kept, others]).astype(np.int64)

    def _drawn(self, turn: int, place: int) -> NDArray[np.int64]:
        """The anchors that stand at these places of endless shuffles of all images, each once."""
        rows = self._order(turn)[place : place + self.drawn]
        if len(rows) == self.drawn:
            return rows
        following = self._order(turn + 1)
        return np.concatenate([rows, following[~np.isin(following, rows)][: self.drawn - len(rows)]])

    def _order(self, turn: int) -> NDArray[np.int64]:
        return np.random.default_rng([self.seed, turn, 5]).permutation(len(self.neighbors))
