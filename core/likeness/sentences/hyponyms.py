"""Kinds of things, from the nouns of WordNet that ship (`assets/wordnet`), read when they are first asked for."""

import gzip
import re
from collections.abc import Iterator
from functools import lru_cache
from itertools import islice
from typing import NamedTuple

from likeness.io import assets_dir

# Endings of plurals and what stands for them, as the manual page morphy(7WN) lists them.
_ENDINGS = (("ses", "s"), ("xes", "x"), ("zes", "z"), ("ches", "ch"), ("shes", "sh"), ("men", "man"), ("ies", "y"), ("s", ""))
_OWN_PLURALS = {"people": "person"}
_UNCHANGED = frozenset(["species", "series", "clothes"])
_MOST = 5000  # of nouns such as "thing", under which nearly all stand, the first lines count


class Hyponym(NamedTuple):
    """A kind of something.

    Attributes:
        word: the first of its words, "Welsh corgi".
        depth: 1 for what stands directly below, and so on.
        has_kinds: whether there are kinds of it.
    """

    word: str
    depth: int
    has_kinds: bool


def noun_senses(noun: str) -> list[str]:
    """The meanings of a noun, the most frequent first, as keys for `hyponyms`: "dog" -> ["dog#1", "dog#2", ...]; none of an unknown noun.

    Example:
        >>> noun_senses("Dog")[0], noun_senses("qwrtz")
        ('dog#1', [])
    """
    lemma, (_, text) = noun.strip().lower().replace(" ", "_"), _nouns()
    numbers = {int(found[1]) for found in re.finditer(rf"\|{re.escape(lemma)}#(\d+)(?=[|\n])", text)}
    return [f"{lemma}#{number}" for number in sorted(numbers)]


def hypernyms(sense: str) -> list[str]:
    """What a meaning is a kind of, a word a step, the nearest first; of several ways to the root, one.

    Example:
        >>> hypernyms("crane#5")[:3], hypernyms("crane#4")[-1]
        (['wading bird', 'aquatic bird', 'bird'], 'entity')
    """
    text, place = _tree(), _place(_nouns()[1], sense.lower())
    found, begin = [], text.rfind("\n", 0, place) + 1
    while place >= 0 and text[begin] > "a":
        begin = text.rfind(f"\n{chr(ord(text[begin]) - 1)}|", 0, begin) + 1
        found.append(_word(text[begin + 2 : text.find("\n", begin)]))
    return found


def hyponyms(sense: str) -> list[Hyponym]:
    """All kinds of a meaning, those that are nearest first; the same word stands once.

    Example:
        >>> [kind.word for kind in hyponyms("season#2")][2:4]
        ['fall', 'spring']
    """
    found = dict[str, Hyponym]()
    for kind in sorted(islice(_below(sense, 1), _MOST), key=lambda kind: kind.depth):
        found.setdefault(kind.word.lower(), kind)
    return list(found.values())


def is_kind_of(noun: str, other: str) -> bool:
    """Whether the noun's most frequent meaning is a kind of that of the other, or the same.

    Example:
        >>> is_kind_of("dog", "mammal"), is_kind_of("car", "mammal")
        (True, False)
    """
    senses, others = noun_senses(noun), noun_senses(other)
    return bool(senses and others) and (senses[0] == others[0] or senses[0] in _keys_below(others[0]))


@lru_cache(maxsize=256)
def singular(word: str) -> str:
    """A noun's singular: "mice" -> "mouse"; a word that is none stays as it is.

    Example:
        >>> singular("wolves"), singular("people"), singular("grass")
        ('wolf', 'person', 'grass')
    """
    if word in _OWN_PLURALS:
        return _OWN_PLURALS[word]
    plurals, text = _nouns()
    if word in plurals:
        return plurals[word]
    if word in _UNCHANGED or word.endswith("ss") or not word.endswith(("s", "men")):
        return word
    candidates = [word.removesuffix(ending) + new for ending, new in _ENDINGS if word.endswith(ending)]
    return next((each for each in candidates if len(each) > 2 and _place(text, f"{each}#1") >= 0), word)


def plural(word: str) -> str:
    """The regular plural, or one that `singular` knows: "person" -> "people"."""
    irregular = {one: many for many, one in _OWN_PLURALS.items()}
    if word in irregular:
        return irregular[word]
    if word.endswith(("s", "x", "z", "ch", "sh")):
        return f"{word}es"
    return f"{word[:-1]}ies" if word.endswith("y") and word[-2:-1] not in "aeiou" else f"{word}s"


def tree_lines() -> list[str]:
    """The lines of the tree: depth as a letter, then "|" and the keys of a synset, or "=" and the key of one that stands elsewhere."""
    return _tree().strip("\n").splitlines()


def _below(sense: str, depth: int) -> Iterator[Hyponym]:
    """The lines below a synset, and what the lines that name another one stand for."""
    lines = _lines_below(sense)
    for line, following in zip(lines, [*lines[1:], ""], strict=False):
        own = depth + ord(line[0]) - ord(lines[0][0])
        if line[1] == "=":
            yield from _named(line[2:], own)
        else:
            yield Hyponym(_word(line[2:]), own, following[:1] > line[0])


def _named(key: str, depth: int) -> Iterator[Hyponym]:
    yield Hyponym(_word(key), depth, bool(_lines_below(key)))
    yield from _below(key, depth + 1)


def _word(keys: str) -> str:
    return keys.partition("#")[0].replace("_", " ")


def _lines_below(sense: str) -> list[str]:
    text = _tree()
    place = _place(_nouns()[1], sense.lower())
    if place < 0:
        return []
    begin = text.rfind("\n", 0, place) + 1
    depth, found = text[begin], []
    end = text.find("\n", place)
    while (start := end + 1) < len(text) and text[start] > depth:
        end = text.find("\n", start)
        found.append(text[start:end])
    return found


@lru_cache(maxsize=16)
def _keys_below(sense: str) -> frozenset[str]:
    keys = set[str]()
    for line in _lines_below(sense):
        keys |= _keys_below(line[2:].lower()) if line[1] == "=" else set()
        keys |= {key.lower() for key in line[2:].split("|")}
    return frozenset(keys)


def _place(text: str, key: str) -> int:
    """Where a key stands in the lower-case tree; -1 where it does not."""
    place = text.find(f"|{key}|")
    return place if place >= 0 else text.find(f"|{key}\n")


@lru_cache(maxsize=1)
def _tree() -> str:
    return "\n" + _content().partition("\n\n")[2]


@lru_cache(maxsize=1)
def _nouns() -> tuple[dict[str, str], str]:
    """Singular of irregular plurals, and the tree in lower case."""
    plurals = dict(line.split(" ") for line in _content().partition("\n\n")[0].splitlines())
    return plurals, _tree().lower()


@lru_cache(maxsize=1)
def _content() -> str:
    return gzip.decompress((assets_dir() / "wordnet/nouns.txt.gz").read_bytes()).decode()
