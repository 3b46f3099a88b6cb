"""Text embeddings, cached per encoder: editing one prompt encodes one."""

import hashlib
import io
import threading
from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from likeness.arrays import unit_rows
from likeness.encoders.encoder import Encoder, Vectors
from likeness.encoders.load import load_encoder
from likeness.encoders.names import encoder_identity
from likeness.encoders.objects import EncoderLike
from likeness.encoders.store.text_cache import TextCache
from likeness.errors import InputError
from likeness.io import assets_dir, cache_dir, read_arrays, write_atomic

Vector = NDArray[np.float32]

_IN_MEMORY = 20_000
_VOCABULARY = 1000  # number of texts from which on a list may be a shipped vocabulary
_STEP = 1 / 256  # vectors of a vocabulary are rounded to multiples of 1 / 256
_memory: OrderedDict[tuple[str, str], Vector] = OrderedDict()
_memory_lock = threading.Lock()


@dataclass(frozen=True)
class TextEmbeddings:
    """Embeddings of n texts.

    Attributes:
        vectors: (n, d) unit rows, float32, in the order given.
        n_encoded: number of texts encoded in this call; others were cached.
    """

    vectors: Vectors
    n_encoded: int


def embed_texts(encoder: EncoderLike, texts: Sequence[str], device: str = "auto") -> TextEmbeddings:
    """Embeds texts; each is encoded once per encoder and then cached in memory and on disk.

    An encoder given by name is loaded only if a text is new. Objects without identity (`encoder_identity`) are not cached. A complete shipped
    vocabulary (`ship_vocabulary`) is read from its file.

    InputError: no text, one that is not a string, an encoder that is unknown or does not embed texts, or vectors that are not finite.
    """
    _check(texts)
    identity = encoder_identity(encoder)
    if not identity:
        return TextEmbeddings(_encoded(load_encoder(encoder), list(texts)), len(texts))
    if (shipped := _vocabulary(_vocabulary_file(identity, texts), len(texts))) is not None:
        return TextEmbeddings(shipped, 0)
    distinct = list(dict.fromkeys(texts))
    known = _recall(identity, distinct)
    new = [text for text in distinct if text not in known]
    if new:
        chosen = load_encoder(encoder, device)
        encoded = dict(zip(new, _encoded(chosen, new), strict=True))
        _remember(chosen.identity, encoded)
        _disk(chosen.identity).put(encoded)
        known |= encoded
    return TextEmbeddings(np.stack([known[text] for text in texts]), len(new))


def ship_texts(encoder: EncoderLike, texts: Sequence[str]) -> Path:
    """Writes embeddings of texts as one read-only file in `assets/embeddings`, which every cache reads, and returns it."""
    chosen = load_encoder(encoder)
    distinct = list(dict.fromkeys(texts))
    buffer = io.BytesIO()
    np.savez(buffer, texts=np.array(distinct, dtype=np.str_), vectors=embed_texts(chosen, distinct).vectors)
    target = assets_dir() / "embeddings" / chosen.identity / "texts.npz"
    write_atomic(target, buffer.getvalue())
    _shipped.cache_clear()
    return target


def ship_vocabulary(encoder: EncoderLike, texts: Sequence[str]) -> Path:
    """Writes embeddings of a list of 1,000 texts or more as a file in `assets/embeddings`, read by `embed_texts` of the whole list.

    Components are rounded to a 256th, which deflate compresses to less than a byte each: rows have a cosine of at least .9995 with the exact ones,
    and similarities to unit vectors differ by .001 on average. So the file is for comparisons of thousands of words; single texts are encoded.
    """
    chosen = load_encoder(encoder)
    levels = np.round(embed_texts(chosen, texts).vectors.T / _STEP)  # levels of one dimension in a row: 2 % smaller
    buffer = io.BytesIO()
    np.savez_compressed(buffer, levels=levels.astype(np.int8 if np.abs(levels).max() < 128 else np.int16))
    target = _vocabulary_file(chosen.identity, texts)
    write_atomic(target, buffer.getvalue())
    return target


def vocabulary_ships(encoder: EncoderLike, texts: Sequence[str]) -> bool:
    """Whether this list ships for this encoder (`ship_vocabulary`), and so is read at once."""
    identity = encoder_identity(encoder)
    return bool(identity) and len(texts) >= _VOCABULARY and _vocabulary_file(identity, texts).is_file()


def _check(texts: Sequence[str]) -> None:
    if isinstance(texts, str) or not len(texts):
        raise InputError(f"Expected a list of at least one text, got {texts!r}; pass a list of strings.")
    for text in texts:
        if not isinstance(text, str) or (not text.isascii() and any("\ud800" <= character <= "\udfff" for character in text)):
            raise InputError(f"The text {text!r} is not a string of Unicode characters; pass plain strings.")


def _recall(identity: str, texts: list[str]) -> dict[str, Vector]:
    """Vectors from memory, the shipped file and the cache on disk, in this order."""
    known = {}
    with _memory_lock:
        for text in texts:
            if (identity, text) in _memory:
                _memory.move_to_end((identity, text))
                known[text] = _memory[identity, text]
    shipped = _shipped(assets_dir() / "embeddings" / identity / "texts.npz") if len(known) < len(texts) else {}
    known |= {text: shipped[text] for text in texts if text not in known and text in shipped}
    missing = [text for text in texts if text not in known]
    if missing:
        from_disk = _disk(identity).get(missing)
        _remember(identity, from_disk)
        known |= from_disk
    return known


def _encoded(encoder: Encoder, texts: list[str]) -> Vectors:
    if not encoder.has_text:
        raise InputError(f"The encoder '{encoder.name}' has no text side; choose one that reads texts, from `likeness encoders list`.")
    vectors = np.asarray(encoder.encode_texts(texts), dtype=np.float32)
    broken = np.flatnonzero(~np.isfinite(vectors).all(axis=1))
    if broken.size:
        raise InputError(f"The encoder '{encoder.name}' returns no finite vector for the text '{texts[broken[0]]}'; choose another encoder.")
    return vectors


def _vocabulary_file(identity: str, texts: Sequence[str]) -> Path:
    """Named by encoder and texts."""
    return assets_dir() / "embeddings" / identity / f"vocabulary-{hashlib.sha256(chr(0).join(texts).encode()).hexdigest()[:16]}.npz"


def _vocabulary(file: Path, count: int) -> Vectors | None:
    """The vectors of a shipped vocabulary; None if the texts are not one, or the file is damaged."""
    if count < _VOCABULARY or not file.is_file():
        return None
    try:
        levels = read_arrays(file.read_bytes(), ("levels",))[0]
        return unit_rows(levels.T.astype(np.float32), "The vectors") if levels.shape[1:] == (count,) else None
    except (ValueError, TypeError):
        return None


def _disk(identity: str) -> TextCache:
    return TextCache(cache_dir() / "texts" / f"{identity}.sqlite")


def _remember(identity: str, vectors: dict[str, Vector]) -> None:
    with _memory_lock:
        for text, vector in vectors.items():
            _memory[identity, text] = vector
            _memory.move_to_end((identity, text))
        while len(_memory) > _IN_MEMORY:
            _memory.popitem(last=False)


@lru_cache(maxsize=4)
def _shipped(path: Path) -> dict[str, Vector]:
    """The shipped vectors of an encoder; none if there is no such file or it is damaged."""
    if not path.is_file():
        return {}
    try:
        texts, vectors = read_arrays(path, ("texts", "vectors"))
        return dict(zip(texts.tolist(), vectors.astype(np.float32), strict=True))
    except (ValueError, TypeError):
        return {}
