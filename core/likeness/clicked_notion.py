"""Adapt a notion to clicks on neighbors, "more like this" and "not like this": choose the words that fit the answers best."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import softmax

from likeness.notion_trust import notion_trust, sample
from likeness.notions import CLIP_SCALE, Click, ClickPairs, Notion, click_pairs, fitting_notions, parts_of
from likeness.sentences import word_list_notions
from likeness.space import Space

Rows = NDArray[np.float32]
Shares = NDArray[np.float64]

# How often an answer is not what the encoder's reading of the right words says, and how often that holds of what was let pass, perhaps unseen.
MISREAD, OVERLOOKED = 0.15, 0.3
# Before any answer: how probable it is that another notion was meant, and that an aspect of the notion is one too many.
ANOTHER, TOO_MANY = 0.25, 0.05
_FEWEST = 2  # aspects, without which nothing varies
_SHOWN = 0.05  # probability from which on an image may show an aspect


class Candidate(NamedTuple):
    """A candidate notion, with the rows (k, r) of its aspects and the probability that two images differ in it."""

    notion: Notion
    rows: Rows
    divides: float


def candidates(space: Space, notions: Iterable[Notion] | None = None, *, folder: Path | None = None, seed: int = 0) -> list[Candidate]:
    """Candidate notions for these images, each with the probability that two images differ in it.

    Default `notions` are those of the library (the user's own in `folder`) that fit such images, and shipped word lists
    (`likeness.sentences.word_list_notions`). Compositions are skipped, also given ones. For a notion's space, its base is used; `seed` draws 500
    images if there are more. Raises InputError if the space has no text side, or fewer than three images.
    """
    base = space.base or space
    if notions is None:
        notions = [*fitting_notions(base.table, base.encoder_name, folder), *word_list_notions(base)]
    images = sample(base, seed)
    different = {(each.templates, each.aspects): each for each in notions if not each.joined}
    found = []
    for notion in different.values():
        rows = _rows(base, notion)
        found.append(Candidate(notion, rows, float(1 - (_shares(images, rows).mean(axis=0) ** 2).sum())))
    return found


def clicked_notion(
    space: Space,
    notion: Notion,
    clicks: Iterable[Click],
    others: Sequence[Candidate] | None = None,
    reads: Callable[[Notion], bool] | None = None,
) -> Notion:
    """The notion that fits a person's answers: the given one, possibly without some aspects, or another one that fits better.

    Two images are alike in a notion by the chance p = sum_j a_j b_j that they show the same aspect, where a and b are the encoder's zero-shot
    probabilities (`likeness.notions.AspectProbabilities`), and in several that are joined by the product. An answer agrees with the right words with
    probability m + (1 - 2 m) p, m = .15, which gives every notion a likelihood. A person who clicks on the first wrong neighbor lets those before it
    pass (`Click.passed`): these count as alike, with m = .3. Before any answer another notion is meant in one of four cases, each other by the chance
    that two images differ in it, and one aspect in 20 is one too many. The most probable change is made, and then another one, as long as what comes
    out is more probable than what was there. Where nobody said "more like this" no other notion is taken: that images differ speaks for any notion of
    many words. A notion that the encoder does not read in these images (`likeness.notion_trust`) is no candidate. Words alone change, so that every
    method fits the notion, the index answers, and a person reads what the clicks have done. Ours.

    Args:
        space: for a notion's space, its base is used.
        notion: as it is said.
        clicks: all answers, including earlier ones; those on unknown images are ignored.
        others: alternative notions; None: `candidates`.
        reads: whether a notion is reliable on these images; None: by `notion_trust`.

    Returns:
        The notion with the clicks; the same words where no change is more probable.

    Raises:
        InputError: the space reads no text.

    Example:
        >>> import likeness as lk
        >>> from likeness.notions import Click, get_notion
        >>> space = lk.embed(lk.read("cars"), "cars")
        >>> colors, paths = space.table.frame["car_color"], space.table.frame["path"]
        >>> red = [paths[row] for row in (colors == colors[0]).to_numpy().nonzero()[0][:6]]
        >>> clicks = [Click(red[0], other, True) for other in red[1:]]
        >>> clicks += [Click(red[0], paths[row], False) for row in (colors != colors[0]).to_numpy().nonzero()[0][:5]]
        >>> clicked_notion(space, get_notion("viewpoint"), clicks).name
        'car color'
    """
    base, said = space.base or space, tuple(clicks)
    given = click_pairs(said, base.table.frame["path"] if base.table.has_images else [])
    if not len(given.pairs):
        return replace(notion, clicks=said)
    read = reads or (lambda other: notion_trust(base, other).reads)
    answers = _Answers.of(np.asarray(base.vectors), given)
    (_, own), *more = parts_of(notion)
    beside = np.prod([answers.chance(_rows(base, part)) for weight, part in more if weight > 0], axis=0)
    now, rows = notion, _rows(base, own)
    if not (given.alike & given.said).any():
        others = ()
    elif others is None:
        others = candidates(base)
    while True:
        changes = [*_without_one(now, rows, answers, beside), *_another(now, others, answers)]
        fits = answers.log_likelihood(answers.chance(rows) * beside)
        better = sorted((each for each in changes if each.score > fits), key=lambda each: each.score, reverse=True)
        change = next((each for each in better if each.rows is not None or read(each.notion)), None)
        if change is None:
            return replace(now, clicks=said)
        now = change.notion
        rows, beside = (change.rows, beside) if change.rows is not None else (_rows(base, now), np.ones(()))


def left_out(before: Notion, after: Notion) -> list[str] | None:
    """The aspects of a notion that are missing in another one, if both are otherwise equal; else None.

    Example:
        >>> color = Notion("color", "a {} car", ["red", "green", "blue"])
        >>> left_out(color, Notion("color", "a {} car", ["red", "blue"]))
        ['green']
    """
    if after.templates != before.templates or not set(after.aspects) <= set(before.aspects):
        return None
    return [aspect for aspect in before.aspects if aspect not in set(after.aspects)]


class _Change(NamedTuple):
    """A possible change of a notion, its log probability, and the remaining rows if an aspect is dropped."""

    notion: Notion
    score: float
    rows: Rows | None = None


class _Answers(NamedTuple):
    """Answered pairs: images (n, r), indices (c, 2) of each pair, whether it is alike, and the error rate of each answer (c,)."""

    images: Rows
    pairs: NDArray[np.int64]
    alike: NDArray[np.bool_]
    misread: Shares

    @classmethod
    def of(cls, vectors: Rows, given: ClickPairs) -> "_Answers":
        rows, places = np.unique(given.pairs, return_inverse=True)
        return cls(vectors[rows], places.reshape(given.pairs.shape), given.alike, np.where(given.said, MISREAD, OVERLOOKED))

    def chance(self, aspects: Rows) -> Shares:
        """Probability (c,) that the images of each pair show the same aspect."""
        shares = _shares(self.images, aspects)
        return np.asarray((shares[self.pairs[:, 0]] * shares[self.pairs[:, 1]]).sum(axis=1))

    def log_likelihood(self, chance: Shares) -> float:
        agrees = self.misread + (1 - 2 * self.misread) * np.where(self.alike, chance, 1 - chance)
        return float(np.log(agrees).sum())


def _without_one(now: Notion, rows: Rows, answers: _Answers, beside: Shares) -> Iterator[_Change]:
    """Changes that drop one aspect, for aspects that any of the images may show; dropping others would change nothing."""
    shown = np.flatnonzero(_shares(answers.images, rows).max(axis=0) > _SHOWN)
    for place in shown.tolist():
        aspects = (*now.aspects[:place], *now.aspects[place + 1 :])
        if len(set(aspects)) < _FEWEST:
            continue
        left = np.delete(rows, place, axis=0)
        score = answers.log_likelihood(answers.chance(left) * beside) + np.log(TOO_MANY / (1 - TOO_MANY))
        yield _Change(replace(now, aspects=aspects), float(score), left)


def _another(now: Notion, others: Sequence[Candidate], answers: _Answers) -> Iterator[_Change]:
    """Changes to another notion."""
    total = sum(each.divides for each in others)
    for each in others:
        if each.divides > 0 and (each.notion.templates, each.notion.aspects) != (now.templates, now.aspects):
            yield _Change(
                each.notion, answers.log_likelihood(answers.chance(each.rows)) + float(np.log(ANOTHER / (1 - ANOTHER) * each.divides / total))
            )


def _rows(base: Space, notion: Notion) -> Rows:
    return np.asarray(base.embed_aspects(notion)[0], np.float32)


def _shares(images: Rows, aspects: Rows) -> Shares:
    """Zero-shot probabilities (n, k) of the aspects."""
    return np.asarray(softmax(CLIP_SCALE * np.asarray(images @ aspects.T, np.float64), axis=1))
