"""Find cut-offs of query results, and images whose labels help most."""

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from likeness.cutoffs.checks import Checks
from likeness.cutoffs.cutoff import Cutoff, Estimate, Promise
from likeness.cutoffs.match_model import Floats, Rows, entropy, match_model, match_scores, score_bins
from likeness.errors import InputError

Answers = Mapping[int, bool] | Iterable[tuple[int, bool]]

_USUAL = 20  # answers that a promise takes at least, where nothing is known yet
_INTERVAL, _NORMAL = (0.05, 0.95), 1.645
_REGRET, _EVERY = 0.03, 3  # F1 that the best cut-off of each curve is ahead, above which every third question is one near the cut-off


def answer_pairs(answers: Answers, count: int) -> list[tuple[int, bool]]:
    """The answers as pairs; raises InputError for a row that `count` images do not have."""
    pairs = list(answers.items() if isinstance(answers, Mapping) else answers)
    wrong = [row for row, _ in pairs if not 0 <= row < count]
    if wrong:
        raise InputError(f"There is no image {wrong[0]}; the last is {count - 1}.")
    return pairs


def check_shares(fdr: float, confidence: float) -> None:
    """Raises InputError as `CutoffFinder` for shares out of range."""
    for name, value in (("fdr", fdr), ("confidence", confidence)):
        if not 0 < value < 1:
            raise InputError(f"{name} is {value}; pass a share above 0 and below 1, such as {0.1 if name == 'fdr' else 0.9}.")


