"""Make a notion from one sentence: aspects come from word lists and WordNet, without those that do not occur in the images."""

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from itertools import chain
from typing import NamedTuple

import numpy as np

from likeness.defaults import reads_as_rendered_cars
from likeness.encoders import unknown_words
from likeness.errors import InputError
from likeness.notions import Notion
from likeness.sentences.occurring import occurring
from likeness.sentences.reading import EXAMPLES, Reading, read_sentence
from likeness.space import Space
from likeness.words import Hyponym, hypernyms, hyponyms, noun_senses, plural, word_lists

_NEAR = 3  # steps below a noun
_MOST = 1000  # aspects, the nearest first
_SENSES = 4  # of a noun, the most frequent
_STEPS = 4  # above a meaning, that tell it from others
_THING = "physical entity"  # what a picture can show
_CAR = "car"
_OF_MANY = ("number", "count", "amount")


class Pruned(NamedTuple):
    """A dropped aspect, and the reason as the end of a sentence."""

    aspect: str
    reason: str


@dataclass(frozen=True)
class SentenceNotion:
    """The notion of a sentence, and how it was derived.

    Attributes:
        held: the compared thing, "dog", or "" for the image as a whole.
        varies: the property, "color".
        source: where the aspects come from.
        images: of how many images each aspect of the notion is the best match; none where there were no images.
        pruned: what was left out, in the order of the list.
    """

    notion: Notion
    held: str
    varies: str
    source: str
    images: tuple[int, ...] = ()
    pruned: tuple[Pruned, ...] = ()


def notion_from_sentence(sentence: str, space: Space | None = None, prune: bool = True) -> SentenceNotion:
    """A notion from a sentence such as "same color of dog", "kind of bird" or "two cars are similar if they have the same color".

    A property with a list that ships (`likeness.words.word_lists`) has the words of the list as aspects; of any other noun, its kinds in WordNet
    vary. Of several meanings of a noun, things go before what can't be seen; the most frequent one counts, or another one where the images are
    clearly more similar to it.

    Args:
        sentence: English, a phrase or a sentence.
        space: the images; words that its encoder does not know are left out, and aspects that do not occur (`likeness.sentences.occurring`). Of a
            notion's space, what it is made from counts. None: everything stays.
        prune: False keeps what does not occur.

    Raises:
        InputError: nothing in the sentence can vary, a noun has no kinds, the encoder knows fewer than two aspects, or the space reads no text.

    Example:
        >>> found = notion_from_sentence("same season")
        >>> found.notion.template, found.notion.aspects
        ('a photo taken in {}', ('spring', 'summer', 'autumn', 'winter'))
    """
    reading, base = read_sentence(sentence), None if space is None else space.base or space
    held = reading.thing or _rendered(base)
    found = _of_list(sentence, reading, held, base) if reading.list else _of_noun(sentence, reading, base)
    if base is None:
        return found
    return _with_what_occurs(_with_known_words(found, base), base, prune)


def word_list_notions(space: Space, thing: str = "") -> list[Notion]:
    """A notion of each list that ships (`likeness.words.word_lists`) with what its encoder knows and what occurs in the images.

    Lists of which fewer than two words are left, and those that are for other things than `thing` (without one the image as a whole, or what a list
    is for), give none. Of a notion's space, what it is made from counts; one that reads no text is an InputError.
    """
    base = space.base or space
    found = []
    for each in word_lists():
        held = thing or _rendered(base) or each.thing
        if not each.fits(held):
            continue
        made = _of_list(each.names[0], Reading(each.names[0], held, each), held, base)
        with suppress(InputError):  # the encoder knows too few of its words
            found.append(_with_what_occurs(_with_known_words(made, base), base, prune=True).notion)
    return found


def _of_list(sentence: str, reading: Reading, held: str, base: Space | None) -> SentenceNotion:
    assert reading.list is not None
    template = _first_known(reading.list.templates_for(held), base)
    source = f"the list '{reading.list.title}'"
    return _made(sentence, reading, held, template, reading.list.aspects_for(held), source)


def _rendered(base: Space | None) -> str:
    """What is compared where nothing else is said: the shipped images show a car each."""
    return _CAR if base is not None and reads_as_rendered_cars(base.table.attributes, base.encoder_name) else ""


