"""Embeddings of images kept on disk: reused, resumed, and renewed where an image or the encoder changed."""

import os
import re
import time
from collections.abc import Callable
from dataclasses import dataclass
from hashlib import blake2b
from pathlib import Path
from typing import Any

import numpy as np
from PIL import Image

from likeness.data.table import ImageTable
from likeness.encoders.collected import CONTENT_COLUMN, Collected, Embeddings, content_digests, content_key
from likeness.encoders.encoder import Encoder, StagedEncoder, Vectors
from likeness.encoders.images import UnreadableImageError
from likeness.encoders.load import load_encoder
from likeness.encoders.names import encoder_identity
from likeness.encoders.pipeline import prepared_batches
from likeness.encoders.shards import Shard, ShardWriter, read_shards, remove_leftovers, write_shard
from likeness.errors import InputError
from likeness.paths import assets_dir, cache_dir

Progress = Callable[[int, int, float], None]
_LEFTOVER_SECONDS = 3600.0


def embed_images(
    table: ImageTable,
    encoder: Encoder | str,
    *,
    device: str = "auto",
    store_dir: Path | None = None,
    batch_size: int = 128,
    shard_size: int = 1024,
    shard_seconds: float = 30.0,
    progress: Progress | None = None,
    should_stop: Callable[[], bool] | None = None,
) -> Embeddings:
    """Embeds the images of a table, taking from the store what is there and encoding the rest.

    An image counts as unchanged while its path, size and time of change stay; where the table has a column "sha256", while that stays. An encoder
    given by name is loaded only if something must be encoded. Finished shards survive a kill at any moment, and several processes may work on the
    same store. Unreadable images are listed in the result, and tried again when the file changes.

    Args:
        table: the images.
        encoder: an encoder or its name.
        device: for an encoder given by name.
        store_dir: folder of the store; by default in the user's cache.
        batch_size: images per pass of the model.
        shard_size: images per file (rounded up to whole batches).
        shard_seconds: a file is also closed after this time, so that little is lost with a slow model.
        progress: called with (images done, images in all, images encoded per second).
        should_stop: asked after every batch; if true, what is done is written and returned.

    Raises:
        InputError: if the encoder is unknown, the store cannot be written, or a size is below 1.
    """
    if batch_size < 1 or shard_size < 1:
        raise InputError(f"batch_size is {batch_size} and shard_size {shard_size}; both must be at least 1.")
    identity = encoder_identity(encoder) if isinstance(encoder, str) else encoder.identity
    folder, collected = store_folder(table, identity, store_dir), Collected(table)
    _take_stored(collected, folder, identity)
    if progress:
        progress(collected.n_done(), len(table), 0.0)
    if not collected.todo():
        return collected.result(complete=True)
    chosen = load_encoder(encoder, device) if isinstance(encoder, str) else encoder
    # A model that was just downloaded has another identity than one that was not yet here.
    writer = ShardWriter(store_folder(table, chosen.identity, store_dir), shard_size, shard_seconds)
    remove_leftovers(writer.folder, _LEFTOVER_SECONDS, time.time())
    return _Run(table, chosen, collected, writer, progress, should_stop).encode(batch_size)


def store_folder(table: ImageTable, identity: str, store_dir: Path | None = None) -> Path:
    """Where the embeddings of a table's images by one encoder lie."""
    root = table.root.resolve()
    label = re.sub(r"[^A-Za-z0-9_-]+", "-", root.name)[:40] or "images"
    return (store_dir or cache_dir() / "embeddings") / f"{label}-{blake2b(os.fsencode(root), digest_size=6).hexdigest()}" / identity