class CutoffFinder:
    """Cut-offs of one query from the scores of all images and answers on some. Create it once, and call it after every answer.

    The cut-off maximizes the expected F1 of a model of the scores (`likeness.cutoffs.match_model`), updated by answers. Its precision and recall are
    estimates. A promise is a guarantee: it is proved by 15 to 30 answers on random images, independent of the model (`likeness.cutoffs.Bet`), which
    only chooses the set to check. InputError: similarities that are not finite or of fewer than 2 images, negatives of other images, or fdr or
    confidence out of range.

    Args:
        similarities: (n,) of all images to a query, of any kind in any space.
        negatives: (m, n) similarities to negative prompts: other aspects of a notion, or neutral texts. The score is then the similarity to the query
            minus that to the nearest of them.
        fdr: allowed share of errors in a promised set, above 0 and below 1.
        confidence: probability, above 0 and below 1, that no promise for this query is false.

    Example:
        >>> import numpy as np
        >>> rng = np.random.default_rng(0)
        >>> matches = np.arange(2000) < 150
        >>> finder = CutoffFinder(rng.normal(size=2000) + 6 * matches)
        >>> answers = {}
        >>> for _ in range(30):
        ...     row = int(finder.next_to_ask(answers)[0])
        ...     answers[row] = bool(matches[row])
        >>> found = finder.cut_off(answers)
        >>> abs(len(found.rows) - 150) < 20, len(found.promise.rows) > 130
        (True, True)
    """

    def __init__(self, similarities: Any, negatives: Any = None, *, fdr: float = 0.1, confidence: float = 0.9, seed: int = 0) -> None:
        check_shares(fdr, confidence)
        self.scores = match_scores(similarities, negatives)
        self.fdr, self.confidence, self.seed = fdr, confidence, seed
        self.bins = score_bins(self.scores)
        self.model = match_model(self.bins, negatives is not None)
        self._draws: dict[int, Rows] = {}

    def _draw(self, check: int) -> Rows:
        """(n,) places of all images in the random order of a check, which depends on the seed alone."""
        if check not in self._draws:
            self._draws[check] = np.random.default_rng([self.seed, check]).permutation(len(self.scores))
        return self._draws[check]

    def cut_off(self, answers: Answers = ()) -> Cutoff:
        """The cut-off after answers: row -> whether the image matches, or such pairs, in chronological order.

        Answers on any images are used, but a promise needs those of `next_to_ask`. Raises InputError for an unknown row.
        """
        known = self._places(answers)
        weights = self._weights(known)
        best = int((weights @ self.model.f1).argmax())
        size = int(self.bins.ends[best])
        rows = self.bins.order[:size]
        model, expected = self.model, float(weights @ self.model.found[:, -1])
        return Cutoff(
            rows,
            float(self.scores[rows[-1]]),
            self._estimate(weights, model.precision[:, best], size),
            self._estimate(weights, model.recall[:, best], expected),
            self._estimate(weights, model.f1[:, best], size),
            expected,
            len(known),
            self._promise(self._checks(known), known, weights),
        )

    def next_to_ask(self, answers: Answers = (), count: int = 1) -> Rows:
        """Rows (count,) of the images whose answers help most; fewer if nearly all are answered.

        The first five are near plausible cut-offs. Then images are drawn at random from the set whose promise would be largest, by what is known, and
        as long as the cut-off is uncertain every third is one near it; where no promise is in reach, all are. InputError: there is no such row, or a
        count below 1.
        """
        if count < 1:
            raise InputError(f"The count is {count}; ask for at least 1 image.")
        known = self._places(answers)
        weights = self._weights(known)
        drawn, found = self._checks(known).next(known, count), list[int]()
        uncertain = float(weights @ self.model.f1.max(axis=1) - (weights @ self.model.f1).max()) > _REGRET
        while len(found) < min(count, len(self.scores) - len(known)):
            number = len(known) + len(found)
            taken = {*known, *found, *drawn}
            if drawn and (len(taken) == len(self.scores) or not (uncertain and number % _EVERY == 0)):
                found.append(drawn.pop(0))
            else:
                found.append(self._near_cut_off(weights, taken, number))
        return self.bins.order[found]

    def _near_cut_off(self, weights: Floats, taken: set[int], number: int) -> int:
        """In turn where the curves disagree most (Houlsby et al., arXiv 1112.5745), and at the best cut-off of one that is drawn by its weight."""
        if number % 2:
            drawn = np.random.default_rng([self.seed, number]).choice(len(weights), p=weights)
            wanted = -np.abs(np.arange(len(self.bins.ends)) - self.model.f1[drawn].argmax())
        else:
            wanted = entropy(weights @ self.model.chance) - weights @ self.model.entropy
        for place in np.argsort(-wanted, kind="stable"):
            begin, end = int(self.bins.ends[place] - self.bins.counts[place]), int(self.bins.ends[place])
            free = [each for each in range(begin, min(end, begin + len(taken) + 1)) if each not in taken]
            if free:
                return free[len(free) // 2]
        raise AssertionError("every image is taken")

    def _places(self, answers: Answers) -> dict[int, bool]:
        return {int(self.bins.places[row]): bool(match) for row, match in answer_pairs(answers, len(self.scores))}

    def _weights(self, known: Mapping[int, bool]) -> Floats:
        return self.model.weights(self.bins.bin_of(list(known)).tolist() if known else (), known.values())

    def _checks(self, known: Mapping[int, bool]) -> Checks:
        return Checks.after(known, self.model, self._weights, self._draw, self.fdr, 1 - self.confidence)

    @staticmethod
    def _estimate(weights: Floats, shares: NDArray[np.floating], count: float) -> Estimate:
        """A share of so many images, by curve: its mean, and an interval that holds what the curves leave open and what is chance in so many."""
        order = np.argsort(shares)
        low, high = np.interp(_INTERVAL, np.cumsum(weights[order]), shares[order])
        count = max(count, 1.0)
        down, up = (_NORMAL * np.sqrt(end * (1 - end) / count) + 0.5 / count for end in (low, high))
        return Estimate(float(np.clip(weights @ shares, 0, 1)), max(0.0, float(low - down)), min(1.0, float(high + up)))

    def _promise(self, checks: Checks, known: Mapping[int, bool], weights: Floats) -> Promise:
        size = checks.promised(known)
        if not size:
            return Promise(np.empty(0, np.int64), self.fdr, self.confidence, None, *self._why_not(checks, known, weights))
        kept = [place for place in range(size) if known.get(place, True)]
        at = int(self.bins.bin_of(size - 1))
        recall = self._estimate(weights, self.model.recall[:, at], float(weights @ self.model.found[:, -1]))
        return Promise(self.bins.order[kept], self.fdr, self.confidence, recall, 0, "")

    def _why_not(self, checks: Checks, known: Mapping[int, bool], weights: Floats) -> tuple[int | None, str]:
        if checks.current is None:
            top = int(min(20, len(self.scores)))
            right = float((weights @ self.model.precision)[int(self.bins.bin_of(top - 1))])
            if not known:
                return checks.least or _USUAL, "that takes answers, and there are none"
            if checks.least is not None:
                return checks.least, f"{len(known)} answers only tell roughly where matches end"
            return None, f"even of the first {top}, about {right:.0%} are right"
        current, drawn = checks.current, checks.current.drawn(known)
        said = f"of {len(drawn)} drawn from the first {current.size:,}, {sum(drawn)} match" if drawn else "no image was drawn at random yet"
        return current.still_needed(known), said
