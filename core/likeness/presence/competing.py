"""The same text with other words: what a text must beat to be shown by an image."""

import re
from functools import lru_cache

import numpy as np

from likeness.encoders import EncoderLike, unknown_words
from likeness.words import noun_tree, singular, word_lists

_MOST_PARTS, _KINDRED, _RANDOM = 4, 48, 64  # words or phrases that are replaced, by how many kindred and random ones at most, together
_LONGEST, _FEWEST = 4, 6  # words of a phrase; kindred words, below which those of the next wider kind join
_WORD = re.compile(r"[^\W_]+(?:['-][^\W_]+)*")
# What says how words belong together, or that there is a picture.
_FORM = (
    "a an the this that these those some any no not without and or of in on at by to from with for under over near next beside behind above below "
    "into through between is are was were be being there it its his her their my your our who which what where one i we he she they you as seen very "
    "photo photograph picture image snapshot rendering drawing close up type kind sort front background"
)
FORM_WORDS = frozenset(_FORM.split())


def competing_texts(text: str, encoder: EncoderLike | None, seed: int = 0) -> dict[str, int]:
    """The text with one of its content words (`content_parts`) replaced: by up to 48 words of the same kind and 64 random ones, known to the encoder.
    With each its number among these words.

    Of the same kind are the others of a shipped list (`likeness.words.word_lists`), or what stands beside a noun in WordNet.
    """
    random, known = np.random.default_rng(seed), known_words(encoder if isinstance(encoder, str) else None)
    some, parts, texts = frozenset(known), content_parts(text), dict[str, int]()
    for number, (start, end, phrase) in enumerate(parts):
        kin = [word for word in _kindred(phrase) if word in some]
        draws = [kin[place] for place in random.permutation(len(kin))[: _KINDRED // len(parts)]]
        draws += [known[place] for place in random.permutation(len(known))[: _RANDOM // len(parts)]]
        texts |= dict.fromkeys((f"{text[:start]}{word}{text[end:]}" for word in draws), number)
    return {each: number for each, number in texts.items() if each != text}


@lru_cache(maxsize=8)
def known_words(encoder: str | None) -> tuple[str, ...]:
    """Words and phrases of the lists, and nouns that pictures can show, without those that an encoder does not know; None: all."""
    found = list(dict.fromkeys([*_lists(), *noun_tree().seen_words()]))
    outside = set() if encoder is None else set(unknown_words(encoder, "\n".join(found)))
    return tuple(word for word in found if outside.isdisjoint(_WORD.findall(word)))


@lru_cache(maxsize=1)
def _lists() -> dict[str, dict[str, None]]:
    """Of each word of the lists those of its lists."""
    found: dict[str, dict[str, None]] = {}
    for words in ([word.lower() for word in each.aspects_for("thing")] for each in word_lists()):
        for word in words:
            found.setdefault(word, {}).update(dict.fromkeys(words))
    return found


def content_parts(text: str) -> list[tuple[int, int, str]]:
    """Where the first four content words and known phrases of a text begin and end, and what they are; the longest phrases count."""
    words, found, at = list(_WORD.finditer(text)), list[tuple[int, int, str]](), 0
    while at < len(words) and len(found) < _MOST_PARTS:
        for last in range(min(at + _LONGEST, len(words)), at, -1):
            start, end = words[at].start(), words[last - 1].end()
            phrase = text[start:end].lower()
            if last == at + 1 or phrase in _lists() or noun_tree().senses(phrase):
                break
        if last > at + 1 or phrase not in FORM_WORDS:
            found.append((start, end, phrase))
        at = last
    return found


def _kindred(phrase: str) -> list[str]:
    """Words of the same kind; none of an unknown word."""
    tree, noun, found = noun_tree(), singular(phrase), list[str]()
    listed = _lists().get(phrase) or _lists().get(noun)
    for synset in [] if listed else [seen[noun]] if noun in (seen := tree.seen_words()) else tree.senses(noun)[:1]:
        above, own = synset, tree.above(synset)  # what it is a kind of is shown with it
        while len(found) < _FEWEST and (above := tree.parents[above]) >= 0:
            found += [tree.words[kind] for kind in tree.kinds[above] if kind not in own]
    # "dark red" is red, too
    return [word for word in dict.fromkeys(listed or found) if word not in phrase and phrase not in word and noun not in word]
