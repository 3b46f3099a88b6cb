"""Captions and their claims: sentences about a random subset of the attributes, and full sets of competing prompts."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import pandas as pd

from experiments.clip.frames import FRAMES, held_out_phrase, never_named_together
from experiments.clip.phrases import GENERIC_NOUNS, LOOSE_PHRASES, PHRASES, VALUES

ATTRIBUTES = tuple(VALUES)
WIDEST = max(len(values) for values in VALUES.values())
Codes = npt.NDArray[np.int64]
Claims = npt.NDArray[np.bool_]

_RARE_PREFIXES = ("a picture of", "an image of", "a rendering of", "this is", "there is", "we see", "look at", "a snapshot of")
PREFIXES = ("", "", "a photo of", "a photo of", *_RARE_PREFIXES)
BACKGROUND_CLAUSES = (
    "in front of a {} background",
    "in front of a {} backdrop",
    "on a {} background",
    "against a {} background",
    "with a {} background",
    "before a {} wall",
)
LONGEST = 30  # words: the text tower's context without start and end
_OTHERS = ("background_color", "viewpoint", "camera_height", "distance_name", "sun_side", "sun_height")


@dataclass(frozen=True)
class Captions:
    """Sentences (c) and their claims (c, attributes, WIDEST): a caption is true of an image if every attribute's value is allowed."""

    texts: list[str]
    claims: Claims

    def true_of(self, codes: Codes) -> Claims:
        """Which captions are true of which images: (n, c), for codes (n, attributes)."""
        truth = np.ones((len(codes), len(self.texts)), np.bool_)
        for a in range(len(ATTRIBUTES)):
            truth &= self.claims[:, a, codes[:, a]].T
        return truth


def encode_attributes(scenes: pd.DataFrame) -> Codes:
    """Numbers (n, attributes) of the values of every scene, in the order of `VALUES`."""
    return np.stack([pd.Categorical(scenes[name], categories=list(VALUES[name])).codes for name in ATTRIBUTES], axis=1).astype(np.int64)


def no_claim() -> Claims:
    """The claims (attributes, WIDEST) of a sentence without content."""
    return np.ones((len(ATTRIBUTES), WIDEST), np.bool_)


def claim(allowed: Mapping[str, Sequence[int]]) -> Claims:
    """The claims (attributes, WIDEST) of a sentence that allows only these value numbers of these attributes."""
    claims = no_claim()
    for name, numbers in allowed.items():
        row = ATTRIBUTES.index(name)
        claims[row] = False
        claims[row, list(numbers)] = True
    return claims


def fix_articles(text: str) -> str:
    """Writes "an" before a vowel's letter, "a" before any other."""
    return re.sub(r"\b(an?) (\w)", lambda m: f"{'an' if m[2].lower() in 'aeio' else 'a'} {m[2]}", text)


