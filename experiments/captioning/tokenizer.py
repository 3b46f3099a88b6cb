"""Sentences as words, as the COCO caption evaluation counts them: lower case, contractions apart, no punctuation."""

import re

_CLITIC = r"'(?:s|re|ve|ll|d|m)\b"
_NEGATED, _JOINED = re.compile(r"(?<=\w)n't\b"), re.compile(rf"(?<=\w)({_CLITIC})")
# Numbers keep their points ("3.5"), compounds their hyphens ("two-door"), "o'clock" its apostrophe.
_WORD = re.compile(rf"n't\b|{_CLITIC}|\d+(?:[.,]\d+)+|\w+(?:[-']\w+)*")


def tokenize(text: str) -> list[str]:
    """Words of a sentence: "A man's two-door car isn't red." gives a, man, 's, two-door, car, is, n't, red.

    After the Penn Treebank rules that the COCO caption evaluation (Chen et al., 2015) takes from the Stanford tokenizer, whose punctuation it drops.
    Left out are the rules for rare forms (abbreviations such as "u.s.", "gonna", currency signs), so that a few sentences differ by a word.
    """
    spread = _JOINED.sub(r" \1", _NEGATED.sub(" n't", text.lower().replace("’", "'")))
    return _WORD.findall(spread)
