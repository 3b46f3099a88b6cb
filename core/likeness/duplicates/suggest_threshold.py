"""From which similarity on two images count as copies, measured on altered copies of images of the dataset."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from likeness.duplicates.altered_copies import CopySimilarities, copy_similarities
from likeness.progress import Progress

if TYPE_CHECKING:
    from likeness.space import Space

_LEAST = 0.01  # a threshold is above 0


@dataclass(frozen=True)
class SuggestedThreshold:
    """A threshold and how it does on the altered copies that it was chosen by.

    Attributes:
        threshold: cosine similarity.
        found: share of the copies that reach it with their original, 0 to 1.
        confused: share of the copies that another image reaches it with. Real copies in the dataset count among these.
        copies: how many there were.
    """

    threshold: float
    found: float
    confused: float
    copies: int

    @property
    def message(self) -> str:
        """One sentence for people."""
        return (
            f"Threshold {self.threshold:.4f}: of {self.copies} altered copies (saved again, halved, cropped, brightened) {self.found:.0%} are found, "
            f"and {self.confused:.0%} are also taken for copies of another image."
        )


def suggest_threshold(space: "Space", images: int = 100, seed: int = 0, progress: Progress | None = None) -> SuggestedThreshold:
    """The threshold that tells altered copies of some images from all other images best.

    Of an encoder's space that is what near copies are. In a notion's space, it is how far the notion can be read: images that are nearer to each
    other differ in the notion by no more than copies of one picture do.

    Args, Raises: as `copy_similarities`.

    Example:
        >>> import likeness as lk
        >>> 0.5 < suggest_threshold(lk.embed(lk.read("cars"), "cars"), images=20).threshold < 1
        True
    """
    return best_threshold(copy_similarities(space, images, seed, progress))


def best_threshold(measured: CopySimilarities) -> SuggestedThreshold:
    """The threshold of the largest F1 = 2 TP / (TP + FP + copies), where TP copies reach it with their original, and FP pairs of a copy with another
    image reach it, of the ten most similar ones of each copy.

    It lies in the middle between the least similar copy that is found and the next lower similarity of any kind.
    """
    own, other = measured.own.ravel(), measured.other.ravel()
    values = np.unique(np.concatenate([own, other]))[::-1].astype(np.float64)
    hits, false = ((np.searchsorted(np.sort(each), values)) for each in (own, other))
    true_positives, false_positives = len(own) - hits, len(other) - false
    best = int(np.argmax(2 * true_positives / (true_positives + false_positives + len(own))))
    threshold = values[best] if best + 1 == len(values) else (values[best] + values[best + 1]) / 2
    threshold = float(np.clip(threshold, _LEAST, 1))
    return SuggestedThreshold(threshold, float((own >= threshold).mean()), float((measured.other >= threshold).any(axis=2).mean()), len(own))
