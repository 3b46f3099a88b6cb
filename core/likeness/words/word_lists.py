"""Shipped lists of values of properties (`assets/lists`): colors, weather, rooms, activities."""

from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from likeness.io import assets_dir, column_texts
from likeness.words.nouns import is_kind_of, plural

_MANY = ("names", "of", "table")


@dataclass(frozen=True)
class WordList:
    """What a property can be, "camera heights"; assets/lists/README.md says what its file holds.

    It has names, such as "camera height", the things that it is `of`, or kinds of them, none for all, the thing that has it where nothing else is
    said, templates with "{}" and "<thing>" and, `alone`, those without a thing, and the words, in which "<thing>" and "<things>" may stand.
    """

    title: str
    names: tuple[str, ...]
    of: tuple[str, ...]
    thing: str
    templates: tuple[str, ...]
    alone: tuple[str, ...]
    words: tuple[str, ...]

    def fits(self, thing: str) -> bool:
        """True if the list applies to a thing, "" for none."""
        return not self.of or any(thing and is_kind_of(thing, each) for each in self.of)

    def templates_for(self, thing: str) -> tuple[str, ...]:
        """The templates with the thing filled in, or those without a thing if it is ""."""
        return tuple(_put(each, thing) for each in self.templates) if thing else self.alone

    def aspects_for(self, thing: str) -> tuple[str, ...]:
        """The aspects with the thing filled in."""
        return tuple(_put(each, thing or "thing") for each in self.words)


@lru_cache(maxsize=1)
def word_lists() -> tuple[WordList, ...]:
    """All lists that ship, in alphabetical order."""
    return tuple(_read(path) for path in sorted((assets_dir() / "lists").glob("*.txt")))


def _put(text: str, thing: str) -> str:
    return text.replace("<things>", plural(thing)).replace("<thing>", thing)


def _read(path: Path) -> WordList:
    found: dict[str, list[str]] = {key: [] for key in (*_MANY, "thing", "template", "alone", "like")}
    words = []
    for line in filter(None, map(str.strip, path.read_text(encoding="utf-8").splitlines())):
        if not line.startswith("#"):
            words.append(line)
            continue
        key, _, value = line.removeprefix("#").strip().partition(": ")
        found[key] += [each.strip() for each in value.split(",")] if key in _MANY else [value]
    for title in found["like"]:
        words += _read(path.with_name(f"{title}.txt")).words
    if found["table"]:
        words += column_texts(found["table"][0], found["table"][1:])
    names, of, templates, alone = (tuple(found[key]) for key in ("names", "of", "template", "alone"))
    return WordList(path.stem, names, of, "".join(found["thing"]), templates, alone, tuple(words))
