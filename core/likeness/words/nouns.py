"""Shipped nouns of WordNet (`assets/wordnet`) as a tree of kinds of things."""

import gzip
from collections.abc import Iterator
from functools import cached_property, lru_cache
from itertools import islice
from typing import NamedTuple

from likeness.io import assets_dir

# Endings of plurals and what stands for them, as the manual page morphy(7WN) lists them.
_ENDINGS = (("ses", "s"), ("xes", "x"), ("zes", "z"), ("ches", "ch"), ("shes", "sh"), ("men", "man"), ("ies", "y"), ("s", ""))
_OWN_PLURALS = {"people": "person"}
_UNCHANGED = frozenset(["species", "series", "clothes"])
_MOST = 5000  # of nouns such as "thing", under which nearly all stand, the first kinds count
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


class Hyponym(NamedTuple):
    """A kind of something: the first of its words, "Welsh corgi", its depth, 1 for what stands directly below, and whether there are kinds of it."""

    word: str
    depth: int
    has_kinds: bool


class NounTree:
    """Synsets numbered in the order of the file, so that what stands below one follows it.

    A line is its depth as a letter, then "|" and the keys of a synset, or "=" and the key of one that stands elsewhere, too.

    Attributes:
        keys: of each synset the lower-case keys of its words, such as ("bear#1",).
        numbers: of each key the synset.
        words: of each synset its first word as it is written, "Welsh corgi".
        parents: of each synset what it is a kind of; -1 for the root. Where WordNet has several, these are in `others`, by synset.
        kinds: of each synset those that stand directly below it.
    """

    def __init__(self, lines: list[str]) -> None:
        self.keys: list[tuple[str, ...]] = []
        self.numbers: dict[str, int] = {}
        self.words: list[str] = []
        self.parents: list[int] = []
        self.others: dict[int, list[int]] = {}
        self.kinds: list[list[int]] = []
        way: list[int] = []
        named: list[tuple[str, int, int]] = []
        for line in lines:
            way = way[: ord(line[0]) - ord("a")]
            above, synset = way[-1] if way else -1, len(self.keys)
            if line[1] == "=":
                named.append((line[2:].lower(), above, len(self.kinds[above])))
                synset = -1  # which may follow later
            else:
                way.append(synset)
                self.words.append(line[2:].partition("#")[0].replace("_", " "))
                self.keys.append(tuple(line[2:].lower().split("|")))
                self.numbers.update(dict.fromkeys(self.keys[-1], synset))
                self.parents.append(above)
                self.kinds.append([])
            if above >= 0:
                self.kinds[above].append(synset)
        for key, above, place in named:
            self.kinds[above][place] = self.numbers[key]
            self.others.setdefault(self.numbers[key], []).append(above)

    @cached_property
    def meanings(self) -> dict[str, list[tuple[int, int]]]:
        """Of each word its meanings, the most frequent first: their numbers, and their synsets."""
        found: dict[str, list[tuple[int, int]]] = {}
        for key, synset in self.numbers.items():
            word, _, meaning = key.partition("#")
            found.setdefault(word.replace("_", " "), []).append((int(meaning), synset))
        return {word: sorted(meanings) for word, meanings in found.items()}

    def senses(self, noun: str) -> list[int]:
        """Synsets of a noun, the most frequent meaning first; none of an unknown one."""
        return [synset for _, synset in self.meanings.get(noun.strip().lower().replace("_", " "), [])]

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

    def below(self, synset: int, depth: int = 1) -> Iterator[Hyponym]:
        """All kinds of a synset, each before its own kinds; one that is a kind of several stands below each."""
        for kind in self.kinds[synset]:
            yield Hyponym(self.words[kind], depth, bool(self.kinds[kind]))
            yield from self.below(kind, depth + 1)

    @lru_cache(maxsize=1)  # noqa: B019  (there is one tree)
    def seen_words(self) -> dict[str, int]:
        """Words that pictures can show, each once, with the synset: of each one below the kinds in `_SEEN` the first word, where it is at most two
        words in lower case, and this meaning is its most frequent one or it is short.
        """
        roots = {self.numbers[key]: depth for key, depth in _SEEN.items()}
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
        return found


@lru_cache(maxsize=1)
def noun_tree() -> NounTree:
    """The tree of all nouns that ship, read when it is first asked for."""
    return NounTree(_content()[1].strip("\n").splitlines())


def noun_senses(noun: str) -> list[str]:
    """The meanings of a noun, the most frequent first, as keys for `hyponyms`: "dog" -> ["dog#1", "dog#2", ...]; none of an unknown noun."""
    word = noun.strip().lower().replace("_", " ")
    return [f"{word.replace(' ', '_')}#{number}" for number, _ in noun_tree().meanings.get(word, [])]


def hypernyms(sense: str) -> list[str]:
    """What a meaning is a kind of, a word a step, the nearest first; of several ways to the root, one."""
    tree, found = noun_tree(), list[str]()
    synset = tree.numbers.get(sense.lower(), -1)
    while synset >= 0 and (synset := tree.parents[synset]) >= 0:
        found.append(tree.words[synset])
    return found


def hyponyms(sense: str) -> list[Hyponym]:
    """All kinds of a meaning, those that are nearest first; the same word stands once."""
    synset, found = noun_tree().numbers.get(sense.lower()), dict[str, Hyponym]()
    kinds = [] if synset is None else islice(noun_tree().below(synset), _MOST)
    for kind in sorted(kinds, key=lambda kind: kind.depth):
        found.setdefault(kind.word.lower(), kind)
    return list(found.values())


def is_kind_of(noun: str, other: str) -> bool:
    """Whether the noun's most frequent meaning is a kind of that of the other, or the same."""
    senses, others = noun_tree().senses(noun), noun_tree().senses(other)
    return bool(senses and others) and others[0] in noun_tree().above(senses[0])


def singular(word: str) -> str:
    """A noun's singular: "mice" -> "mouse"; a word that is none stays as it is.

    Example:
        >>> singular("wolves"), singular("people"), singular("grass")
        ('wolf', 'person', 'grass')
    """
    if word in _OWN_PLURALS:
        return _OWN_PLURALS[word]
    if word in _content()[0]:
        return _content()[0][word]
    if word in _UNCHANGED or word.endswith("ss") or not word.endswith(("s", "men")):
        return word
    candidates = [word.removesuffix(ending) + new for ending, new in _ENDINGS if word.endswith(ending)]
    return next((each for each in candidates if len(each) > 2 and f"{each}#1" in noun_tree().numbers), word)


def plural(word: str) -> str:
    """The regular plural, or one that `singular` knows: "person" -> "people"."""
    irregular = {one: many for many, one in _OWN_PLURALS.items()}
    if word in irregular:
        return irregular[word]
    if word.endswith(("s", "x", "z", "ch", "sh")):
        return f"{word}es"
    return f"{word[:-1]}ies" if word.endswith("y") and word[-2:-1] not in "aeiou" else f"{word}s"


@lru_cache(maxsize=1)
def _content() -> tuple[dict[str, str], str]:
    """The singular of irregular plurals, and the lines of the tree."""
    plurals, _, tree = gzip.decompress((assets_dir() / "wordnet/nouns.txt.gz").read_bytes()).decode().partition("\n\n")
    return dict(line.split(" ") for line in plurals.splitlines()), tree
