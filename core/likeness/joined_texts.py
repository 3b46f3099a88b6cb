"""Texts of any language model in the space of an encoder: a ridge regression on the same English texts in both."""

from collections.abc import Sequence
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from likeness.arrays import unit_rows
from likeness.encoders import EncoderLike, TextEncoder, embed_texts, reads_text, unknown_words
from likeness.errors import InputError
from likeness.language import embed_names, language_model
from likeness.presence import known_words
from likeness.space import Vectors
from likeness.words import word_lists

if TYPE_CHECKING:
    from sklearn.linear_model import Ridge

_RIDGE = 0.1  # on centered unit rows
_THINGS = ("car", "dog", "person", "house")  # in the sentences


class JoinedTexts:
    """Embeds texts (m,) as unit rows (m, d) of an encoder's space by another text model, so that queries may be in its languages.

    A ridge regression takes the model's unit rows of English words and sentences (`english_texts`) to the encoder's. `model` is one that
    `likeness.language.language_model` takes ("transformers:FOLDER-OR-HUB-ID"). Raises InputError: the encoder reads no text, or no such model.
    """

    vocabulary_of = None  # texts may be in words that the encoder does not know

    def __init__(self, encoder: EncoderLike, model: TextEncoder | str, pairs: int = 4_000) -> None:
        if not reads_text(encoder):
            raise InputError(f"The encoder {encoder!r} reads no text, so no other text model can be joined to it; choose one that does.")
        language_model(model)  # refuses what is none
        self.encoder, self.model, self.pairs = encoder, model, pairs

    def __call__(self, texts: Sequence[str]) -> Vectors:
        return unit_rows(np.asarray(self.ridge.predict(self.rows(texts)), np.float32), "The vectors", zeros=True)

    @cached_property
    def ridge(self) -> "Ridge":
        from sklearn.linear_model import Ridge

        texts = english_texts(self.encoder, self.pairs)
        return Ridge(alpha=_RIDGE).fit(self.rows(texts), embed_texts(self.encoder, texts).vectors)

    def rows(self, texts: Sequence[str]) -> Vectors:
        """Unit rows (m, e) of the model."""
        return unit_rows(embed_names(list(texts), self.model), "The vectors", zeros=True)


def english_texts(encoder: EncoderLike, count: int, seed: int = 0) -> list[str]:
    """Texts that the encoder knows, drawn by the seed: a third words, a third two words, a third sentences of the shipped lists."""
    random, words = np.random.default_rng(seed), known_words(encoder if isinstance(encoder, str) else None)
    first, second, third = (random.choice(words, -(-count // 3)) for _ in range(3))
    texts = [f"a photo of a {word}" for word in first] + [f"a {one} {other}" for one, other in zip(second, third, strict=True)]
    pairs = [(each, thing) for each in word_lists() for thing in dict.fromkeys((*_THINGS, each.thing or _THINGS[0]))]
    sentences = [words.replace("{}", word) for each, thing in pairs for words in each.templates_for(thing) for word in each.aspects_for(thing)]
    unknown = set(unknown_words(encoder, "\n".join(sentences)))
    known = [each for each in sentences if unknown.isdisjoint(each.split())] or texts
    return texts + [str(each) for each in random.choice(known, -(-count // 3))]
