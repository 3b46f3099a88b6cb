"""Image embeddings on disk: reused, resumed, and updated when an image or the encoder changes."""

import os
import re
import sys
from collections.abc import Callable
from hashlib import blake2b
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from uuid import uuid4

from likeness.data import ImageTable, is_url
from likeness.encoders.load import load_encoder
from likeness.encoders.names import encoder_identity
from likeness.encoders.objects import EncoderLike, ObjectEncoder, as_encoder
from likeness.encoders.store.collected import Collected, Embeddings
from likeness.encoders.store.encoded_batches import ImageFiles, encoded_batches
from likeness.encoders.store.encoding_pass import EncodingPass
from likeness.encoders.store.shard_folder import LocalFolder
from likeness.encoders.store.shards import ShardWriter
from likeness.errors import InputError
from likeness.io import assets_dir, cache_dir
from likeness.progress import Progress

ENGINES = ("local", "ray")
_IN_MEMORY = 1 << 28


def embed_images(
    table: ImageTable,
    encoder: EncoderLike,
    *,
    device: str = "auto",
    store_dir: Path | str | None = None,
    batch_size: int = 128,
    shard_size: int = 1024,
    shard_seconds: float = 30.0,
    progress: Progress | None = None,
    should_stop: Callable[[], bool] | None = None,
    remote: bool = False,
    engine: str = "local",
    workers: int | None = None,
    ray_address: str | None = None,
    most_bytes: int = _IN_MEMORY,
) -> Embeddings:
    """Embeds the images of a table, reusing stored embeddings.

    Between 1,000 and 100,000 images are encoded in a fixed random order, so that the first thousand represent all; frames of a video and pages of a
    PDF stay together. Otherwise in the order of the table.

    An image is unchanged if path, size and modification time are (for a URL: size and version), or for shipped images the content
    (`likeness.data.CONTENT_COLUMN`). An encoder given by name is loaded only if something must be encoded. Finished shards survive a kill at any
    time, and several processes can share a store. Unreadable images are listed in the result, and tried again when the file changes.

    With the engine "ray", Ray Data distributes the work to processes on one or many machines, which write the same shards, byte for byte; if one
    dies, another encodes its images. If several processes share a machine, each has fewer threads than the local engine, which can change the last
    digits of vectors.

    Args:
        encoder: its name, or an object with `encode_images`. An object without identity (`encoder_identity`) is not stored: each call encodes all
            images. For "ray" a name that every node knows, or an object that can be pickled.
        device: for an encoder given by name.
        store_dir: folder of the store, or a URL for fsspec; by default in the user's cache. For several nodes, a path or URL that all of them reach:
            a shared file system or an object store.
        batch_size: images per pass of the model.
        shard_size: images per file, rounded up to whole batches.
        shard_seconds: maximum time per file, so that little is lost with a slow model.
        progress: called with (images done, total images), including stored ones.
        should_stop: checked before the first batch and after every one; if true, finished images are written and returned.
        remote: read paths that are URLs ("s3://...", "https://..."). Only for trusted tables, since their URLs can reach anything that this machine
            can. Otherwise they are missing files.
        engine: "local" or "ray".
        workers: maximum number of processes of "ray"; by default one per GPU, or machine.
        ray_address: address of a Ray cluster; by default RAY_ADDRESS, or else a temporary cluster on this machine.
        most_bytes: maximum size of vectors in memory; larger ones are memory-mapped.

    Raises:
        InputError: unknown encoder or engine, a store that cannot be written, a number below 1, or Ray is not installed or not reachable.
    """
    if batch_size < 1 or shard_size < 1:
        raise InputError(f"batch_size is {batch_size} and shard_size {shard_size}; both must be at least 1.")
    check_engine(engine, workers)
    chosen = encoder if isinstance(encoder, str) else as_encoder(encoder)
    identity = encoder_identity(chosen)
    if not identity:
        options: dict[str, Any] = {"batch_size": batch_size, "progress": progress, "should_stop": should_stop, "remote": remote}
        with TemporaryDirectory(prefix="likeness-") as folder:  # not stored, and all in memory
            unstored = ObjectEncoder(chosen, uuid4().hex[:16])
            return embed_images(table, unstored, store_dir=folder, most_bytes=sys.maxsize, engine=engine, workers=workers, **options)
    place, collected = _place(table, store_dir), Collected(table, remote, most_bytes)
    work = EncodingPass(table, chosen, device, place, batch_size, shard_size, shard_seconds, remote, collected, progress, should_stop)
    work.take_shards(work.folder(identity), repair=True)
    if len(collected.todo()):
        work.take_shards(LocalFolder(assets_dir() / "embeddings" / identity / "images"), repair=False)
    work.report()
    if len(collected.todo()) and not work.stops():
        # a model that was just downloaded has another identity than before
        if engine == "local":
            identity = encode_here(work)
        else:
            from likeness.encoders.store.ray_engine import encode_with_ray

            identity = encode_with_ray(work, identity, workers, ray_address)
    packed = (place if isinstance(place, Path) else cache_dir() / "embeddings" / place.rsplit("/", 1)[-1]) / identity / "packed"
    return collected.result(not len(collected.todo()), identity, packed)


