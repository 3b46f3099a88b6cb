"""Ranking and k-means on a torch device, in bounded memory, with the same results as on the host.

Products of float32 rows are computed in float64, exact except for the last bits, so that rounded to float32 they equal the host's similarities (see
`_counting`), whatever the device's block sizes, instructions or TF32. Ranks are counted in integers. A GPU in float64 is still far faster than a
processor in float32; rows are small compared with their products and stream from the host's memory.
"""

from collections.abc import Iterator
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from likeness.encoders import to_device

if TYPE_CHECKING:
    import torch

# limit of the blocks of products on the device with what is derived from them; rows may take as much again
MOST_BYTES = 1_000_000_000
# bytes per product: float64 and float32 values, key and its inputs, position among the items; per item; per value of a row
_CELL, _ITEM, _COPY = 48, 64, 16
_TILE = 8000
_BEHIND_ALL = 2**63 - 1


class DeviceRows:
    """Rows (n, e) of float32 in the host's memory: copied to the device if they take at most `MOST_BYTES`, else in parts."""

    def __init__(self, rows: NDArray[np.float32], device: "torch.device") -> None:
        self._rows, self._device = rows, device
        self._kept = self._bring(rows) if rows.nbytes <= MOST_BYTES else None

    def __len__(self) -> int:
        return len(self._rows)

    def __getitem__(self, part: slice) -> "torch.Tensor":
        return self._bring(self._rows[part]) if self._kept is None else self._kept[part]

    def _bring(self, rows: NDArray[np.float32]) -> "torch.Tensor":
        import torch

        return to_device(torch.from_numpy(np.array(rows)), self._device)  # a copy, since mapped rows are read-only


class DeviceCounter:
    """Ranks of blocks of queries in a gallery, as `_ranks._Counter`: scaled rows (n, e) ordered by class, and the caller's number of each (n,)."""

    def __init__(self, rows: NDArray[np.float32], numbers: NDArray[np.int64], device: "torch.device") -> None:
        import torch

        self._rows, self._dim, self._device = DeviceRows(rows, device), int(rows.shape[1]), device
        self._numbers = torch.from_numpy(numbers).to(device)

    def ranks(
        self, queries: NDArray[np.float32], first: NDArray[np.int64], last: NDArray[np.int64], own: NDArray[np.int64] | None
    ) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Ranks and offsets as in `Ranks`, of queries (b, e) whose relevant rows are `first` to `last` - 1 (b,), `own` (b,) left out."""
        offsets = np.concatenate([[0], np.cumsum(last - first - (own is not None))])
        found, begin = [], 0
        while begin < len(queries):
            end = self._end_of_part(last - first, begin)
            found.append(self._ranks(queries[begin:end], first[begin:end], last[begin:end], None if own is None else own[begin:end]))
            begin = end
        return np.concatenate(found), offsets

    def _tile(self) -> int:
        return max(1, min(_TILE, len(self._rows), MOST_BYTES // (_CELL + _COPY * self._dim)))

    def _end_of_part(self, relevant: NDArray[np.int64], begin: int) -> int:
        """End of the part from `begin` whose queries fit into memory together, each padded to the largest number of relevant rows."""
        widest = np.maximum.accumulate(relevant[begin:])
        taken = np.arange(1, len(widest) + 1) * (_CELL * self._tile() + _ITEM * widest)
        return begin + max(1, int(np.searchsorted(taken, MOST_BYTES, side="right")))

    def _ranks(
        self, queries: NDArray[np.float32], first: NDArray[np.int64], last: NDArray[np.int64], own: NDArray[np.int64] | None
    ) -> NDArray[np.int64]:
        import torch

        block = to_device(torch.from_numpy(np.ascontiguousarray(queries)), self._device).double()
        begins, ends = (torch.from_numpy(each).to(self._device)[:, None] for each in (first, last))
        items = self._items(block, first, last, own)
        # last column: rows behind all items; columns of padding: rows that must not count for the query
        counts = torch.zeros((len(items), items.shape[1] + 1), dtype=torch.int64, device=self._device)
        for start in range(0, len(self._rows), self._tile()):
            stop = min(start + self._tile(), len(self._rows))
            columns = torch.arange(start, stop, device=self._device)
            keys = self._keys(block, slice(start, stop))
            keys.masked_fill_((columns >= begins) & (columns < ends), _BEHIND_ALL)
            counts.scatter_add_(1, torch.searchsorted(items, keys), torch.ones((), dtype=torch.int64, device=self._device).expand_as(keys))
        places = torch.arange(1, items.shape[1] + 1, device=self._device)
        ranks = counts[:, :-1].cumsum(1) + places
        return np.asarray(ranks[places <= ends - begins - int(own is not None)].cpu().numpy())

    def _items(self, queries: "torch.Tensor", first: NDArray[np.int64], last: NDArray[np.int64], own: NDArray[np.int64] | None) -> "torch.Tensor":
        """Keys of each query's relevant rows, ascending, padded with `_BEHIND_ALL` (b, m)."""
        import torch

        found = torch.full((len(queries), max(1, int((last - first).max()))), _BEHIND_ALL, dtype=torch.int64, device=self._device)
        bounds = np.flatnonzero(np.diff(first, prepend=-1, append=-1))
        for begin, end in pairwise(bounds.tolist()):
            self._fill(found[begin:end], queries[begin:end], int(first[begin]), int(last[begin]), None if own is None else own[begin:end])
        return found.sort(dim=1).values

    def _fill(self, found: "torch.Tensor", queries: "torch.Tensor", first: int, last: int, own: NDArray[np.int64] | None) -> None:
        """Fills in the keys of the relevant rows of queries of one class."""
        import torch

        for start in range(first, last, self._tile()):
            stop = min(start + self._tile(), last)
            keys = self._keys(queries, slice(start, stop))
            if own is not None:
                keys.masked_fill_(self._numbers[start:stop] == torch.from_numpy(own).to(self._device)[:, None], _BEHIND_ALL)
            found[:, start - first : stop - first] = keys

    def _keys(self, queries: "torch.Tensor", part: slice) -> "torch.Tensor":
        """Similarity and row number packed into one integer (b, t), as in `_counting`."""
        import torch

        similarities = (queries @ self._rows[part].double().T).float().add_(0.0)  # + 0 turns -0 into 0
        bits = similarities.view(torch.int32).long()
        falling = torch.where(bits >= 0, -bits, bits & 0x7FFFFFFF)
        return falling.mul_(2**32).add_(self._numbers[part])