def _of_noun(sentence: str, reading: Reading, base: Space | None) -> SentenceNotion:
    noun = reading.noun
    template = _first_known((f"a photo of a {{}}, a type of {noun}", "a photo of a {}"), base)
    choices = {sense: words for sense in noun_senses(noun) if len(words := _kinds(sense, reading.level)) > 1}
    things = {sense: words for sense, words in choices.items() if _THING in hypernyms(sense)}
    choices = dict(list((things or choices).items())[:_SENSES])
    if not choices:
        raise InputError(f"WordNet knows no kinds of '{noun}' for '{sentence.strip()}'; write another property or thing, such as {EXAMPLES}.")
    made = [
        _made(sentence, reading, noun, template, words, f"WordNet's kinds of {noun} (meaning {sense.partition('#')[2]})")
        for sense, words in choices.items()
    ]
    if base is None or len(made) == 1:
        return made[0]
    return made[_nearest_meaning(list(choices), base)]


def _nearest_meaning(senses: Sequence[str], base: Space) -> int:
    """The place of the most frequent meaning, or of one to which the images are more similar by over a standard deviation of that difference; to the
    four nearest words for what it is a kind of, in the mean.
    """
    prompts = [[f"a photo of a {word}" for word in hypernyms(sense)[:_STEPS]] for sense in senses]
    if unknown_in(base, "\n".join(chain.from_iterable(prompts))):
        return 0
    similarities = np.array([np.mean(base.vectors @ base.embed_prompts(each)[0].T, axis=1, dtype=np.float64) for each in prompts])
    more = similarities - similarities[0]
    effects = more.mean(axis=1) / np.maximum(more.std(axis=1), np.finfo(np.float64).tiny)
    return int(np.argmax(effects)) if effects.max() > 1 else 0


def _kinds(sense: str, level: str) -> tuple[str, ...]:
    def wanted(kind: Hyponym) -> bool:
        return kind.depth <= _NEAR if level == "near" else kind.has_kinds == (level == "groups")

    return tuple(kind.word for kind in hyponyms(sense) if wanted(kind))[:_MOST]


def _made(sentence: str, reading: Reading, held: str, template: str, aspects: Sequence[str], source: str) -> SentenceNotion:
    who = plural(held) if held == "person" or reading.varies in _OF_MANY else held
    of = f" of {who}" if held and held not in reading.varies.split() else ""
    name = f"{reading.varies}{of}" if reading.varies in _OF_MANY else f"{held} {reading.varies}" if of else reading.varies
    verb = ("is of", "are of") if reading.noun else ("has", "have")
    seen = f"the {who} in them {verb[who != held]}" if of and reading.varies not in _OF_MANY else "they show"
    question = f"Two images are similar if {seen} the same {reading.varies}{of if seen == 'they show' else ''}."
    notion = Notion(name, template, tuple(aspects), question=question, source=f"{source}, for the sentence '{sentence.strip()}'")
    return SentenceNotion(notion, held, reading.varies, source)


def _first_known(templates: Sequence[str], base: Space | None) -> str:
    """The first template whose own words the encoder knows, or else the first."""
    return next((each for each in templates if not unknown_in(base, each.replace("{}", " "))), templates[0])


def unknown_in(base: Space | None, text: str) -> list[str]:
    """Words unknown to the space's encoder; empty without an encoder."""
    return [] if base is None or base.encoder is None else unknown_words(base.encoder, text)


def _with_known_words(found: SentenceNotion, base: Space) -> SentenceNotion:
    aspects = found.notion.aspects
    all_known = not unknown_in(base, "\n".join(aspects))
    kept = [aspect for aspect in aspects if all_known or not unknown_in(base, aspect)]
    if len(kept) < 2:
        raise InputError(
            f"The encoder knows {len(kept) or 'none'} of the {len(aspects)} words for the {found.varies}; "
            "choose an encoder that reads any text, or write another property."
        )
    left = [Pruned(aspect, "the encoder does not know these words") for aspect in aspects if aspect not in set(kept)]
    return replace(found, notion=replace(found.notion, aspects=tuple(kept)), pruned=(*found.pruned, *left))


def _with_what_occurs(found: SentenceNotion, base: Space, prune: bool) -> SentenceNotion:
    counts, chance, occurs = occurring(base.vectors, base.embed_aspects(found.notion)[0])
    kept = occurs if prune else np.ones_like(occurs)
    aspects = np.array(found.notion.aspects, dtype=object)
    left = [Pruned(*each) for each in zip(aspects[~kept], map(_rarely, counts[~kept], chance[~kept]), strict=True)]
    notion = replace(found.notion, aspects=tuple(aspects[kept]))
    return replace(found, notion=notion, images=tuple(map(int, counts[kept])), pruned=(*found.pruned, *left))


def _rarely(count: int, chance: float) -> str:
    if not count:
        return "it is the best match of no image"
    return f"it is the best match of {count:,} {'image' if count == 1 else 'images'}; a made-up word would be the best match of {chance:,.0f}"
