"""Share of each word in each image, from the encoder's text side or from words of the table."""

import re
from collections import Counter
from collections.abc import Sequence
from pathlib import PurePosixPath

import numpy as np
from numpy.typing import NDArray

from likeness.clusters.word_choice import WordChoice
from likeness.data import has_label
from likeness.encoders import vocabulary_ships
from likeness.errors import InputError
from likeness.progress import Progress, report_progress
from likeness.space import Space

_SHARPNESS = 8.0  # of the softmax; chosen with the rule of `name_clusters` on 34 classes of CIFAR-100
LOOKED_AT = 6_000  # images at most from which usual similarities are found
_AT_ONCE = 500
_WORD = re.compile(r"[^\W\d_]{3,}")
_RARE = 3  # images; words of fewer name nothing
_STOP_WORDS = "and are for from her his into its off one out over that the their there they this two was were while who with image photo jpg png"
_STOP = frozenset(_STOP_WORDS.split())

Shares = NDArray[np.float32]


class TextShares:
    """By the encoder: the softmax over words of how much more similar than usual an image is to each.

    With s_iw the similarity of image i to word w, m_w and d_w its mean and standard deviation over the images (6,000 drawn by `seed` where there are
    more), and d the median of all d_w, the share is exp(8 (s_iw - m_w) / (d_w + d)), divided by the sum over the words. Taking away m_w keeps words
    that are near to everything ("hubs") from naming everything; adding d to d_w keeps those whose similarities hardly vary from mattering by chance.
    Of a notion's space the words are seen through the notion, too.

    Raises:
        InputError: the space reads no text.
    """

    source = "words"

    def __init__(self, space: Space, choice: WordChoice, seed: int = 0, progress: Progress | None = None) -> None:
        self.choice, self.vectors = choice, space.vectors
        self.words = _embedded(space, choice.prompts, progress)
        rows = np.sort(np.random.default_rng(seed).permutation(len(space))[:LOOKED_AT])
        known = np.asarray(space.vectors[rows], np.float64)
        self.mean = (known.mean(axis=0) @ self.words.T).astype(np.float32)
        covariance = np.cov(known.T, bias=True).reshape(known.shape[1], -1)
        spread = np.sqrt(np.maximum(((self.words @ covariance) * self.words).sum(axis=1), 0))
        self.scale = (_SHARPNESS / np.maximum(spread + np.median(spread), np.finfo(np.float32).eps)).astype(np.float32)

    def of(self, rows: NDArray[np.int64]) -> Shares:
        """How the words share each of the images `rows` (b,): (b, v), not negative, adding up to 1."""
        logits = (np.asarray(self.vectors[rows]) @ self.words.T - self.mean) * self.scale
        logits -= logits.max(axis=1, keepdims=True)
        np.exp(logits, out=logits)
        return np.asarray(logits / logits.sum(axis=1, keepdims=True), np.float32)


class TableShares:
    """By the table: the words of an image's captions, attributes and file name, in equal shares; with `column` that attribute's values, taken whole.

    Raises:
        InputError: no such attribute, or one with fewer than two values; or no two words stand with three images or more.
    """

    source = "attributes"

    def __init__(self, space: Space, column: str | None = None) -> None:
        self.texts = _values(space, column) if column else _texts(space)
        counts = Counter(word for words in self.texts for word in set(words))
        kept = [word for word, count in counts.items() if count >= (1 if column else _RARE) and (column or count < len(self.texts))]
        if len(kept) < 2 and column:
            raise InputError(f"'{column}' has {len(kept)} different values, but names must distinguish clusters; choose an attribute with more.")
        if len(kept) < 2:
            raise InputError(
                f"There are no names for clusters of '{space.name}': the encoder reads no text, and no words stand in the attributes or file names; "
                "take an encoder with a text side such as 'photos'."
            )
        self.choice = WordChoice(tuple(kept), tuple(kept))
        self._places = {word: place for place, word in enumerate(kept)}

    def of(self, rows: NDArray[np.int64]) -> Shares:
        """As `TextShares.of`; an image that has none of the words adds up to 0."""
        found = np.zeros((len(rows), len(self.choice)), np.float32)
        for place, row in enumerate(rows):
            known = [self._places[word] for word in set(self.texts[row]) if word in self._places]
            found[place, known] = 1 / max(len(known), 1)
        return found


WordShares = TextShares | TableShares


def _embedded(space: Space, prompts: Sequence[str], progress: Progress | None) -> NDArray[np.float32]:
    if space.embed_texts is None:
        raise InputError(f"The space '{space.name}' reads no text; name its clusters by attributes, or take an encoder with a text side.")
    ships = space.encoder is not None and vocabulary_ships(space.encoder, prompts)
    parts, at_once = [], len(prompts) if ships else _AT_ONCE
    for begin in range(0, len(prompts), at_once):
        parts.append(space.embed_texts(prompts[begin : begin + at_once]))
        report_progress(progress, min(begin + at_once, len(prompts)), len(prompts))
    return np.vstack(parts)


def _values(space: Space, column: str) -> list[list[str]]:
    if column not in space.table.attributes:
        raise InputError(f"There is no attribute '{column}'; there are {', '.join(space.table.attributes) or 'none'}.")
    values = space.table.frame[column]
    return [[str(value)] if known else [] for value, known in zip(values, has_label(values), strict=True)]


def _texts(space: Space) -> list[list[str]]:
    """Words of each image: of its attributes in text, and of its file name."""
    frame = space.table.frame
    columns = [column for column in space.table.attributes if frame[column].map(lambda value: isinstance(value, str)).any()]
    names = [PurePosixPath(str(path)).stem for path in frame["path"]] if space.table.has_images else [""] * len(frame)
    found = []
    for row, name in enumerate(names):
        text = " ".join([name, *(str(frame[column].iat[row]) for column in columns if isinstance(frame[column].iat[row], str))])
        found.append([word for word in _WORD.findall(text.lower().replace("_", " ")) if word not in _STOP])
    return found
