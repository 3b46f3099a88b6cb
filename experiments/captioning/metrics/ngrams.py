"""N-grams of sentences, and input checks of all caption metrics."""

from collections import Counter
from collections.abc import Hashable, Sequence

from likeness.errors import InputError

# A sentence in words, or in their numbers in a vocabulary.
Words = Sequence[Hashable]
Ngram = tuple[Hashable, ...]


def ngrams(words: Words, n: int) -> Counter[Ngram]:
    """How often each n-gram occurs; none where the sentence has fewer than n words."""
    return Counter(zip(*(words[start:] for start in range(n)), strict=False))


def check_captions(candidates: Sequence[Words], references: Sequence[Sequence[Words]]) -> None:
    """Every metric's conditions: a candidate, which may be empty, per image, and references that have words.

    Raises:
        InputError: no images, numbers that differ, an image without references, or a reference without words.
    """
    if len(candidates) != len(references):
        raise InputError(f"There are {len(candidates)} captions and references of {len(references)} images; pass one caption per image.")
    if not candidates:
        raise InputError("There are no captions to score; pass at least one, with its references.")
    check_references(references)


def check_references(references: Sequence[Sequence[Words]]) -> None:
    """Raises InputError for an image without references, or a reference without words."""
    for image, own in enumerate(references):
        if not own:
            raise InputError(f"Image {image} has no reference caption; add one or exclude the image.")
        if not all(own):
            raise InputError(f"A reference caption of image {image} has no words; remove it.")
