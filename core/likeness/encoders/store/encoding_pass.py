"""An encoding pass: what is to be encoded in a call, and where it goes; the input of every engine."""

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
# random order only within this range: smaller numbers have no representative part, larger ones are read and written fastest in the order of the table
_SHUFFLED = range(1000, 100_001)


@dataclass
class EncodingPass:
    """A pass over the images of a table without stored embedding. `place` is the path or URL of the folders of shards, one per encoder; the others
    are arguments of `likeness.encoders.embed_images`.
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
        """Folder of the shards of the encoder with this identity."""
        return shard_folder(f"{self.place}/{identity}")

    def begin(self, folder: ShardFolder) -> NDArray[np.int64]:
        """Cleans up the folder and returns the rows to encode, in order of work."""
        folder.remove_leftovers(_LEFTOVER_SECONDS)
        rows = self.collected.todo()
        return rows[shuffled(self.paths(rows))] if len(rows) in _SHUFFLED else rows

    def paths(self, rows: NDArray[np.int64]) -> list[str]:
        """The paths of these rows, as the table has them."""
        return [str(path) for path in self.table.frame["path"].to_numpy()[rows]]

    def report(self) -> None:
        """Reports the progress."""
        if self.progress:
            self.progress(self.collected.n_done, len(self.table))

    def stops(self) -> bool:
        """Whether the work should stop."""
        return self.should_stop is not None and self.should_stop()

    def taker(self, folder: ShardFolder) -> Callable[[str, Shard], None]:
        """A function that takes a shard of this folder as it is written."""
        return lambda name, shard: self.collected.take(shard, partial(read_shard, folder, name))

    def take_shards(self, folder: ShardFolder, *, repair: bool) -> None:
        """Takes all shards of a folder; with `repair`, damaged ones are removed."""
        take = self.taker(folder)
        for name, shard in read_shards(folder, repair=repair):
            take(name, shard)


def shuffled(paths: Sequence[str]) -> NDArray[np.int64]:
    """A fixed random order (n,) of n paths. Parts of a file (frames, pages) stay together, in order."""
    _, files = np.unique(np.array([split_part(path)[0] for path in paths], dtype=object), return_inverse=True)
    return np.argsort(np.random.default_rng(0).permutation(len(paths))[files], kind="stable")
