"""Text embeddings, cached per encoder: editing one prompt encodes one."""

import hashlib
import logging
import sqlite3
import zlib
from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from likeness.arrays import unit_rows
from likeness.encoders.encoder import Encoder, Vectors
from likeness.encoders.load import load_encoder
from likeness.encoders.names import encoder_identity
from likeness.encoders.objects import EncoderLike
from likeness.errors import InputError
from likeness.io import assets_dir, cache_dir, make_folder, read_arrays

T = TypeVar("T")
Vector = NDArray[np.float32]

# a 512-d vector and its text fill just over half of the default page
_BEGIN = """PRAGMA page_size = 16384; PRAGMA synchronous = NORMAL;
CREATE TABLE IF NOT EXISTS texts (text BLOB PRIMARY KEY, vector BLOB NOT NULL, crc INTEGER NOT NULL)"""
_WAIT_SECONDS = 10.0
_CHUNK = 500  # below SQLite's limit of variables per statement
_DAMAGED = ("SQLITE_CORRUPT", "SQLITE_NOTADB", "SQLITE_ERROR", "SQLITE_FORMAT")
_log = logging.getLogger(__name__)


class TextCache:
    """Vectors by text in one SQLite file, safe against kills and for several processes at once. A damaged file is replaced; one that cannot be used
    (read-only, disk full) is ignored and logged.

    diskcache 5.6 is 1.7 times slower to store 1,000 vectors and 2.2 times to read them, raises for a damaged file and for a full disk, and returns
    vectors with flipped bits.
    """

    def __init__(self, path: Path) -> None:
        self.path = path

    def get(self, texts: Sequence[str]) -> dict[str, Vector]:
        """The vectors (d,) of those texts that are stored and valid."""
        if not self.path.is_file():
            return {}
        return self._try(lambda connection: _select(connection, texts), default={})

    def put(self, vectors: Mapping[str, Vector]) -> None:
        """Stores vectors (d,) by text; all or none."""
        try:
            make_folder(self.path.parent)
        except OSError as error:
            _log.warning("Text embeddings are not stored: %s", error)
            return
        rows = [(text.encode(), blob, zlib.crc32(blob)) for text, vector in vectors.items() if (blob := vector.astype("<f4").tobytes())]
        self._try(lambda connection: connection.executemany("INSERT OR REPLACE INTO texts VALUES (?, ?, ?)", rows), default=None)

    def _try(self, work: Callable[[sqlite3.Connection], T], default: T) -> T:
        for attempt in range(2):
            try:
                with closing(sqlite3.connect(self.path, timeout=_WAIT_SECONDS)) as connection, connection:
                    connection.executescript(_BEGIN)
                    return work(connection)
            except (sqlite3.Error, UnicodeDecodeError, MemoryError) as error:  # SQLite's own messages may contain damaged names
                damaged = isinstance(error, UnicodeDecodeError) or getattr(error, "sqlite_errorname", "").startswith(_DAMAGED)
                if damaged and attempt == 0:
                    _log.warning("The text cache %s is damaged (%s) and was replaced.", self.path, error)
                    for path in (self.path, Path(f"{self.path}-journal")):
                        path.unlink(missing_ok=True)
                else:
                    _log.warning("The text cache %s cannot be used: %s", self.path, error)
                    break
        return default


def _select(connection: sqlite3.Connection, texts: Sequence[str]) -> dict[str, Vector]:
    found: dict[str, Vector] = {}
    for start in range(0, len(texts), _CHUNK):
        chunk = {text.encode(): text for text in texts[start : start + _CHUNK]}
        marks = ", ".join("?" * len(chunk))
        for key, blob, crc in connection.execute(f"SELECT text, vector, crc FROM texts WHERE text IN ({marks})", list(chunk)):
            if zlib.crc32(blob) == crc:
                found[chunk[key]] = np.frombuffer(blob, dtype="<f4").astype(np.float32)
    return found


_VOCABULARY = 1000  # number of texts from which on a list may be a shipped vocabulary


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
    """Embeds texts; each is encoded once per encoder and then cached on disk.

    An encoder given by name is loaded only if a text is new. Objects without identity (`encoder_identity`) are not cached. A complete shipped
    vocabulary (`vocabulary_file`) is read from its file.

    InputError: no text, one that is not a string, an encoder that is unknown or does not embed texts, or vectors that are not finite.
    """
    _check(texts)
    identity = encoder_identity(encoder)
    if not identity:
        return TextEmbeddings(_encoded(load_encoder(encoder), list(texts)), len(texts))
    if (shipped := _vocabulary(vocabulary_file(identity, texts), len(texts))) is not None:
        return TextEmbeddings(shipped, 0)
    distinct = list(dict.fromkeys(texts))
    known = _recall(identity, distinct)
    new = [text for text in distinct if text not in known]
    if new:
        chosen = load_encoder(encoder, device)
        encoded = dict(zip(new, _encoded(chosen, new), strict=True))
        _disk(chosen.identity).put(encoded)
        known |= encoded
    return TextEmbeddings(np.stack([known[text] for text in texts]), len(new))


def vocabulary_ships(encoder: EncoderLike, texts: Sequence[str]) -> bool:
    """Whether this list ships for this encoder (`vocabulary_file`), and so is read at once."""
    identity = encoder_identity(encoder)
    return bool(identity) and len(texts) >= _VOCABULARY and vocabulary_file(identity, texts).is_file()


def vocabulary_file(identity: str, texts: Sequence[str]) -> Path:
    """File of the embeddings of a list of texts by one encoder. Components are rounded to a 256th, which deflate compresses to less than a byte each:
    rows have a cosine of at least .9995 with the exact ones, and similarities to unit vectors differ by .001 on average. So it is for comparisons of
    thousands of words; single texts are encoded.
    """
    return assets_dir() / "embeddings" / identity / f"vocabulary-{hashlib.sha256(chr(0).join(texts).encode()).hexdigest()[:16]}.npz"


def _check(texts: Sequence[str]) -> None:
    if isinstance(texts, str) or not len(texts):
        raise InputError(f"Expected a list of at least one text, got {texts!r}; pass a list of strings.")
    for text in texts:
        if not isinstance(text, str) or (not text.isascii() and any("\ud800" <= character <= "\udfff" for character in text)):
            raise InputError(f"The text {text!r} is not a string of Unicode characters; pass plain strings.")


def _recall(identity: str, texts: list[str]) -> dict[str, Vector]:
    """Vectors from the shipped file and the cache on disk."""
    shipped = _shipped(assets_dir() / "embeddings" / identity / "texts.npz")
    known = {text: shipped[text] for text in texts if text in shipped}
    return known | _disk(identity).get([text for text in texts if text not in known])


def _encoded(encoder: Encoder, texts: list[str]) -> Vectors:
    if not encoder.has_text:
        raise InputError(f"The encoder '{encoder.name}' has no text side; choose one that reads texts, from `likeness encoders list`.")
    vectors = np.asarray(encoder.encode_texts(texts), dtype=np.float32)
    broken = np.flatnonzero(~np.isfinite(vectors).all(axis=1))
    if broken.size:
        raise InputError(f"The encoder '{encoder.name}' returns no finite vector for the text '{texts[broken[0]]}'; choose another encoder.")
    return vectors


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
