"""Warnings about notions, and their reliability on given images, without labels."""

from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from likeness.encoders import EncoderLike, text_warnings
from likeness.errors import InputError
from likeness.notions import AspectProbabilities, Composition, Notion, aspect_rows, check, parts_of
from likeness.presence import alignment

# What is said around a notion's own templates; none of it says anything of an image.
REWORDINGS = ("a photo of {}", "this is {}", "{} in the picture", "there is {}")
# Below one of them the encoder hardly reads a notion; `python -m experiments.analyses trust` sets both beside the labels.
LEAST_STABILITY, LEAST_ALIGNMENT = 0.98, 0.5
FEWEST_IMAGES = 4
_IMAGES, _GROUPS = 500, 10
_SURE = 1.645  # standard errors by which the stability must be that high: of notions that are just that stable, chance passes 5 %


class Trust(NamedTuple):
    """Reliability of a notion. Stability: correlation of similarities between wordings, at most 1. Alignment: share of the images' variance along the
    prompts beyond that of a random direction, 0 to 1. The score is their product; `reads` is True if both are high enough to trust neighbors.
    """

    score: float
    stability: float
    alignment: float
    reads: bool

    @property
    def sentence(self) -> str:
        """The verdict as a sentence."""
        if self.reads:
            return "The encoder reads this notion in these images."
        if self.stability >= LEAST_STABILITY and self.alignment < LEAST_ALIGNMENT:
            return "These images hardly differ along these words; do not rely on this notion."
        if self.stability >= LEAST_STABILITY:
            return "These images are too few to be sure of this notion; do not rely on it."
        return "Other words for the same give other neighbors here; do not rely on this notion."


def notion_trust(space: Any, notion: Notion | Composition, seed: int = 0) -> Trust:
    """Measures the reliability of a notion on these images, without labels.

    Stability: the similarity of two images is the Bhattacharyya coefficient of their zero-shot probabilities of the aspects (`AspectProbabilities`);
    what counts is its correlation, over all pairs of images, between the notion as it is and with other words around its templates (`REWORDINGS`),
    the mean of these: the statistic of Mantel (Cancer Research 27, 1967) and of representational similarity analysis (Kriegeskorte et al., Frontiers
    in Systems Neuroscience 2, 2008). It must be high beyond its sampling error, with 95 % confidence. Alignment: 1 - 1/w, where w = r tr(X T) / (tr X
    tr T), with the covariances X of the images and T of the aspects in r dimensions, is how many times more the images vary along the aspects than
    along a random direction. Random directions are stable but not aligned; meaningless words are neither. A composition is as reliable as its weakest
    notion.

    Args:
        space: the images, as a `Space`; for a notion's space, its base is used.
        seed: draws 500 images if there are more.

    Raises:
        InputError: the space reads no text, or has fewer than three images.

    Example:
        >>> import likeness as lk
        >>> space = lk.embed(lk.read("cars"), "cars")
        >>> notion_trust(space, lk.Notion("car color", "a {} car", ["red", "green", "blue"])).reads
        True
    """
    images = sample(space, seed)
    return min(trust_of(images, *worded_aspects(space, each)) for _, each in parts_of(notion))


def trust_of(images: NDArray[np.float32], aspects: Any, *reworded: Any) -> Trust:
    """`notion_trust` of unit rows of images (n, r) and aspects (k, r), and of the same aspects in other words."""
    stable, error = stability(images, aspects, *reworded)
    aligned = alignment(images, aspects)
    return Trust(max(stable, 0.0) * aligned, stable, aligned, stable - _SURE * error >= LEAST_STABILITY and aligned >= LEAST_ALIGNMENT)


def sample(space: Any, seed: int = 0) -> NDArray[np.float32]:
    """Unit rows of at most 500 images, as the encoder gives them, in the table's order."""
    rows = (space.base or space).vectors
    if len(rows) < FEWEST_IMAGES:
        raise InputError(f"Reliability needs at least four images; there are {len(rows)}.")
    return np.asarray(rows[np.sort(np.random.default_rng(seed).permutation(len(rows))[:_IMAGES])])


def worded_aspects(space: Any, notion: Notion) -> list[Any]:
    """The rows of a notion's aspects, in its own and each other wording."""
    base = space.base or space
    worded = [notion, *(replace(notion, template=tuple(words.replace("{}", each) for each in notion.templates)) for words in REWORDINGS)]
    prompts, _ = base.embed_prompts([prompt for each in worded for prompt in each.prompts])  # at once: a text encoder reads many faster than few
    return [aspect_rows(rows, each) for rows, each in zip(np.split(np.asarray(prompts), len(worded)), worded, strict=True)]


def stability(images: NDArray[np.float32], aspects: Any, *reworded: Any) -> tuple[float, float]:
    """The mean correlation, over pairs of images (n, d), of their similarities by aspects (k, d) and by each other wording, 0 if the encoder does not
    distinguish the aspects of a wording; and its standard error, by the jackknife that leaves out a tenth of the images at a time.
    """
    found = [_similarities(images, each) for each in (aspects, *reworded)]
    n, groups = len(images), min(_GROUPS, len(images))
    left = [_mean_correlation(found, np.flatnonzero(np.arange(n) % groups != group)) for group in range(groups)]
    return _mean_correlation(found, np.arange(n)), float(np.std(left)) * (groups - 1) ** 0.5


def _mean_correlation(similarities: list[NDArray[np.float32]], rows: NDArray[np.int64]) -> float:
    one, other = np.triu_indices(len(rows), 1)
    first, *found = (each[rows[one], rows[other]] for each in similarities)
    return float(np.mean([_correlation(first, each) for each in found]))


def _similarities(images: NDArray[np.float32], aspects: Any) -> NDArray[np.float32]:
    try:
        rows = AspectProbabilities().fit(aspects).transform(images)
    except InputError:  # all aspects are the same
        return np.zeros((len(images), len(images)), np.float32)
    return np.asarray(rows @ rows.T)


def _correlation(one: NDArray[np.float32], other: NDArray[np.float32]) -> float:
    deviations = [each - each.mean(dtype=np.float64) for each in (one, other)]
    lengths = [float(np.linalg.norm(each)) for each in deviations]
    return float(deviations[0] @ deviations[1]) / (lengths[0] * lengths[1]) if all(lengths) else 0.0


def notion_warnings(notion: Notion | Composition, encoder: EncoderLike | None = None) -> list[str]:
    """Warnings about a notion, one sentence each: repeated aspects, whole prompts instead of aspects, a second varying property
    (`likeness.notions.check`), words unknown to the encoder, and prompts that it truncates.

    Args:
        encoder: that reads the prompts; None: words are not checked.

    Example:
        >>> notion_warnings(Notion("color", "a {} car", ["red", "blue", "red"]))
        ["'red' is listed 2 times, so it weighs 2 times as much; keep one if unintended."]
    """
    parts = [each for _, each in parts_of(notion)]
    found = [warning.message for each in parts for warning in check(each.templates, each.aspects)]
    if encoder is not None:
        found += [sentence for each in parts for sentence in text_warnings(encoder, each.prompts)]
    return found
