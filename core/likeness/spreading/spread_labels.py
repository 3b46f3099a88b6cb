"""Propagate labels from a few images of a space to all."""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from likeness.arrays import row_slices
from likeness.errors import InputError
from likeness.progress import Progress
from likeness.space import Space
from likeness.spreading.class_scores import probe_scores, propagation_scores
from likeness.spreading.given_labels import GivenLabels
from likeness.threads import one_blas_thread

METHODS = ("propagation", "probe")
_CONFIDENCE = 0.95
# Selections of a class: with fewer, holding one out leaves so little of its class that the accuracy is too low.
_FEW_SELECTIONS = 5


@dataclass(frozen=True, eq=False)
class LabelSpread:
    """Labels of all images of a space.

    Attributes:
        method: "propagation" or "probe".
        classes: (c,) the different labels, sorted.
        given: (n,) number of the class that was given, -1 where none was.
        probabilities: (n, c) of each image's classes, rows sum to 1. Of an image that was given a label they are what the other labels say, so that
            they can contradict it; only of a class with a single label they are what all say.
        temperature: by which scores were divided; 1 where no label could be held out.
        held_out: labels that could be held out, with all that were given together with them: those of classes that have two or more, given at two
            times or more.
        held_out_right: how many of them the others say.
        selections: how many times these were given; as many as labels where nothing is known of that.
        unjudged: labels of classes that have two or more, all given at once.
    """

    space: Space
    method: str
    classes: NDArray[Any]
    given: NDArray[np.int64]
    probabilities: NDArray[np.float32]
    temperature: float
    held_out: int
    held_out_right: int
    selections: int
    unjudged: int = 0

    def __len__(self) -> int:
        return len(self.given)

    def __repr__(self) -> str:
        return f"LabelSpread({len(self.classes)} classes, {(self.given >= 0).sum():,} of {len(self):,} labels given, by {self.method})"

    @cached_property
    def best(self) -> NDArray[np.int64]:
        """Number (n,) of the most probable class, also where another one was given."""
        return np.asarray(self.probabilities.argmax(axis=1))

    @cached_property
    def numbers(self) -> NDArray[np.int64]:
        """Number (n,) of each image's class: the one that was given, or else the most probable."""
        return np.where(self.given >= 0, self.given, self.best)

    @property
    def labels(self) -> NDArray[Any]:
        """Label (n,) of each image: the one that was given, or else the most probable."""
        return np.asarray(self.classes[self.numbers])

    @cached_property
    def confidence(self) -> NDArray[np.float32]:
        """Probability (n,) of each image's label; of a label that was given, what the other labels say."""
        return np.take_along_axis(self.probabilities, self.numbers[:, None], axis=1)[:, 0]

    @cached_property
    def margin(self) -> NDArray[np.float32]:
        """By how much (n,) the most probable class is ahead of the second, 0 to 1."""
        two = -np.partition(-self.probabilities, 1, axis=1)[:, :2]
        return np.asarray(two[:, 0] - two[:, 1])

    @property
    def accuracy(self) -> float:
        """Share of held-out labels that the others predict; NaN if none could be held out.

        It is that of images like the labeled ones. Labels that were chosen because they were uncertain are harder than the rest, so that it is too
        low then; classes with a single label, or without any, are not judged. Images that were chosen together, as by a lasso, are alike and find
        each other, so that they are held out together where it is known. With few selections of each class it is too low then (`is_low`).
        """
        return self.held_out_right / self.held_out if self.held_out else float("nan")

    @property
    def is_low(self) -> bool:
        """True if the accuracy underestimates, because most labels of a class had to be held out at once."""
        return self.selections < min(self.held_out, _FEW_SELECTIONS * len(self.classes))

    @property
    def accuracy_interval(self) -> tuple[float, float]:
        """Where the accuracy lies with a probability of .95 (Wilson's interval); (0, 1) where no label could be held out.

        Labels that were given together count as one: they are right or wrong together.
        """
        if not self.held_out:
            return 0.0, 1.0
        from scipy.stats import binomtest

        found = binomtest(round(self.accuracy * self.selections), self.selections).proportion_ci(_CONFIDENCE, method="wilson")
        return float(found.low), float(found.high)

    @property
    def unseen(self) -> float:
        """Share of images whose class has no label yet, if the labeled images were drawn at random (Good-Turing: classes with one label, per label).

        Nothing else here knows of such classes: where the share is large, confidence and accuracy are too high by as much. It means nothing where
        each class was labeled on purpose.
        """
        counts = np.bincount(self.given[self.given >= 0])
        return float((counts == 1).sum() / counts.sum())

    def sentence(self) -> str:
        """How many labels were given and what the held-out ones say, for people."""
        given = f"{(self.given >= 0).sum():,} of {len(self):,} images have a label, of {len(self.classes)} classes."
        if not self.held_out and self.unjudged:
            return (
                f"{given} Nothing says yet how often the others are right: the images of each class were chosen at once, and such images are alike. "
                "Label some more of each class elsewhere."
            )
        if not self.held_out:
            return f"{given} No class has two labels, so nothing says how often the others are right; give some classes a second one."
        low, high = self.accuracy_interval
        together = " with all that were chosen at once with them" if self.selections < self.held_out else ""
        rest = f" {self.unjudged:,} are not judged, as all of their class were chosen at once." if self.unjudged else ""
        said = f"Of {self.held_out:,} labels that were held out{together}, the others say {self.accuracy:.0%} right ({low:.0%} to {high:.0%})."
        rest = f"{' With so few selections that is rather too low.' if self.is_low else ''}{rest}"
        return f"{given} {said}{rest}"

    def table(self) -> pd.DataFrame:
        """A row per image: path (where there are images), label, confidence, given (whether the label was)."""
        columns = {"label": self.labels, "confidence": self.confidence, "given": self.given >= 0}
        paths = {"path": self.space.table.frame["path"]} if self.space.table.has_images else {}
        return pd.DataFrame(paths | columns)


