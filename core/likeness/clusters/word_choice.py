"""Vocabularies for cluster names, as a tree or flat."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property, partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from likeness.encoders import EncoderLike, unknown_words
from likeness.errors import InputError
from likeness.notions import Notion
from likeness.sentences import word_list_notions
from likeness.space import Space
from likeness.words import noun_tree

_TEMPLATES = ("a photo of a {}", "a {}", "{}")
_FEW = 1000  # nouns; an encoder that knows fewer of them was trained on other words


@dataclass(frozen=True)
class WordChoice:
    """Words (v,), each once, with the prompts (v,) that stand for them, and what they are kinds of.

    Attributes:
        synsets: (v,) the meaning of each in `likeness.sentences.noun_tree`; -1 for words that stand by themselves.
    """

    words: tuple[str, ...]
    prompts: tuple[str, ...]
    synsets: tuple[int, ...] = field(default=())

    def __post_init__(self) -> None:
        if len(self.words) < 2:
            raise InputError(f"{'One word is' if self.words else 'No words are'} too few to tell clusters from each other; pass at least two.")
        if not self.synsets:
            object.__setattr__(self, "synsets", (-1,) * len(self.words))

    def __len__(self) -> int:
        return len(self.words)

    @cached_property
    def _tree(self) -> tuple[list[str], NDArray[np.int64], Any]:
        from scipy.sparse import csr_array

        tree = noun_tree()
        numbers: dict[int, int] = {}
        names, parents, rows, columns = list[str](), list[int](), list[int](), list[int]()

        def node(synset: int) -> int:
            if synset not in numbers:
                above = node(tree.parents[synset]) if tree.parents[synset] >= 0 else -1
                numbers[synset] = len(names)
                names.append(tree.words[synset])
                parents.append(above)
            return numbers[synset]

        for word, (text, synset) in enumerate(zip(self.words, self.synsets, strict=True)):
            place = len(names) if synset < 0 else node(synset)
            if synset < 0:
                names.append(text)
                parents.append(-1)
            while place >= 0:
                rows.append(place)
                columns.append(word)
                place = parents[place]
        covers = csr_array((np.ones(len(rows), np.float32), (rows, columns)), shape=(len(names), len(self.words)))
        return names, np.array(parents, np.int64), covers

    @property
    def names(self) -> list[str]:
        """What a cluster can be called (m,): the words, and what they are kinds of."""
        return self._tree[0]

    @property
    def parents(self) -> NDArray[np.int64]:
        """Of each name (m,) the one that it is a kind of; -1 for none."""
        return self._tree[1]

    @property
    def covers(self) -> Any:
        """Sparse (m, v): 1 where a word is what the name says, or a kind of it."""
        return self._tree[2]

    def kinds(self, name: int) -> NDArray[np.int64]:
        """Names that stand directly below one."""
        return self._kinds.get(name, np.zeros(0, np.int64))

    @cached_property
    def _kinds(self) -> dict[int, NDArray[np.int64]]:
        order = np.argsort(self.parents, kind="stable")
        above = self.parents[order]
        begins = np.flatnonzero(np.diff(above, prepend=-2))
        return {int(above[begin]): part for begin, part in zip(begins, np.split(order, begins[1:]), strict=True) if above[begin] >= 0}


def noun_choice(space: Space) -> WordChoice:
    """WordNet's nouns for what pictures show (`NounTree.seen_words`) that the encoder knows.

    An encoder that knows few of them, such as `cars`, was trained on other words: those of the lists (`likeness.words.word_lists`) that it knows
    and that occur in the images take their place.

    Raises:
        InputError: the encoder knows fewer than two of all these words.
    """
    base = space.base or space
    return photo_nouns(base.encoder) or notion_choice(*word_list_notions(base))


def photo_nouns(encoder: EncoderLike | None) -> WordChoice | None:
    """Those of `noun_choice` that an encoder knows, None: all of them; None where it knows few."""
    nouns = noun_tree().seen_words()
    outside: Callable[[str], list[str]] = partial(unknown_words, encoder) if encoder is not None else lambda text: []
    unknown = set(outside("\n".join(nouns)))
    chosen = {word: synset for word, synset in nouns.items() if unknown.isdisjoint(word.split())}
    if len(chosen) < _FEW:
        return None
    template = next((each for each in _TEMPLATES if not outside(each.replace("{}", " "))), "{}")
    return WordChoice(tuple(chosen), tuple(template.format(word) for word in chosen), tuple(chosen.values()))


def own_choice(words: Sequence[str]) -> WordChoice:
    """A person's own words, each read as "a photo of a ...".

    Raises:
        InputError: fewer than two different words.
    """
    kept = tuple(dict.fromkeys(" ".join(word.split()) for word in words if word.strip()))
    return WordChoice(kept, tuple(_TEMPLATES[0].format(word) for word in kept))


def notion_choice(*notions: Notion) -> WordChoice:
    """The aspects of notions, each in its notion's first template."""
    prompts = {aspect: notion.templates[0].replace("{}", aspect) for notion in notions for aspect in notion.aspects}
    return WordChoice(tuple(prompts), tuple(prompts.values()))


def word_choice(space: Space, vocabulary: WordChoice | Notion | Sequence[str] | None) -> WordChoice:
    """What `name_clusters` takes as vocabulary, as words with prompts."""
    if isinstance(vocabulary, WordChoice):
        return vocabulary
    if isinstance(vocabulary, Notion):
        return notion_choice(vocabulary)
    return noun_choice(space) if vocabulary is None else own_choice(vocabulary)