class CaptionWriter:
    """Writes captions; `models` are real car names by body type, further words for it.

    The sentences follow the generator only, so the same seed writes the same captions.
    """

    def __init__(self, models: Mapping[str, Sequence[str]] | None = None) -> None:
        self.models = {body: tuple(names) for body, names in (models or {}).items()}

    def prompts_of_all_values(self, attribute: str, rng: np.random.Generator, use_models: bool = False) -> Captions:
        """One prompt per value of an attribute, in one random frame, each with a random phrase (or a car's name)."""
        frame = int(rng.integers(len(FRAMES[attribute])))
        texts = []
        for value in VALUES[attribute]:
            names = self.models.get(value) if use_models else None
            phrase = names[rng.integers(len(names))] if names else self._phrase(attribute, frame, value, rng)
            texts.append(self._finish(FRAMES[attribute][frame].format(phrase), rng))
        return Captions(texts, np.stack([claim({attribute: [i]}) for i in range(len(texts))]))

    def describe(self, codes: Codes, rng: np.random.Generator, always: Sequence[str] = ()) -> Captions:
        """One sentence per image (n) about one to five of its attributes, for codes (n, attributes).

        Of attributes that are `always` named each sentence speaks, and of up to two others.
        """
        written = [self._sentence(row, rng, always) for row in codes]
        return Captions([text for text, _ in written], np.stack([claims for _, claims in written]))

    def loose(self, rng: np.random.Generator, count: int) -> Captions:
        """Sentences that are true of several values of an attribute, or of every picture."""
        texts, claims = [], []
        for _ in range(count):
            number = int(rng.integers(len(LOOSE_PHRASES) + 2))
            subject = f"{_pick(PREFIXES, rng)} a {_pick(GENERIC_NOUNS, rng)}"
            if number < len(LOOSE_PHRASES):
                attribute, values, phrases = LOOSE_PHRASES[number]
                texts.append(self._finish(f"{subject} {_pick(phrases, rng)}", rng))
                claims.append(claim({attribute: [VALUES[attribute].index(value) for value in values]}))
            else:
                texts.append(self._finish(subject, rng))
                claims.append(no_claim())
        return Captions(texts, np.stack(claims))

    def _phrase(self, attribute: str, frame: int, value: str, rng: np.random.Generator) -> str:
        phrases = PHRASES[attribute][value]
        held = held_out_phrase(attribute, frame, value)
        # the first phrase is what most people write
        if rng.random() < 0.4:
            return phrases[0]
        return _pick([phrase for i, phrase in enumerate(phrases) if i != held], rng)

    def _sentence(self, codes: Codes, rng: np.random.Generator, always: Sequence[str]) -> tuple[str, Claims]:
        chosen = self._subset(codes, rng, always)
        value = {name: VALUES[name][codes[ATTRIBUTES.index(name)]] for name in chosen}
        start = f"{_pick(PREFIXES, rng)} {self._noun_phrase(value, rng)}"
        clauses = [(name, self._clause(name, value[name], rng)) for name in chosen if name in _OTHERS]
        glue = _pick((" ", " ", ", ", " and "), rng)
        # what the text tower would cut off must not be claimed
        while _words(text := f"{start} {glue.join(clause for _, clause in clauses)}") > LONGEST:
            value.pop(clauses.pop()[0])
        return self._finish(text, rng), claim({name: [int(codes[ATTRIBUTES.index(name)])] for name in value})

    def _clause(self, attribute: str, value: str, rng: np.random.Generator) -> str:
        phrase = _pick(PHRASES[attribute][value], rng)
        return _pick(BACKGROUND_CLAUSES, rng).format(phrase) if attribute == "background_color" else phrase

    def _subset(self, codes: Codes, rng: np.random.Generator, always: Sequence[str]) -> list[str]:
        order = [str(name) for name in rng.permutation(ATTRIBUTES)]
        if always:
            chosen = [*always, *[name for name in order if name not in always][: int(rng.integers(3))]]
        else:
            chosen = order[: int(rng.choice([1, 2, 3, 4, 5], p=[0.15, 0.35, 0.25, 0.15, 0.1]))]
        both = "car_color" in chosen and "body_type" in chosen
        if both and never_named_together(int(codes[ATTRIBUTES.index("car_color")]), int(codes[ATTRIBUTES.index("body_type")])):
            chosen.remove("car_color")
        return chosen

    def _noun_phrase(self, value: Mapping[str, str], rng: np.random.Generator) -> str:
        noun = _pick(GENERIC_NOUNS, rng) if rng.random() < 0.5 else "car"
        if "body_type" in value:
            names = self.models.get(value["body_type"])
            noun = _pick(names, rng) if names and rng.random() < 0.3 else _pick(PHRASES["body_type"][value["body_type"]], rng)
        if "car_color" not in value:
            return f"a {noun}"
        color = _pick(PHRASES["car_color"][value["car_color"]], rng)
        return _pick(("a {color} {noun}", "a {color} {noun}", "a {color} {noun}", "a {noun} painted {color}", "a {noun} in {color}"), rng).format(
            color=color, noun=noun
        )

    def _finish(self, text: str, rng: np.random.Generator) -> str:
        text = " ".join(text.split())
        chance = rng.random()
        if chance < 0.1:
            return re.sub(r"\b(an?|the) ", "", text)
        return text if chance < 0.3 else fix_articles(text)


def join(parts: Sequence[Captions]) -> Captions:
    """All captions of several sets, in order."""
    return Captions([text for part in parts for text in part.texts], np.concatenate([part.claims for part in parts]))


def _words(text: str) -> int:
    return len(re.findall(r"\w+", text))


def _pick(choices: Sequence[str], rng: np.random.Generator) -> str:
    return choices[int(rng.integers(len(choices)))]
