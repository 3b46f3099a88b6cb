"""What is to be encoded in one call, and where it goes: what every engine is given."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from likeness.data import ImageTable
from likeness.encoders.encoder import Encoder
from likeness.encoders.store.collected import Collected
from likeness.encoders.store.shard_folder import ShardFolder, shard_folder
from likeness.encoders.store.shards import Shard, read_shard, read_shards
from likeness.io import split_part
from likeness.progress import Progress

_LEFTOVER_SECONDS = 3600.0
# Images whose order is random: of fewer no part stands for all, and more are read and written fastest in the order of the table.
_SHUFFLED = range(1000, 100_001)


@dataclass
class EncodingPass:
    """One pass over the images of a table that have no stored embedding. `place` is the path or URL below which the folders of shards lie, one for
    each encoder; others are the arguments of `likeness.encoders.embed_images`.
    """

    table: ImageTable
    encoder: Encoder | str
    device: str
    place: Path | str
    batch_size: int
    shard_size: int
    shard_seconds: float
    remote: bool
    collected: Collected
    progress: Progress | None
    should_stop: Callable[[], bool] | None

    def folder(self, identity: str) -> ShardFolder:
        """The shards of the encoder of this identity."""
        return shard_folder(f"{self.place}/{identity}")

    def begin(self, folder: ShardFolder) -> NDArray[np.int64]:
        """Cleans the folder up and gives the rows to encode, in the order to do so."""
        folder.remove_leftovers(_LEFTOVER_SECONDS)
        rows = self.collected.todo()
        return rows[shuffled(self.paths(rows))] if len(rows) in _SHUFFLED else rows

    def paths(self, rows: NDArray[np.int64]) -> list[str]:
        """The paths of these rows, as the table has them."""
        return [str(path) for path in self.table.frame["path"].to_numpy()[rows]]

    def report(self) -> None:
        """Tells how far the work is."""
        if self.progress:
            self.progress(self.collected.n_done, len(self.table))

    def stops(self) -> bool:
        """Whether the work is to end."""
        return self.should_stop is not None and self.should_stop()

    def taker(self, folder: ShardFolder) -> Callable[[str, Shard], None]:
        """What takes a shard of this folder, as it is written."""
        return lambda name, shard: self.collected.take(shard, partial(read_shard, folder, name))

    def take_shards(self, folder: ShardFolder, *, repair: bool) -> None:
        """Takes all shards of a folder; with `repair`, damaged ones are removed."""
        take = self.taker(folder)
        for name, shard in read_shards(folder, repair=repair):
            take(name, shard)


def shuffled(paths: Sequence[str]) -> NDArray[np.int64]:
    """A random order (n,) of n paths, the same one in every call. Parts of one file (frames, pages) stay together, in their order."""
    _, files = np.unique(np.array([split_part(path)[0] for path in paths], dtype=object), return_inverse=True)
    return np.argsort(np.random.default_rng(0).permutation(len(paths))[files], kind="stable")
