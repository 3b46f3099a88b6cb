"""Parse a sentence into the varying property and the thing that has it."""

import re
from dataclasses import dataclass

from likeness.errors import InputError
from likeness.words import WordList, noun_senses, singular, word_lists

EXAMPLES = "'same color of dog', 'kind of bird' or 'what people are doing'"
_LONGEST = 300  # letters
# Sayings, and the word for the property that they ask for.
_SAYINGS = {
    r"how many|the same number|as many": "number of",
    r"how far( away)?|how close|(as|equally) (far|close)( away)?|far away": "distance of",
    r"how (big|large|small)|as (big|large)": "size of",
    r"how old|as old": "age of",
    r"how (bright|dark)|as (bright|dark)": "brightness of",
    r"(what|at what|which) time|when|(day or|at) night": "time of day",
    r"where": "place of",
    r"made (of|from|out of)": "material",
    r"(made|built|produced) by": "make",
    r"\b(doing|does|do)\b": "action",
    r"\b(wearing|wears|wear)\b": "clothes",
    r"(seen|shown|viewed|photographed) from|\b(faces|facing|looks|looking|points|pointing)\b": "viewpoint",
    r"\b(looks|look) like\b": "",
}
_SIMILAR = re.compile(
    r"^(?P<who>.*?)\b(?:are|is|look|looks|count as|seem) (?:\w+ )?(?:similar|alike|the same|related)\b[ ,]*"
    r"(?:if|when|where|because|in|by)\b(?P<rest>.*)$"
)
_FUNCTION = frozenset(
    """
    a an the of in on at by with from to and or for as is are was were be been being has have had show shows shown share shares take taken takes
    same similar alike equal identical whether if when which what who that this these those their its his her they it them both two all each every
    one image images photo photos picture pictures photograph photographs shot shots pair pairs there i want me my group groups grouped sorted
    find how much can see seen contain contains containing depict depicts depicting look looks like according based about play plays playing
    """.split()  # noqa: SIM905  (easier to read than a list)
)
# Words for "a kind of", and which kinds of WordNet they mean: those that are near, those without kinds of their own, or those with some.
_KINDS = dict.fromkeys(("kind", "type", "sort", "category", "class"), "near")
_KINDS |= dict.fromkeys(("species", "breed", "variety", "race"), "last")
_KINDS |= dict.fromkeys(("family", "genus", "order"), "groups")


_PEOPLE = dict.fromkeys(("someone", "somebody", "everybody", "everyone", "people", "persons"), "person")


@dataclass(frozen=True)
class Reading:
    """What a sentence says: the property that varies, "color"; the thing that has it, in the singular, "dog", or ""; and the list of words that it
    can be, or else the noun whose kinds in WordNet vary: "near" for kinds at most three steps below it, "last" for those without kinds of their own,
    "groups" for those with some.
    """

    varies: str
    thing: str
    list: WordList | None = None
    noun: str = ""
    level: str = "near"


def read_sentence(sentence: str) -> Reading:
    """Finds the property and what has it, by the lists that ship and the nouns of WordNet.

    A list whose name holds the head of the sentence (the word after "same", or before "of") goes before others, one that shares more words before
    one that shares fewer, one made for the thing before one for all things; without a list, the kinds of the noun vary.

    Raises:
        InputError: nothing in it can vary, or it is longer than a sentence.

    Example:
        >>> reading = read_sentence("Two dogs are similar if they have the same color")
        >>> reading.varies, reading.thing, reading.list.title
        ('color', 'dog', 'coat colors')
        >>> read_sentence("same breed of dog").level
        'last'
    """
    if len(sentence) > _LONGEST:
        raise InputError(f"The sentence has {len(sentence)} letters; write a short one, such as {EXAMPLES}.")
    who, rest = _clauses(" ".join(re.findall(r"[^\W_]+(?:-[^\W_]+)*", sentence.replace("'s", "").lower())))
    words, subject = _content(rest), _content(who)
    head = _head(rest, words)
    # "same car" is "same kind of car" where there is a list of these
    reading = _by_list(words, subject, head) or _by_list([*words, "kind"], subject, "kind") or _by_noun(words, subject, head)
    if reading is None:
        raise InputError(f"'{sentence.strip()}' contains no property that can vary; write what should be the same, such as {EXAMPLES}.")
    return reading


def _clauses(text: str) -> tuple[str, str]:
    """Splits a sentence into subject and property."""
    found = _SIMILAR.match(text)
    who, rest = (found["who"], found["rest"]) if found else ("", text)
    for saying, word in _SAYINGS.items():
        rest = re.sub(rf"\b(?:{saying})\b", f" {word} ", rest)
    return who, " ".join(rest.split())


def _content(text: str) -> list[str]:
    words = (word for word in text.split() if word not in _FUNCTION and len(word) > 1)
    return list(dict.fromkeys(_PEOPLE.get(word, singular(word)) for word in words))


def _head(text: str, words: list[str]) -> str:
    """The word for the property: the last of what follows "same", or else of what stands before "of", "in" and the like."""
    after = re.split(r"\b(?:same|similar|equal|identical|by|which|what)\b", text)[-1]
    first = _content(re.split(r"\b(?:of|in|on|at|from|with|for)\b", after)[0]) or _content(after)
    return first[-1] if first else words[-1] if words else ""


def _by_list(words: list[str], subject: list[str], head: str) -> Reading | None:
    # "kind", "type" and "sort" are one word in the names of lists
    canonical = ["kind" if _KINDS.get(word) == "near" else word for word in words]
    top = "kind" if _KINDS.get(head) == "near" else head
    found = []
    for place, each in enumerate(word_lists()):
        for name in each.names:
            own = frozenset(_content(name))
            rest = [word for word, one in zip(words, canonical, strict=True) if one not in {*own, *each.names, *_KINDS}]
            thing = " ".join(rest) or " ".join(subject)
            if own <= {*canonical, *subject} and own & {*canonical} and each.fits(thing):
                # "kind of room": the list of rooms is one of kinds
                is_head = top in own or own == {*canonical} - {"kind"}
                found.append(((is_head, len(own), bool(each.of), -place), Reading(name, thing or each.thing, each)))
    if not found:
        return None
    (is_head, *_), reading = max(found, key=lambda match: match[0])
    return reading if is_head or not any(word in _KINDS for word in words) else None


def _by_noun(words: list[str], subject: list[str], head: str) -> Reading | None:
    asked = next((word for word in words if word in _KINDS), "")
    rest = [word for word in words if word not in _KINDS] or subject
    if not asked and head in rest:
        rest = [head] if not noun_senses(" ".join(rest)) else rest
    for noun in (" ".join(rest), *reversed(rest)):
        if noun and noun_senses(noun):
            return Reading(asked or "kind", noun, noun=noun, level=_KINDS.get(asked, "near"))
    return None
