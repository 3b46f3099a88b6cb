"""Embeddings of a table's images, kept on disk: reused, resumed, and renewed where an image or the encoder changed."""

import os
import re
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from hashlib import blake2b
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from likeness.data.table import ImageTable
from likeness.encoders.encoder import Encoder, StagedEncoder, Vectors
from likeness.encoders.load import load_encoder
from likeness.encoders.names import encoder_identity
from likeness.encoders.pipeline import PreparedBatch, prepared_batches
from likeness.encoders.shards import Shard, image_key, read_shards, remove_leftovers, write_shard
from likeness.errors import InputError
from likeness.paths import assets_dir, cache_dir

Progress = Callable[[int, int, float], None]
CONTENT_COLUMN = "sha256"
_LEFTOVER_SECONDS = 3600.0


@dataclass(frozen=True)
class Failure:
    """An image without embedding: its row in the table, its path there, and why."""

    row: int
    path: str
    reason: str


@dataclass(frozen=True)
class Embeddings:
    """Embeddings of a table's images.

    Attributes:
        vectors: (m, d) unit rows, float32, in the order of the table.
        rows: (m,) row numbers in the table.
        failed: images that could not be read, in the order of the table.
        complete: false if the work was stopped; the rest is encoded by the next call.
        n_encoded: how many images the encoder saw in this call; the others were stored.
    """

    vectors: Vectors
    rows: NDArray[np.int64]
    failed: list[Failure]
    complete: bool = True
    n_encoded: int = 0


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

    An image counts as unchanged while its path, size and time of change stay; where the table has a column "sha256" (64 hex digits), while that stays. An
    encoder given by name is loaded only if something must be encoded. Finished shards survive a kill at any moment; one process or several may
    work on the same store.

    Args:
        table: the images.
        encoder: an encoder or its name.
        device: for an encoder given by name.
        store_dir: folder of the store; by default in the user's cache.
        batch_size: images per pass of the model.
        shard_size: images per file.
        shard_seconds: a file is also closed after this time, so that little is lost with a slow model.
        progress: called with (images done, images in all, images encoded per second).
        should_stop: asked after every batch; if true, what is done is written and returned.

    Raises:
        InputError: if the encoder is unknown, the store cannot be written, or `batch_size` or `shard_size` is below 1.
    """
    if batch_size < 1 or shard_size < 1:
        raise InputError(f"batch_size {batch_size} and shard_size {shard_size} must be at least 1.")
    identity = encoder_identity(encoder) if isinstance(encoder, str) else encoder.identity
    work = _Work.plan(table, [store_folder(table, identity, store_dir), assets_dir() / "embeddings" / identity])
    if work.todo:
        remove_leftovers(work.folder, _LEFTOVER_SECONDS, time.time())
        chosen = load_encoder(encoder, device) if isinstance(encoder, str) else encoder
        work.encode(chosen, batch_size, _Pace(shard_size, shard_seconds), progress, should_stop)
    elif progress:
        progress(len(table), len(table), 0.0)
    return work.result()


def store_folder(table: ImageTable, identity: str, store_dir: Path | None = None) -> Path:
    """Where the embeddings of a table's images by one encoder lie."""
    root = str(table.root.resolve())
    label = re.sub(r"[^A-Za-z0-9_-]+", "-", table.root.name)[:40] or "images"
    return (store_dir or cache_dir() / "embeddings") / f"{label}-{blake2b(os.fsencode(root), digest_size=6).hexdigest()}" / identity


def ship_embeddings(table: ImageTable, encoder: Encoder | str, folder: Path | None = None) -> Path:
    """Writes the embeddings of a table as one read-only file that every store consults, for data that ships with the package.

    The table needs the column "sha256", because paths and times differ on every machine. Files of other encoders in `folder` are left alone.

    Args:
        folder: by default `assets/embeddings`.

    Returns:
        The file that was written.
    """
    if not _has_content_column(table):
        raise InputError(f"The table '{table.name}' has no column '{CONTENT_COLUMN}' with the digest of each image; add it before shipping its embeddings.")
    chosen = load_encoder(encoder) if isinstance(encoder, str) else encoder
    embeddings = embed_images(table, chosen)
    if embeddings.failed:
        raise InputError(f"{len(embeddings.failed)} images of '{table.name}' cannot be read, the first is '{embeddings.failed[0].path}'; ship only sound images.")
    target = (folder or assets_dir() / "embeddings") / chosen.identity
    keys = [image_key("", digest) for digest in table.frame[CONTENT_COLUMN]]
    for old in target.glob("*.npz"):
        old.unlink()
    return write_shard(target, Shard(keys, embeddings.vectors, {}))


@dataclass(frozen=True)
class _Pace:
    """When a shard is closed."""

    images: int
    seconds: float


@dataclass
class _Work:
    """What is known and what is to do for one table and encoder.

    Attributes:
        folder: of the shards.
        keys: per row; None where there is no file.
        vectors, reasons: results by key.
        todo: rows to encode, one for each key.
        lasting: reasons, by row, that are not stored since they may vanish without a change of the file (permissions).
    """

    table: ImageTable
    folder: Path
    keys: list[bytes | None]
    vectors: dict[bytes, NDArray[np.float32]]
    reasons: dict[bytes, str]
    missing: dict[int, str]
    todo: list[int] = field(default_factory=list)
    complete: bool = True
    n_encoded: int = 0
