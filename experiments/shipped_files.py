"""Writes files that ship beside the models: embeddings of images and texts, and how an encoder sees images like those that it was trained on."""

import io
import json
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path

import numpy as np

from likeness.data import CONTENT_COLUMN, ImageTable
from likeness.embedding import embed
from likeness.encoder_check import SIGHT_FILE, Sight, check_encoder
from likeness.encoders import Encoder, embed_images, embed_texts, load_encoder, parse_name
from likeness.encoders.store.keys import content_key, key_array
from likeness.encoders.store.shard_folder import LocalFolder
from likeness.encoders.store.shards import Shard, write_shard
from likeness.encoders.store.texts import vocabulary_file
from likeness.errors import InputError
from likeness.io import as_path, assets_dir, write_atomic


def ship_embeddings(table: ImageTable, encoder: Encoder | str) -> Path:
    """Writes the embeddings of a table as one read-only file in `assets/embeddings`, which every store reads, and returns it. Files of other encoders
    are unchanged.

    Raises:
        InputError: a table without the column `likeness.data.CONTENT_COLUMN`, which is needed because paths and times differ between machines, or an
            unreadable image.
    """
    if CONTENT_COLUMN not in table.frame:
        raise InputError(f"The table '{table.name}' has no column '{CONTENT_COLUMN}' with the SHA-256 of each image; write it again before shipping.")
    chosen = load_encoder(encoder)
    embeddings = embed_images(table, chosen)
    if embeddings.failed:
        first = embeddings.failed[0].path
        raise InputError(f"{len(embeddings.failed)} images of '{table.name}' cannot be read; the first is '{first}'. Ship only readable ones.")
    target = assets_dir() / "embeddings" / chosen.identity / "images"
    for old in target.glob("*.npz"):
        old.unlink()
    keys = key_array([content_key(digest) for digest in table.frame[CONTENT_COLUMN]])
    return target / write_shard(LocalFolder(target), Shard(keys, np.asarray(embeddings.vectors), {}))


def ship_texts(encoder: Encoder | str, texts: Sequence[str]) -> None:
    """Writes embeddings of texts as one read-only file in `assets/embeddings`, which every cache reads."""
    chosen, distinct, content = load_encoder(encoder), list(dict.fromkeys(texts)), io.BytesIO()
    np.savez(content, texts=np.array(distinct, dtype=np.str_), vectors=embed_texts(chosen, distinct).vectors)
    write_atomic(assets_dir() / "embeddings" / chosen.identity / "texts.npz", content.getvalue())


def ship_vocabulary(encoder: Encoder | str, texts: Sequence[str]) -> Path:
    """Writes embeddings of a list of 1,000 texts or more as a file in `assets/embeddings` (`vocabulary_file`), read by `embed_texts` of the whole
    list, and returns it.
    """
    chosen, content = load_encoder(encoder), io.BytesIO()
    levels = np.round(256 * embed_texts(chosen, texts).vectors.T)  # levels of one dimension in a row: 2 % smaller
    np.savez_compressed(content, levels=levels.astype(np.int8 if np.abs(levels).max() < 128 else np.int16))
    target = vocabulary_file(chosen.identity, texts)
    write_atomic(target, content.getvalue())
    return target


def write_sight(encoder: str, images: Sequence[Path], seed: int = 0) -> Sight:
    """Measures an encoder on images like its training images, 30 at least, and stores the figures in its folder, for `check_encoder`."""
    folder = as_path(parse_name(encoder).target)
    if not folder.is_dir():
        raise InputError(f"The encoder '{encoder}' has no folder to store its figures in; pass 'photos:FOLDER' or 'local-dir:FOLDER'.")
    sight = check_encoder(embed(list(images), encoder), seed=seed).sight
    write_atomic(folder / SIGHT_FILE, json.dumps(asdict(sight), indent=2).encode())
    return sight