def ship_embeddings(table: ImageTable, encoder: Encoder | str, folder: Path | None = None) -> Path:
    """Writes the embeddings of a table as one read-only file that every store consults: for data that ships with the package.

    Args:
        table: needs the column "sha256", because paths and times differ on every machine.
        encoder: an encoder or its name.
        folder: by default `assets/embeddings`; what other encoders have there is left alone.

    Returns:
        The file that was written.

    Raises:
        InputError: if there is no such column or an image cannot be read.
    """
    digests = content_digests(table)
    if digests is None:
        raise InputError(f"The table '{table.name}' has no column '{CONTENT_COLUMN}' with the SHA-256 of each image; add it before shipping.")
    chosen = load_encoder(encoder) if isinstance(encoder, str) else encoder
    embeddings = embed_images(table, chosen)
    if embeddings.failed:
        first = embeddings.failed[0].path
        raise InputError(f"{len(embeddings.failed)} images of '{table.name}' cannot be read, the first is '{first}'; ship only sound ones.")
    target = (folder or assets_dir() / "embeddings") / chosen.identity / "images"
    for old in target.glob("*.npz"):
        old.unlink()
    return write_shard(target, Shard([content_key(digest) for digest in digests], embeddings.vectors, {}))


def _take_stored(collected: Collected, folder: Path, identity: str) -> None:
    for shard in read_shards(folder, repair=True):
        collected.take(shard)
    if collected.todo():
        for shard in read_shards(assets_dir() / "embeddings" / identity / "images", repair=False):
            collected.take(shard)


@dataclass
class _Run:
    """One pass over the images that have no stored embedding."""

    table: ImageTable
    encoder: Encoder
    collected: Collected
    writer: ShardWriter
    progress: Progress | None
    should_stop: Callable[[], bool] | None

    def encode(self, batch_size: int) -> Embeddings:
        todo = self.collected.todo()
        rows, keys = list(todo), list(todo.values())
        paths = [self.table.root / str(self.table.frame["path"].iat[row]) for row in rows]
        started, before = time.perf_counter(), self.collected.n_done()
        # The writer is closed last: whatever interrupts the loop, the batches that are done are written.
        with self.writer:
            for batch in prepared_batches(paths, self._prepare(), batch_size):
                if batch.values:
                    self._put([rows[p] for p in batch.positions], [keys[p] for p in batch.positions], self._vectors(batch.values))
                for position, error in batch.errors:
                    self._fail(rows[position], keys[position], error)
                self._report(started, before)
                if self.should_stop and self.should_stop():
                    break
        return self.collected.result(complete=not self.collected.todo())

    def _prepare(self) -> Callable[[Image.Image], Any]:
        return self.encoder.prepare if isinstance(self.encoder, StagedEncoder) else _as_it_is

    def _vectors(self, values: list[Any]) -> Vectors:
        encoded = self.encoder.encode_prepared(values) if isinstance(self.encoder, StagedEncoder) else self.encoder.encode_images(values)
        return np.asarray(encoded, dtype=np.float32)

    def _put(self, rows: list[int], keys: list[bytes], vectors: Vectors) -> None:
        self.collected.n_encoded += len(rows)
        finite = np.isfinite(vectors).all(axis=1)
        kept = np.flatnonzero(finite)
        self.collected.put(np.array(rows, dtype=np.int64)[kept], vectors[kept])
        self.writer.add([keys[position] for position in kept], vectors[kept])
        for position in np.flatnonzero(~finite):
            self._fail(rows[position], keys[position], UnreadableImageError("", "the encoder gives no finite vector for it"))

    def _fail(self, row: int, key: bytes, error: UnreadableImageError | OSError) -> None:
        if isinstance(error, UnreadableImageError):
            self.collected.fail(row, error.reason)
            self.writer.add_failure(key, error.reason)
        else:  # may vanish without a change of the file (permissions, a network share): not stored
            cause = f" ({os.strerror(error.errno).lower()})" if error.errno else ""
            self.collected.fail(row, f"the file cannot be opened{cause}")

    def _report(self, started: float, before: int) -> None:
        if self.progress:
            done, elapsed = self.collected.n_done(), time.perf_counter() - started
            self.progress(done, len(self.table), (done - before) / max(elapsed, 1e-9))


def _as_it_is(image: Image.Image) -> Image.Image:
    return image