def check_method(method: str) -> None:
    """Raises InputError for a method that `spread_labels` does not have."""
    if method not in METHODS:
        raise InputError(f"There is no method '{method}' to spread labels; choose {' or '.join(METHODS)}.")


def spread_labels(
    space: Space, labels: Any, method: str = "propagation", *, together: Any = None, seed: int = 0, progress: Progress | None = None
) -> LabelSpread:
    """Labels of all images from those of a few, with probabilities.

    Methods: "propagation", along the graph of neighbors (`neighbor_graph`, `propagate`): Zhou et al., NIPS 2003, as scikit-learn's LabelSpreading,
    but sparse. "probe": scikit-learn's LogisticRegression on the vectors.

    Probabilities are calibrated by a temperature that makes held-out labels most probable (`fit_temperature`): along the graph each label is held out
    by itself where there are up to 300, else in three groups or more; for the probe in three groups. Labels of a class that has but one cannot be
    held out; if all are such, the temperature is 1 and the accuracy unknown. With fewer than some ten labels the temperature hardly leaves 1.
    InputError: an unknown method, not one label per image, labels of fewer than two classes, or not one of `together` per image.

    Args:
        labels: (n,) texts or numbers; None, NaN, "" or `likeness.data.UNLABELED` where there is none.
        together: (n,) numbers or texts, equal for images whose labels were given in one go, as to a selection on the map: such images are alike, so
            that the accuracy and the temperature are measured with all of them held out at once. None: nothing is known of that.
        seed: deals labels into groups.

    Example:
        >>> import numpy as np, likeness as lk
        >>> space = lk.Space(np.array([[1, 0], [0.9, 0.1], [0.8, 0.1], [0, 1], [0.1, 0.9], [0.1, 0.8]]))
        >>> found = spread_labels(space, ["red", None, None, "blue", None, None])
        >>> found.labels.tolist()
        ['red', 'red', 'red', 'blue', 'blue', 'blue']
    """
    check_method(method)
    given = GivenLabels.of(labels, len(space))
    rows = given.rows
    at_once = _of_rows(together, space, rows)
    with one_blas_thread():
        scores = (probe_scores if method == "probe" else propagation_scores)(space, given, at_once, seed=seed, progress=progress)
    numbers = given.numbers[rows]
    judged = np.bincount(numbers)[numbers] > 1
    apart = judged if at_once is None else _given_twice(numbers, scores.apart_groups)
    held_out = int(apart.sum())
    selections = held_out if at_once is None else len(np.unique(at_once[apart]))
    temperature = fit_temperature(scores.apart[apart], numbers[apart])
    if selections < min(held_out, _FEW_SELECTIONS * len(given.classes)):  # what few labels say is less sure than what all will say
        temperature = min(temperature, 1.0)
    probabilities = np.empty(scores.all.shape, np.float32)
    for part in row_slices(*scores.all.shape):
        probabilities[part] = temper(scores.all[part], temperature)
    probabilities[rows[judged]] = temper(scores.held_out[judged], temperature)
    right = int((scores.apart[apart].argmax(axis=1) == numbers[apart]).sum())
    unjudged = int((judged & ~apart).sum())
    return LabelSpread(space, method, given.classes, given.numbers, probabilities, temperature, held_out, right, selections, unjudged)


def _of_rows(together: Any, space: Space, rows: NDArray[np.int64]) -> Any:
    """What says which labels were given together, of the labeled rows alone; None where nothing does."""
    if together is None:
        return None
    values = np.asarray(together)
    if values.shape != (len(space),):
        raise InputError(f"'together' has shape {values.shape} for {len(space)} images; pass one number per image.")
    return values[rows]


def _given_twice(numbers: NDArray[np.int64], groups: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Which labels (m,) are of a class that is in two groups or more."""
    pairs = np.unique(np.stack([numbers, groups], axis=1), axis=0)
    return np.asarray(np.bincount(pairs[:, 0], minlength=int(numbers.max(initial=0)) + 1)[numbers] > 1)


Floats = NDArray[np.float64]

_LOWEST, _HIGHEST = 0.05, 20.0
_PRIOR = 4.0  # labels that speak for a temperature of 1


def temper(logs: Floats, temperature: float) -> Floats:
    """Probabilities (n, c): the softmax of log scores (n, c) over a temperature."""
    from scipy.special import softmax

    return np.asarray(softmax(logs / temperature, axis=1))


def fit_temperature(logs: Floats, numbers: NDArray[np.int64]) -> float:
    """The temperature at which held-out labels, of log scores (m, c) and classes (m,), are most probable (Guo, Pleiss, Sun and Weinberger, ICML
    2017). With few it stays near 1: the square of its logarithm counts as much as four labels do.
    """
    if not len(numbers):
        return 1.0
    from scipy.optimize import minimize_scalar
    from scipy.special import log_softmax

    own = np.arange(len(numbers)), numbers

    def loss(exponent: float) -> float:
        return float(-log_softmax(logs / np.exp(exponent), axis=1)[own].sum() + _PRIOR * exponent**2)

    found = minimize_scalar(loss, bounds=(np.log(_LOWEST), np.log(_HIGHEST)), method="bounded", options={"xatol": 1e-3})
    return float(np.exp(found.x))
