"""Warnings of the notion editor. Prompts should vary in one thing only; a second one blurs the notion."""

import re
from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median

_STOPWORDS = frozenset(["a", "an", "the", "of", "in", "on", "at", "by", "with", "from", "to", "and", "or", "for", "is", "its", "as", "out"])
_ARTICLES = ("a", "an", "the")
# Shares of the aspects that must contain a word of a known attribute for the notion to be about that attribute, and, if it is about
# none, for the attribute to be mixed in ("Blue Jay" among a hundred bird species is not).
_ABOUT = 0.5
_MIXED_IN = 0.5
# longer lists, such as car models or countries, contain words with other meanings
_LONGEST_VOCABULARY = 30


@dataclass(frozen=True)
class NotionWarning:
    """A warning: its kind ("empty", "duplicate", "variant", "whole prompt", "mixed" or "length"), a sentence with the remedy, and the numbers of the
    aspects concerned, from 0.
    """

    kind: str
    message: str
    rows: tuple[int, ...]


def check(templates: Sequence[str], aspects: Sequence[str], vocabularies: Mapping[str, Collection[str]] | None = None) -> list[NotionWarning]:
    """Warnings about a notion as typed, valid or not, including blank rows.

    `vocabularies` maps attributes to their words in lower case; by default those of the shipped notions.
    """
    known = default_vocabularies() if vocabularies is None else vocabularies
    words = [_words(aspect) for aspect in aspects]
    rows = [_empty(aspects), *_duplicates(aspects), *_variants(aspects)]
    meaning = [_whole_prompts(templates, words), _mixed(words, known), _lengths(aspects, words)]
    return [warning for warning in rows + meaning if warning]


def default_vocabularies(folder: Path | None = None) -> dict[str, frozenset[str]]:
    """The words of all shipped notions, and those in `folder`, that have a label column and a short list of aspects."""
    from likeness.notions.library import list_notions

    short = (notion for notion in list_notions(folder) if notion.attribute and len(notion.aspects) <= _LONGEST_VOCABULARY)
    return {notion.name: frozenset(word for aspect in notion.aspects for word in _words(aspect)) for notion in short}


def _empty(aspects: Sequence[str]) -> NotionWarning | None:
    rows = tuple(row for row, aspect in enumerate(aspects) if not aspect.strip())
    if not rows:
        return None
    return NotionWarning("empty", f"{_count(rows, 'row')} {'is' if len(rows) == 1 else 'are'} empty and ignored.", rows)


def _duplicates(aspects: Sequence[str]) -> list[NotionWarning]:
    return [
        NotionWarning("duplicate", f"'{text}' is listed {len(rows)} times, so it weighs {len(rows)} times as much; keep one if unintended.", rows)
        for text, rows in _rows(aspects).items()
        if len(rows) > 1
    ]


def _variants(aspects: Sequence[str]) -> list[NotionWarning]:
    rows, groups = _rows(aspects), defaultdict[str, list[str]](list)
    for text in rows:
        groups[" ".join(text.lower().split())].append(text)
    return [
        NotionWarning(
            "variant",
            f"{_listed(group)} differ only in case or spaces; keep one.",
            tuple(row for text in group for row in rows[text]),
        )
        for group in groups.values()
        if len(group) > 1
    ]


def _whole_prompts(templates: Sequence[str], words: Sequence[tuple[str, ...]]) -> NotionWarning | None:
    repeated = frozenset(word for template in templates for word in _words(template)) - _STOPWORDS
    article = any(re.search(r"\b(a|an|the)\s+\{\}", template.lower()) for template in templates)
    rows = tuple(row for row, found in enumerate(words) if repeated & set(found) or (article and len(found) > 1 and found[0] in _ARTICLES))
    if not rows:
        return None
    return NotionWarning(
        "whole prompt",
        f"{_aspect(words[rows[0]])} repeats words of the template{_others(rows)}; enter only what varies, such as 'red' for 'a red car'.",
        rows,
    )


def _mixed(words: Sequence[tuple[str, ...]], vocabularies: Mapping[str, Collection[str]]) -> NotionWarning | None:
    filled = [row for row, found in enumerate(words) if found]
    known = {name: frozenset(vocabulary) - _STOPWORDS for name, vocabulary in vocabularies.items()}
    hits = {name: [row for row in filled if not vocabulary.isdisjoint(words[row])] for name, vocabulary in known.items()}
    if not filled or not hits:
        return None
    main = max(hits, key=lambda name: len(hits[name]))
    about = len(hits[main]) >= _ABOUT * len(filled)
    native = known[main] if about else frozenset()
    for name, vocabulary in known.items():
        rest = vocabulary - native
        foreign = {row: rest.intersection(words[row]) for row in filled}
        rows = tuple(row for row in filled if foreign[row])
        # a word in every aspect does not vary; an aspect that consists of such a word only is one value among the others
        alone = all(set(words[row]) <= foreign[row] | _STOPWORDS for row in rows)
        if len(set(foreign.values())) < 2 or (not about and (alone or len(rows) < _MIXED_IN * len(filled))):
            continue
        return NotionWarning("mixed", _mixed_message(words, foreign, rows, name), rows)
    return None


def _mixed_message(words: Sequence[tuple[str, ...]], foreign: Mapping[int, frozenset[str]], rows: Sequence[int], name: str) -> str:
    named = _listed(sorted(foreign[rows[0]]))
    return (
        f"{_aspect(words[rows[0]])} also says something about {name} ({named}){_others(rows)}; "
        "prompts that vary in two things blur the notion, so remove it."
    )


def _lengths(aspects: Sequence[str], words: Sequence[tuple[str, ...]]) -> NotionWarning | None:
    lengths = [len(found) for found in words if found]
    if not lengths:
        return None
    usual = median(lengths)
    rows = tuple(row for row, found in enumerate(words) if len(found) > 2 * usual + 2)
    if not rows:
        return None
    return NotionWarning(
        "length",
        f"'{aspects[rows[0]].strip()}' has {len(words[rows[0]])} words where {usual:g} is usual{_others(rows)}; "
        "check that the prompts differ in nothing but the aspect.",
        rows,
    )


def _words(text: str) -> tuple[str, ...]:
    return tuple(re.findall(r"[^\W_]+", text.lower()))


def _rows(aspects: Sequence[str]) -> dict[str, tuple[int, ...]]:
    """Each text, and where it stands; blank ones left out."""
    found = defaultdict[str, tuple[int, ...]](tuple)
    for row, aspect in enumerate(aspects):
        if text := aspect.strip():
            found[text] += (row,)
    return found


def _aspect(words: Sequence[str]) -> str:
    return f"'{' '.join(words)}'"


def _listed(texts: Sequence[str]) -> str:
    quoted = [f"'{text}'" for text in texts]
    return quoted[0] if len(quoted) == 1 else f"{', '.join(quoted[:-1])} and {quoted[-1]}"


def _count(rows: Sequence[int], noun: str) -> str:
    return f"{len(rows)} {noun}{'' if len(rows) == 1 else 's'}"


def _others(rows: Sequence[int]) -> str:
    if len(rows) == 1:
        return ""
    return f" ({_count(rows[1:], 'other aspect')} {'does' if len(rows) == 2 else 'do'} so too)"