def kmeans_on_device(
    rows: NDArray[np.float32], sample: NDArray[np.int64], centers: NDArray[np.float32], iterations: int, device: "torch.device"
) -> NDArray[np.int64]:
    """Cluster number of each row (n,) of (n, d) by k-means from initial centers (k, d), with the steps of faiss.

    Centers are learned from the rows `sample` (m,) in so many iterations.
    """
    import torch

    learnt_from, kept = DeviceRows(rows[sample], device), to_device(torch.from_numpy(centers.copy()), device)
    for _ in range(iterations):
        sums, sizes = torch.zeros(kept.shape, dtype=torch.float64, device=device), torch.zeros(len(kept), dtype=torch.int64, device=device)
        for part, nearest in _nearest_centers(learnt_from, kept):
            sums.index_add_(0, nearest, part.double())
            sizes += torch.bincount(nearest, minlength=len(kept))
        before, means = kept, (sums / sizes.clamp_min(1)[:, None]).float()
        kept = _split_large_clusters(torch.where(sizes[:, None] > 0, means, kept), sizes.cpu().numpy())
        if torch.equal(before, kept):
            break
    return np.concatenate([nearest.cpu().numpy() for _, nearest in _nearest_centers(DeviceRows(rows, device), kept)])


def _nearest_centers(rows: DeviceRows, centers: "torch.Tensor") -> "Iterator[tuple[torch.Tensor, torch.Tensor]]":
    """Yields parts of the rows, as large as memory for their distances allows, and the number of each row's nearest center."""
    squares, size = centers.double().square().sum(1), max(1, MOST_BYTES // (_COPY * sum(centers.shape)))
    for start in range(0, len(rows), size):
        part = rows[slice(start, start + size)]
        yield part, (squares - 2 * (part.double() @ centers.double().T)).argmin(1)


def _split_large_clusters(centers: "torch.Tensor", sizes: NDArray[np.int64]) -> "torch.Tensor":
    """Splits a cluster, drawn by size, for each empty one, as faiss: both centers move apart by a thousandth."""
    import faiss

    random, count = faiss.RandomGenerator(1234), int(sizes.sum())  # type: ignore[attr-defined]
    for empty in np.flatnonzero(sizes == 0).tolist():
        large = 0
        while random.rand_float() >= np.float32(sizes[large] - 1.0) / np.float32(count - len(sizes)):
            large = (large + 1) % len(sizes)
        centers[empty] = centers[large]
        centers[empty, 0::2] *= 1 + 1 / 1024
        centers[empty, 1::2] *= 1 - 1 / 1024
        centers[large, 0::2] *= 1 - 1 / 1024
        centers[large, 1::2] *= 1 + 1 / 1024
        sizes[empty] = sizes[large] // 2
        sizes[large] -= sizes[empty]
    return centers
