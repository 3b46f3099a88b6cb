"""Why an encoder for English cannot read a text: no words, another language, or letters that make no word."""

import re
import unicodedata
from collections import Counter
from functools import lru_cache

from likeness.encoders import EncoderLike, unknown_words
from likeness.io import plain_name
from likeness.presence.competing import FORM_WORDS
from likeness.words import noun_tree, word_lists

_WORD = re.compile(r"[^\W\d_]+")
_RARE, _FEWEST, _ODD = 4, 3, 0.25  # words with the same three letters; how many, and which share, of a word's triples fewer have
_MANY_LANGUAGES = re.compile(r"multilingual|xlm|m-?clip|i18n|nllb|siglip2")
# Words that no English text has; of the weak ones, as in "Le Conte Sparrow", it takes two, or other words that are not English.
_STRONG = (
    "der und ein eine einen einem einer auf ist vor über unter unten neben zwei nicht une avec dans "  # codespell:ignore
    "aux devant deux sous los las una del para gli "
    "della nel nella sul sulla che uma com dois het een naar twee och ett på av przed bir"
)
_WEAK = (
    "das den dem im am bei vom zur mit le la les un du des et en au est sur el y con sobre por lo il di e um o os do da de op met i med w z na "
    "pod jest su ile"
)
_FOREIGN, _FOREIGN_OR_NAME = frozenset(_STRONG.split()), frozenset(_WEAK.split())
_ENGLISH = frozenset(["the", "of", "with", "and", "at", "from", "to", "is", "are", "by", "for"])


def unread(text: str, encoder: EncoderLike | None) -> str:
    """A sentence why an encoder for English does not read a text; "" if it may. Names, species, brands and slips of the pen are not objected to: a
    word is odd if a quarter of its triples of letters, and three at least, are in fewer than four English words.

    Example:
        >>> unread("flurbgwizz", "photos"), unread("a black-footed albatross", "photos")
        ("'flurbgwizz' is no word that this encoder knows.", '')
    """
    words = [word.lower() for word in _WORD.findall(text)]
    if not words:
        return f"There is no word in '{plain_name(text.strip())}' to search for."
    english = isinstance(encoder, str) and not _MANY_LANGUAGES.search(encoder.lower())
    if english and _is_foreign(words):
        return "This encoder reads English; this looks like another language."
    outside = [] if encoder is None else [word.lower() for word in unknown_words(encoder, text) if _WORD.search(word)]
    odd = [word for word in outside if word not in FORM_WORDS] or [word for word in words if english and _is_odd(word)]
    return f"'{plain_name(odd[0])}' is no word that this encoder knows." if odd else ""


def _is_foreign(words: list[str]) -> bool:
    latin = ["LATIN" in unicodedata.name(letter, "LATIN") for letter in "".join(words)]
    strong, weak = (sum(word in each for word in words) for each in (_FOREIGN, _FOREIGN_OR_NAME))
    others = [word for word in words if word not in _FOREIGN_OR_NAME]
    strange = strong > 0 or weak > 1 or (weak > 0 and len(others) > 1 and _english()[0].isdisjoint(others))
    return 2 * sum(latin) < len(latin) or (strange and _ENGLISH.isdisjoint(words))


def _is_odd(word: str) -> bool:
    rare = [_english()[1][each] < _RARE for each in _triples(word)]
    return len(word) > _FEWEST and word not in _english()[0] and sum(rare) >= max(_FEWEST, _ODD * len(rare))


def _triples(word: str) -> list[str]:
    return [f"^{word}$"[place : place + 3] for place in range(len(word))]


@lru_cache(maxsize=1)
def _english() -> tuple[frozenset[str], Counter[str]]:
    """Words of WordNet's nouns and the shipped lists, and how many of them have each triple of letters."""
    lines = ["\n".join(noun_tree().meanings), *("\n".join(each.words).lower() for each in word_lists())]
    words = frozenset(word for line in lines for word in _WORD.findall(line))
    return words, Counter(triple for word in words for triple in set(_triples(word)))
