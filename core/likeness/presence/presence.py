"""Whether images show a text at all: it is here, nothing here matches, or the encoder cannot tell."""

import re
from collections.abc import Callable, Sequence
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from likeness.arrays import row_slices
from likeness.encoders import EncoderLike
from likeness.io import plain_name
from likeness.presence.competing import competing_texts
from likeness.presence.reading import unread

Rows = NDArray[np.float32]
Answer = Literal["here", "absent", "unclear", "unread"]

FALSE_ALARMS = 0.05
LEAST_ALIGNMENT = 0.75  # below, the encoder is not trusted either way; `python -m experiments.analyses presence` sets it beside the labels
_SHOWING = 2  # images that show a thing, at least, for the false-alarm rate to hold
_VARIES = 0.7  # what the images differ in one of the words, beside what they differ in others in its place, from which on it is a property
_SAME_TEXT = 0.95  # cosine similarity above which another text says the same
_SAMPLE, _ALIGNED = 4_000, 500  # images that tell what a match scores, and whether they vary along words
_DENIAL = re.compile(r"\b(not|no|without|except|never|isn't|aren't|neither)\b", re.IGNORECASE)


class Presence(NamedTuple):
    """Whether images show a text: the answer ("unclear": the encoder cannot tell; "unread": it does not read the text), its p-value (`presence`; NaN
    where nothing was measured), up to which p-value it is "absent", and the answer as a sentence.
    """

    answer: Answer
    p_value: float
    false_alarm_rate: float
    sentence: str


def presence(text: str, images: Rows, embed_texts: Callable[[Sequence[str]], Rows], encoder: EncoderLike | None = None) -> Presence:
    """Asks without labels whether any image shows a text.

    The null model is that two images show it. What a match scores is known from the images: the best similarity b of each to texts that are the query
    with other words (`competing_texts`; those with a cosine similarity above .95 to it say the same and are left out). With F the distribution of b
    over 4,000 images and t the best similarity of the query, p = F(t)^2. Where images vary too little along such words (`alignment` below .75), the
    answer is "unclear".

    Args:
        images, embed_texts: unit rows (n, d), and what makes them of texts.
        encoder: whose known words are used; None: unknown.

    Example:
        >>> import likeness as lk
        >>> cars = lk.embed(lk.read("cars"), "cars")
        >>> others = cars.vectors[cars.table.frame["car_color"] != "purple"]
        >>> [presence("a purple car", images, cars.embed_texts, "cars").answer for images in (cars.vectors, others)]
        ['here', 'absent']
    """
    shown, p_value = plain_name(text.strip()), float("nan")
    if reason := unread(text, encoder):
        return Presence("unread", p_value, FALSE_ALARMS, reason)
    if denied := _DENIAL.search(text):
        return Presence("unclear", p_value, FALSE_ALARMS, f"Encoders overlook “{denied[0]}”, so what stands after it is searched for, too.")
    if competing := competing_texts(text, encoder):
        rows = embed_texts([text, *competing])
        best = max(float((np.asarray(images[part]) @ rows[0]).max()) for part in row_slices(*images.shape))
        sample = np.asarray(images[:: -(-len(images) // _SAMPLE)])
        p_value = chance_of(best, match_scores(sample, rows[0], rows[1:]))
    if not competing or alignment(sample[:: -(-len(sample) // _ALIGNED)], rows) < LEAST_ALIGNMENT:
        sentence = f"This encoder cannot tell whether any image shows “{shown}”; these are only the nearest ones."
        return Presence("unclear", p_value, FALSE_ALARMS, sentence)
    if p_value <= FALSE_ALARMS:
        return Presence("absent", p_value, FALSE_ALARMS, f"Nothing here matches “{shown}”; these are only the nearest images.")
    several = properties(sample, rows[0], rows[1:], list(competing.values())) > 1  # an image of one of them scores nearly as high as one of both
    part = ", or a part of it" if several else ""
    return Presence("here", p_value, FALSE_ALARMS, f"Images here match “{shown}”{part}.")


def match_scores(images: Rows, text: Rows, others: Rows) -> Rows:
    """Of each image (n, d) its best similarity (n,) to texts (m, d) that do not say the same as the text (d,)."""
    rivals = others[others @ text <= _SAME_TEXT]
    return np.asarray((images @ rivals.T).max(axis=1) if len(rivals) else np.full(len(images), np.inf), np.float32)


def chance_of(best: float, matches: Rows) -> float:
    """Chance that two of what images score for what they show (n,) are both at most `best`."""
    return float((matches <= best).mean()) ** _SHOWING


def properties(images: Rows, text: Rows, others: Rows, numbers: Sequence[int]) -> int:
    """In how many of a text's words images (n, d) differ: a red car among cars has one property. By the similarities to the text (d,) and to texts
    (m, d) that replace the word of each number, all less their mean, the deviation of the first is at least .7 of that of the others.
    """
    found = 0
    for number in set(numbers):
        rivals = images @ others[np.equal(numbers, number)].T
        middle = rivals.mean(axis=1, keepdims=True)
        found += int(np.std(images @ text - middle[:, 0]) >= _VARIES * np.std(rivals - middle, axis=0).mean())
    return found


def alignment(images: Any, texts: Any) -> float:
    """1 - 1/w of images (n, r) and texts (k, r): with w = r tr(X T) / (tr X tr T) of their covariances X and T, images vary w times as much along the
    texts as along a random direction; 0 if less.
    """
    seen, said = (np.asarray(rows, np.float64) - np.mean(rows, axis=0, dtype=np.float64) for rows in (images, texts))
    spread = float((seen**2).sum() * (said**2).sum())
    return max(0.0, 1 - spread / (seen.shape[1] * shared)) if spread and (shared := float(((seen @ said.T) ** 2).sum())) else 0.0
