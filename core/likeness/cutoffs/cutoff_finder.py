"""Find cut-offs of query results, and images whose labels help most."""

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from likeness.cutoffs.checked_set import MOST_NEEDED, CheckedSet, answers_needed
from likeness.cutoffs.cutoff import Cutoff, Estimate, Promise
from likeness.cutoffs.match_model import Floats, Rows, entropy, match_model, match_scores, score_bins
from likeness.errors import InputError

Answers = Mapping[int, bool] | Iterable[tuple[int, bool]]

_USUAL = 20  # answers that a promise takes at least, where nothing is known yet
_LOCATING = 5  # answers before the first check
_FIRST_RISK, _LATER_RISK = 0.8, 0.2  # the first check takes 0.8 of the risk, each further one 0.2 of that of the one before
_LEAST_HOPE = 0.2  # chance of a proof, below which no check begins
_GROWTH = 1.08  # from a proved set to the next larger one
_UNLIKELY = 1e-4
_WORTH = 0.75  # of the best set's worth that one with better chances must have; it grows afterwards
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
    estimates. A promise is a guarantee: it is proved by 15 to 30 answers on random images, independent of the model, which only chooses the set to
    check. InputError: similarities that are not finite or of fewer than 2 images, negatives of other images, or fdr or
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
            expected,
            len(known),
            self._promise(known, weights),
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
        checked, found = self._grown(known)[1], list[int]()
        drawn = checked.next(known, count) if checked is not None and checked.still_needed(known) < MOST_NEEDED else []
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

    def _checked(self, known: Mapping[int, bool]) -> CheckedSet | None:
        """The set that is checked, None where none is in reach: the same answers in the same order lead to the same.

        It is chosen by the first five answers, and given up after errors, where a smaller one takes fewer answers; the next check has a fifth of the
        risk of the one before, so that all together risk no more than is allowed (union bound).
        """
        current, number, before = None, 0, dict[int, bool]()
        for place, match in known.items():
            before[place] = match
            if len(before) < _LOCATING or (current is not None and (match or place >= current.size or current.proved(before))):
                continue
            chosen = self._best_set(before, number)
            if chosen is not None and (current is None or chosen.still_needed({}) < current.still_needed(before)):
                current, number = chosen, number + 1
        return current

    def _grown(self, known: Mapping[int, bool]) -> tuple[int, CheckedSet | None]:
        """Number of top images that can be guaranteed, and the set that is to be proved next.

        A proved set grows by 8 % at a time as long as the larger one is proved as well: tests in a fixed order need no correction, since the first
        that is wrong ends them (Angelopoulos et al., "Learn then test", 2021, section 3.2).
        """
        checked, size = self._checked(known), 0
        while checked is not None and checked.proved(known):
            size = checked.size
            checked = replace(checked, size=min(max(size + 1, int(size * _GROWTH)), len(self.scores))) if size < len(self.scores) else None
        return size, checked

    def _best_set(self, known: Mapping[int, bool], number: int) -> CheckedSet | None:
        """The set of which, as the model expects, most of all matches are promised, by the chance that all answers that it takes are matches (None
        where it is small for all); of those that promise nearly as much, the likeliest. At least half of its images need no answer.
        """
        ends, weights, risk = self.bins.ends, self._weights(known), (1 - self.confidence) * _FIRST_RISK * _LATER_RISK**number
        matching = np.array([place for place, match in known.items() if match], np.int64)
        unknown = ends - np.searchsorted(np.sort(np.fromiter(known, np.int64, len(known))), ends)
        needed = answers_needed(unknown, np.searchsorted(np.sort(matching), ends), self.fdr, risk)
        possible = np.flatnonzero((unknown >= 2 * needed) & (needed > 0) & (needed < MOST_NEEDED))
        likely = np.flatnonzero(weights > _UNLIKELY * weights.max())
        chance = self.model.precision[np.ix_(likely, possible)] ** needed[possible].astype(np.float32)
        hope = weights[likely] @ chance
        worth = np.where(hope >= _LEAST_HOPE, weights[likely] @ (chance * self.model.recall[np.ix_(likely, possible)]), 0)
        if not worth.any():
            return None
        best = possible[np.where(worth >= max(_WORTH * worth.max(), _UNLIKELY), hope, -1).argmax()]
        order = np.random.default_rng([self.seed, number]).permutation(len(self.scores))
        return CheckedSet(int(ends[best]), dict(known), order, self.fdr, risk)

    @staticmethod
    def _estimate(weights: Floats, shares: NDArray[np.floating], count: float) -> Estimate:
        """A share of so many images, by curve: its mean, and an interval that holds what the curves leave open and what is chance in so many."""
        order = np.argsort(shares)
        low, high = np.interp(_INTERVAL, np.cumsum(weights[order]), shares[order])
        count = max(count, 1.0)
        down, up = (_NORMAL * np.sqrt(end * (1 - end) / count) + 0.5 / count for end in (low, high))
        return Estimate(float(np.clip(weights @ shares, 0, 1)), max(0.0, float(low - down)), min(1.0, float(high + up)))

    def _promise(self, known: Mapping[int, bool], weights: Floats) -> Promise:
        size, checked = self._grown(known)
        if not size:
            return Promise(np.empty(0, np.int64), self.fdr, self.confidence, None, *self._why_not(checked, known, weights))
        kept = [place for place in range(size) if known.get(place, True)]
        at = int(self.bins.bin_of(size - 1))
        recall = self._estimate(weights, self.model.recall[:, at], float(weights @ self.model.found[:, -1]))
        return Promise(self.bins.order[kept], self.fdr, self.confidence, recall, 0, "")

    def _why_not(self, checked: CheckedSet | None, known: Mapping[int, bool], weights: Floats) -> tuple[int | None, str]:
        if checked is not None:
            drawn = checked.drawn(known)
            said = f"of {len(drawn)} drawn from the first {checked.size:,}, {sum(drawn)} match" if drawn else "no image was drawn at random yet"
            return checked.still_needed(known), said
        first = self._best_set(known, 0)
        least = None if first is None else max(0, _LOCATING - len(known)) + first.still_needed({})
        if not known:
            return least or _USUAL, "that takes answers, and there are none"
        if least is not None:
            return least, f"{len(known)} answers only tell roughly where matches end"
        top = min(20, len(self.scores))
        right = float((weights @ self.model.precision)[int(self.bins.bin_of(top - 1))])
        return None, f"even of the first {top}, about {right:.0%} are right"
