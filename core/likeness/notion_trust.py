"""What is wrong with a notion, in sentences, and how far it can be relied on with given images, without a label."""

from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from likeness.encoders import text_warnings
from likeness.errors import InputError
from likeness.notions import AspectProbabilities, Composition, Notion, aspect_rows, check, parts_of

if TYPE_CHECKING:
    from likeness.encoders import EncoderLike
    from likeness.space import Space

# What is said around a notion's own templates; none of it says anything of an image.
REWORDINGS = ("a photo of {}", "this is {}", "{} in the picture", "there is {}")
# Below one of them the encoder hardly reads a notion; `python -m experiments.analyses trust` sets both beside the labels.
LEAST_STABILITY, LEAST_ALIGNMENT = 0.98, 0.5
FEWEST_IMAGES = 3
_IMAGES = 500


class Trust(NamedTuple):
    """How far a notion can be relied on: by stability, the correlation of what is similar with what is similar in other words, at most 1, and
    alignment, the share of the images' variance along the prompts that is beyond what a random direction has, 0 to 1. The score is both multiplied,
    `reads` whether both are enough to rely on what is near.
    """

    score: float
    stability: float
    alignment: float
    reads: bool

    @property
    def sentence(self) -> str:
        """The verdict, for people."""
        if self.stability < LEAST_STABILITY:
            return "Other words for the same give other neighbors here; do not rely on this notion."
        if self.alignment < LEAST_ALIGNMENT:
            return "These images hardly differ along these words; do not rely on this notion."
        return "The encoder reads this notion in these images."


def notion_trust(space: "Space", notion: Notion | Composition, seed: int = 0) -> Trust:
    """How far a notion can be relied on with these images, without a label.

    Stability: the similarity of two images is the Bhattacharyya coefficient of their zero-shot probabilities of the aspects (`AspectProbabilities`);
    what counts is its correlation, over all pairs of images, between the notion as it is and with other words around its templates (`REWORDINGS`),
    the mean of these: the statistic of Mantel (Cancer Research 27, 1967) and of representational similarity analysis (Kriegeskorte et al., Frontiers
    in Systems Neuroscience 2, 2008). Alignment: 1 - 1/w, where w = r tr(X T) / (tr X tr T), with the covariances X of the images and T of the aspects
    in r dimensions, is how many times more the images vary along the aspects than along a random direction. Words that are turned into random
    directions are stable and not aligned; words that mean nothing to the encoder are neither. Several notions that are joined can be trusted as far
    as the weakest.

    Args:
        space: the images; of a notion's space, what it is made from counts.
        seed: draws 500 images where there are more.

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
    stable, aligned = stability(images, aspects, *reworded), alignment(images, aspects)
    return Trust(max(stable, 0.0) * aligned, stable, aligned, stable >= LEAST_STABILITY and aligned >= LEAST_ALIGNMENT)


def sample(space: "Space", seed: int = 0) -> NDArray[np.float32]:
    """Unit rows of at most 500 images, as the encoder gives them, in the table's order."""
    rows = (space.base or space).vectors
    if len(rows) < FEWEST_IMAGES:
        raise InputError(f"How far a notion can be trusted shows from three images on; there are {len(rows)}.")
    return np.asarray(rows[np.sort(np.random.default_rng(seed).permutation(len(rows))[:_IMAGES])])


def worded_aspects(space: "Space", notion: Notion) -> list[Any]:
    """The rows of a notion's aspects, as it is and in each other wording."""
    base = space.base or space
    worded = [notion, *(replace(notion, template=tuple(words.replace("{}", each) for each in notion.templates)) for words in REWORDINGS)]
    prompts, _ = base.embed_prompts([prompt for each in worded for prompt in each.prompts])  # at once: a text encoder reads many faster than few
    return [aspect_rows(rows, each) for rows, each in zip(np.split(np.asarray(prompts), len(worded)), worded, strict=True)]


def alignment(images: NDArray[np.float32], aspects: Any) -> float:
    """1 - 1/w of images (n, r) and aspects (k, r), as `notion_trust` says; 0 where images vary less along the aspects than along most directions."""
    seen, said = (np.asarray(rows, np.float64) - np.mean(rows, axis=0, dtype=np.float64) for rows in (images, aspects))
    spread = float((seen**2).sum() * (said**2).sum())
    return max(0.0, 1 - spread / (seen.shape[1] * shared)) if spread and (shared := float(((seen @ said.T) ** 2).sum())) else 0.0


def stability(images: NDArray[np.float32], aspects: Any, *reworded: Any) -> float:
    """The mean correlation, over pairs of images (n, d), of their similarities by aspects (k, d) and by each other wording of these; 0 where the
    aspects of one of them are all the same to the encoder, so that no image differs from another.
    """
    pairs = np.triu_indices(len(images), 1)
    found = [_similarities(images, each)[pairs] for each in (aspects, *reworded)]
    return float(np.mean([_correlation(found[0], each) for each in found[1:]]))


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


def notion_warnings(notion: Notion | Composition, encoder: "EncoderLike | None" = None) -> list[str]:
    """A sentence for each thing that makes a notion's fit worse than it looks: repeated aspects, whole prompts in place of aspects, a second thing
    that varies (`likeness.notions.check`), words that the encoder does not know, and prompts that are longer than what it reads.

    Args:
        encoder: that reads the prompts; None: no word is looked up.

    Example:
        >>> notion_warnings(Notion("color", "a {} car", ["red", "blue", "red"]))
        ["'red' is listed 2 times, so it weighs 2 times as much; keep one if unintended."]
    """
    parts = [each for _, each in parts_of(notion)]
    found = [warning.message for each in parts for warning in check(each.templates, each.aspects)]
    if encoder is not None:
        found += [sentence for each in parts for sentence in text_warnings(encoder, each.prompts)]
    return found
