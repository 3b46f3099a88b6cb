"""The nouns of WordNet that ship, as a tree that can be walked, and those that a picture can show."""

from functools import cached_property, lru_cache
from typing import NamedTuple

from likeness.sentences.hyponyms import tree_lines

# What stands below these is seen in pictures; of people and plants only the kinds near the top, since most of the others can't be told by looks.
_SEEN = {
    "animal#1": 99,
    "artifact#1": 6,
    "atmospheric_phenomenon#1": 4,
    "body_of_water#1": 3,
    "food#1": 5,
    "food#2": 4,
    "fungus#1": 3,
    "geological_formation#1": 4,
    "land#4": 2,
    "natural_object#1": 4,
    "person#1": 2,
    "plant#2": 5,
}
_SHORT = 6  # letters; words that short are common whatever sense is meant


class NounWord(NamedTuple):
    """A word for a meaning: "bear" for the synset of that number in the `NounTree`."""

    word: str
    synset: int


class NounTree:
    """Synsets numbered in the order of the file, so that what stands below one follows it.

    Attributes:
        keys: of each synset the lower-case keys of its words, such as ("bear#1",).
        words: of each synset its first word as it is written, "Welsh corgi".
        parents: of each synset what it is a kind of; -1 for the root. Where WordNet has several, these are in `others`.
        others: further parents, by synset.
    """

    def __init__(self, lines: list[str]) -> None:
        self.keys: list[tuple[str, ...]] = []
        self.words: list[str] = []
        self.parents: list[int] = []
        self.others: dict[int, list[int]] = {}
        way: list[int] = []
        named: list[tuple[str, int]] = []
        for line in lines:
            way = way[: ord(line[0]) - ord("a")]
            above = way[-1] if way else -1
            if line[1] == "=":
                named.append((line[2:].lower(), above))
                continue
            way.append(len(self.keys))
            self.words.append(line[2:].partition("#")[0].replace("_", " "))
            self.keys.append(tuple(line[2:].lower().split("|")))
            self.parents.append(above)
        for key, above in named:
            self.others.setdefault(self._numbers[key], []).append(above)

    @cached_property
    def _numbers(self) -> dict[str, int]:
        return {key: synset for synset, keys in enumerate(self.keys) for key in keys}

    @cached_property
    def _senses(self) -> dict[str, list[int]]:
        """Synsets of each word, the most frequent meaning first."""
        found: dict[str, list[tuple[int, int]]] = {}
        for key, synset in self._numbers.items():
            word, _, sense = key.partition("#")
            found.setdefault(word.replace("_", " "), []).append((int(sense), synset))
        return {word: [synset for _, synset in sorted(senses)] for word, senses in found.items()}

    def senses(self, noun: str) -> list[int]:
        """Synsets of a noun, the most frequent meaning first; none of an unknown one.

        Example:
            >>> tree = noun_tree()
            >>> tree.words[tree.parents[tree.senses("poodle")[0]]]
            'dog'
        """
        return self._senses.get(noun.strip().lower().replace("_", " "), [])

    def number(self, key: str) -> int:
        """The synset of a key such as "dog#1"."""
        return self._numbers[key]

    def above(self, synset: int) -> dict[int, int]:
        """All that a synset is a kind of, by any way, with the fewest steps to it; itself with 0."""
        found, near = {synset: 0}, [synset]
        while near:
            following = []
            for each in near:
                for parent in (self.parents[each], *self.others.get(each, ())):
                    if parent >= 0 and parent not in found:
                        found[parent] = found[each] + 1
                        following.append(parent)
            near = following
        return found

    def seen_words(self) -> list[NounWord]:
        """Words that pictures can show, each once, with the meaning that is meant.

        Of each synset below the kinds in `_SEEN` the first word, where it is at most two words in lower case, and this meaning is its most frequent
        one or it is short.
        """
        roots = {self.number(key): depth for key, depth in _SEEN.items()}
        left = [-1] * len(self.keys)  # steps that may still follow below
        found: dict[str, int] = {}
        for synset, parent in enumerate(self.parents):
            left[synset] = roots[synset] if synset in roots else max(left[parent], 0) - 1 if parent >= 0 else -1
            if left[synset] < 0:
                continue
            word, first = self.words[synset], self.keys[synset][0].endswith("#1")
            plain = word.islower() and word.replace(" ", "").isalpha() and word.count(" ") < 2
            common = first or (" " not in word and len(word) <= _SHORT and word not in found)
            if plain and common:
                found[word] = synset
        return [NounWord(word, synset) for word, synset in found.items()]


@lru_cache(maxsize=1)
def noun_tree() -> NounTree:
    """The tree of all nouns that ship (`assets/wordnet`), read when it is first asked for."""
    return NounTree(tree_lines())
