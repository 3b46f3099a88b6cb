"""Vocabulary of a captioning model: words by number."""

import json
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from likeness.errors import InputError
from likeness.io import parse_json, text_of, write_atomic

PAD, BEGIN, END, UNKNOWN = range(4)
_SPECIAL = ("<pad>", "<begin>", "<end>", "<unknown>")


@dataclass(frozen=True)
class Vocabulary:
    """Words by number: 0 pads, 1 begins, 2 ends a sentence, 3 stands for any other word, and the words follow.

    Attributes:
        words: number 4 and further ones.

    Raises:
        InputError: no words, a word twice, or one of the four signs as a word.
    """

    words: tuple[str, ...]

    def __post_init__(self) -> None:
        if not self.words or len(set(self.words) | set(_SPECIAL)) < len(self):
            raise InputError(f"A vocabulary needs words, each once and none of {', '.join(_SPECIAL)}; got {len(self.words)} with others among them.")

    def __len__(self) -> int:
        return len(_SPECIAL) + len(self.words)

    @cached_property
    def numbers(self) -> dict[str, int]:
        """Of each word."""
        return {word: number for number, word in enumerate(self.words, start=len(_SPECIAL))}

    def encode(self, words: Sequence[str], longest: int) -> list[int]:
        """Numbers of at most `longest` words, and the end after them; without a beginning."""
        return [*(self.numbers.get(word, UNKNOWN) for word in words[:longest]), END]

    def encode_all(self, sentences: Sequence[Sequence[str]], longest: int) -> NDArray[np.int64]:
        """Rows of `encode`, (n, longest + 1), padded."""
        rows = np.full((len(sentences), longest + 1), PAD, np.int64)
        for row, words in zip(rows, sentences, strict=True):
            coded = self.encode(words, longest)
            row[: len(coded)] = coded
        return rows

    def decode(self, numbers: Sequence[int] | NDArray[np.int64]) -> str:
        """The sentence up to its end; an unknown word is written as "<unknown>".

        Raises:
            InputError: a number that no word has.
        """
        said = []
        for number in map(int, numbers):
            if number in (END, PAD):
                break
            if not 0 <= number < len(self):
                raise InputError(f"There is no word {number}; this vocabulary has {len(self)}; use the vocabulary of the sentence's model.")
            if number != BEGIN:
                said.append(self.words[number - len(_SPECIAL)] if number >= len(_SPECIAL) else _SPECIAL[number])
        return " ".join(said)

    def save(self, file: Path) -> None:
        """Writes the words as JSON."""
        write_atomic(file, json.dumps({"words": self.words}, ensure_ascii=False, indent=0).encode())


def build_vocabulary(sentences: Sequence[Sequence[str]], min_count: int = 5) -> Vocabulary:
    """Words that occur at least `min_count` times, the most frequent first, of equal ones by the alphabet.

    Args:
        sentences: of the training captions, in words.
        min_count: 5 is usual for COCO, and gives 9,487 words.

    Raises:
        InputError: no word occurs so often.
    """
    counts = Counter(word for words in sentences for word in words if word not in _SPECIAL)
    kept = sorted((word for word, count in counts.items() if count >= min_count), key=lambda word: (-counts[word], word))
    if not kept:
        raise InputError(f"No word of the {len(sentences)} captions occurs {min_count} times; lower min_count or add captions.")
    return Vocabulary(tuple(kept))


def read_vocabulary(file: Path) -> Vocabulary:
    """A vocabulary that `save` wrote.

    Raises:
        InputError: a file that is missing or holds something else.
    """
    try:
        return Vocabulary(tuple(str(word) for word in parse_json(text_of(file), f"'{file.name}'")["words"]))
    except (ValueError, KeyError, TypeError) as error:
        raise InputError(f"The vocabulary '{file}' cannot be read ({error}); train the captioning model again.") from error
