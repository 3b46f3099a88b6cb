"""Word vectors from the text files of GloVe and FastText."""

import hashlib
import re
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from likeness.errors import InputError
from likeness.io import as_path
from likeness.language.family import LanguageFamily, Vectors

Vector = NDArray[np.float64]

_PROBE = 65_536
_LONGEST = 1_000_000  # bytes of a first line; a binary file may have no line end at all


class WordVectors:
    """Names as the means of their words' vectors (footnote 5 of the paper; sections (b) of Tables 3 and S2).

    The file has one word and its d numbers a line, separated by blanks; FastText's begins with a line of two numbers. A word is looked up as written,
    then in lower case, then ignoring case (first in the file); an unknown word like "Black-capped" by its parts. Words without a vector are skipped.
    Only lines of needed words are parsed. Raises InputError if the file is missing.
    """

    reads_sentences, has_text = False, True

    def __init__(self, name: str, path: Path) -> None:
        path = as_path(path)
        if not path.is_file():
            raise InputError(f"There is no file of word vectors '{path}'; give the .txt file of GloVe or the .vec file of FastText.")
        self.name = name
        self._path = path

    @property
    def identity(self) -> str:
        """A digest of the file's size, modification time and beginning, because such files have gigabytes."""
        stat = self._path.stat()
        with self._path.open("rb") as file:
            parts = (b"word vectors 1", str(stat.st_size).encode(), str(stat.st_mtime_ns).encode(), file.read(_PROBE))
        return hashlib.sha256(b"\0".join(parts)).hexdigest()[:16]

    def encode_texts(self, texts: list[str]) -> Vectors:
        """Rows (n, d), float32; raises InputError if no word of a text has a vector, or the file is damaged."""
        words = {form for text in texts for word in text.split() for form in (word, *_parts(word))}
        found = read_word_vectors(self._path, words)
        rows = [[vector for word in text.split() for vector in _vectors(word, found)] for text in texts]
        unknown = [text for text, row in zip(texts, rows, strict=True) if not row]
        if unknown:
            shown = ", ".join(f"'{text}'" for text in unknown[:5]) + (f" and {len(unknown) - 5} more" if len(unknown) > 5 else "")
            raise InputError(f"No word of {shown} has a vector in '{self._path.name}'; rename these classes or use a file with more words.")
        return np.array([np.mean(row, axis=0) for row in rows], dtype=np.float32)


def read_word_vectors(path: Path, words: set[str]) -> dict[str, Vector]:
    """The vectors (d,) of words in the file, exact or ignoring case; the file is read once, line by line. Raises InputError if it has no word
    vectors, or a needed line is damaged.
    """
    exact: dict[str, Vector] = {}
    folded: dict[str, tuple[bool, Vector]] = {}
    lowered = {word.lower() for word in words}
    for number, word, line, dim in _lines(path):
        if (low := word.lower()) not in lowered:
            continue
        vector = _parse(path, number, word, line, dim)
        if vector is None:
            continue
        exact.setdefault(word, vector)
        # of several spellings the lower-case one wins, then the first, which is the most frequent
        if low not in folded or (word == low and not folded[low][0]):
            folded[low] = (word == low, vector)
        if words <= exact.keys():
            break
    return {word: exact[word] if word in exact else folded[word.lower()][1] for word in words if word in exact or word.lower() in folded}


def _lines(path: Path) -> Iterator[tuple[int, str, bytes, int]]:
    """Number, word, text and d of each line with a word."""
    with path.open("rb") as file:
        first = file.readline(_LONGEST).rstrip(b" \r\n").split(b" ")
        header = len(first) == 2 and all(column.isdigit() and len(column) < 10 for column in first)
        dim = int(first[1]) if header else len(first) - 1
        if dim < 1 or not _is_number(first[-1]):
            raise InputError(f"The file '{path.name}' holds no word vectors; give the .txt file of GloVe or the .vec file of FastText.")
        file.seek(0)
        for number, raw in enumerate(file, start=1):
            line = raw.rstrip(b" \r\n")
            if line and not (header and number == 1):
                yield number, line.partition(b" ")[0].decode(errors="replace"), line, dim


def _parse(path: Path, number: int, word: str, line: bytes, dim: int) -> Vector | None:
    """The line's vector (d,), or None if its word has spaces, as a few words of GloVe."""
    columns = line.split(b" ")[1:]
    if len(columns) > dim and not _is_number(columns[0]):
        return None
    if len(columns) != dim:
        raise InputError(f"Line {number} of '{path.name}' gives '{word}' {len(columns)} numbers, expected {dim}; take the file anew.")
    try:
        vector = np.array([float(column) for column in columns])
    except ValueError as error:
        raise InputError(
            f"Line {number} of '{path.name}' gives '{word}' something that is no number ({str(error)[:80]}); take the file anew."
        ) from error
    return vector


def _is_number(column: bytes) -> bool:
    try:
        float(column)
    except ValueError:
        return False
    return True


def _vectors(word: str, found: dict[str, Vector]) -> Sequence[Vector]:
    return [found[word]] if word in found else [found[part] for part in _parts(word) if part in found]


def _parts(word: str) -> list[str]:
    return [part for part in re.split(r"[\W_]+", word) if part and part != word]


WORD_VECTORS = LanguageFamily(
    "vectors",
    "Word vectors",
    "The mean of the vectors of a name's words, from a text file of GloVe or FastText.",
    lambda name, target, device: WordVectors(name, Path(target).expanduser()),
    form="'vectors:FILE'",
    map_path=lambda target, change: change(target),
    reads_sentences=False,
)