def check_engine(engine: str, workers: int | None) -> None:
    """InputError: an unknown engine, or an invalid number of workers."""
    if engine not in ENGINES:
        raise InputError(f"There is no engine '{engine}'; choose from {', '.join(ENGINES)}.")
    if workers is not None and (workers < 1 or engine != "ray"):
        raise InputError(f"The engine '{engine}' cannot use {workers} workers; choose at least 1, with the engine 'ray'.")


def store_folder(table: ImageTable, identity: str, store_dir: Path | None = None) -> Path:
    """Folder of the embeddings of a table's images by one encoder."""
    return Path(_place(table, store_dir)) / identity


def index_folder(table: ImageTable, encoder: EncoderLike, store_dir: Path | str | None = None) -> Path:
    """Folder of the index of a table's images by one encoder: beside their embeddings, or in the cache if those are in an object store."""
    local = None if store_dir is None or "://" in str(store_dir) else Path(store_dir)
    return store_folder(table, encoder_identity(encoder), local) / "index"


def _place(table: ImageTable, store_dir: Path | str | None) -> Path | str:
    """Path or URL of the embeddings of a table's images by all encoders."""
    # the root of images behind a URL is not a path of this machine
    root = table.root if table.root.parts[:1] and table.root.parts[0].endswith(":") else table.root.resolve()
    if isinstance(store_dir, str) and is_url(store_dir):
        return f"{store_dir.rstrip('/')}/{_name(root)}"
    return Path(store_dir or cache_dir() / "embeddings") / _name(root)


def stored_of(root: Path, store_dir: Path) -> Path:
    """Folder in a store for the embeddings, by all encoders, of the images in a folder."""
    return store_dir / _name(root.resolve())


def _name(root: Path) -> str:
    label = re.sub(r"[^A-Za-z0-9_-]+", "-", root.name)[:40] or "images"
    return f"{label}-{blake2b(os.fsencode(root), digest_size=6).hexdigest()}"


def encode_here(work: EncodingPass) -> str:
    """Encodes images without stored embedding; returns the encoder's identity."""
    encoder = load_encoder(work.encoder, work.device)
    folder, collected = work.folder(encoder.identity), work.collected
    rows = work.begin(folder)
    keys, files, start = collected.keys[rows], ImageFiles(work.table.root, work.paths(rows), work.remote), 0
    # the writer is closed last: whatever interrupts the loop, finished batches are written
    with ShardWriter(folder, work.shard_size, work.shard_seconds, work.taker(folder)) as writer:
        for batch in encoded_batches(files, encoder, work.batch_size):
            here = rows[start : start + batch.n]
            collected.n_encoded += batch.n_encoded
            writer.add(batch, keys[start : start + batch.n])
            for position, reason in batch.unopened:
                collected.fail(int(here[position]), reason)
            collected.note(here)
            start += batch.n
            work.report()
            if work.stops():
                break
    return encoder.identity
