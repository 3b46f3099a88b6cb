"""Cutoffs of one query, by rules without answers and by the tool with answers, and their quality."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from likeness.cutoffs import CutoffFinder, match_scores

Floats = NDArray[np.float64]
_BATCH = 5  # images that are asked about at once


@dataclass(frozen=True, eq=False)
class LabeledQuery:
    """The similarities of all images to a query, and their matches by label.

    Attributes:
        name: shown to people.
        similarities: (n,).
        negatives: (m, n) to the other aspects of the notion, or None.
        truth: (n,) which images match.
    """

    name: str
    similarities: Floats
    negatives: Floats | None
    truth: NDArray[np.bool_]

    @cached_property
    def margins(self) -> Floats:
        """(n,) how much more similar images are to the query than to the nearest negative."""
        return match_scores(self.similarities, self.negatives)

    @cached_property
    def best_f1(self) -> float:
        """F1 of the best threshold on the similarities."""
        found = np.cumsum(self.truth[np.argsort(-self.similarities, kind="stable")])
        return float((2 * found / (np.arange(1, len(found) + 1) + found[-1])).max())

    def f1(self, chosen: NDArray[Any]) -> float:
        """The same for some images, as rows or as a mask (n,)."""
        found = self.truth[chosen]
        return float(2 * found.sum() / (len(found) + self.truth.sum()))

    def figures(self, chosen: NDArray[Any]) -> dict[str, float]:
        """F1, its share of the best F1, and whether that share is at least 95 %."""
        f1 = self.f1(chosen)
        return {"f1": f1, "ratio": f1 / self.best_f1, "within": float(f1 >= 0.95 * self.best_f1)}


def after_answers(query: LabeledQuery, finder: CutoffFinder, counts: Sequence[int]) -> list[dict[str, float]]:
    """Scores after each number of answers, given by labels, five at a time; also evaluates the guarantee and the intervals."""
    answers: dict[int, bool] = {}
    found = []
    for count in sorted(counts):
        while len(answers) < min(count, len(query.truth)):
            rows = finder.next_to_ask(answers, min(_BATCH, count - len(answers))).tolist()
            answers |= {row: bool(query.truth[row]) for row in rows}
        cut = finder.cut_off(answers)
        right = query.truth[cut.rows]
        row = {"answers": float(count), **query.figures(cut.rows), "promise": float(bool(cut.promise))}
        row["precision_held"] = float(cut.precision.low <= right.mean() <= cut.precision.high)
        row["recall_held"] = float(cut.recall.low <= right.sum() / query.truth.sum() <= cut.recall.high)
        if cut.promise:
            promised = query.truth[cut.promise.rows]
            row |= {"promised_fdr": 1 - float(promised.mean()), "promised_recall": float(promised.sum() / query.truth.sum())}
        found.append(row)
    return found


def otsu(scores: Floats) -> float:
    """The threshold between two groups with the greatest distance of means (Otsu, IEEE Trans. Systems, Man and Cybernetics 1979)."""
    counts, edges = np.histogram(scores, 256)
    share, middle = counts / counts.sum(), (edges[1:] + edges[:-1]) / 2
    below, moment = np.cumsum(share), np.cumsum(share * middle)
    between = (moment[-1] * below - moment) ** 2 / np.maximum(below * (1 - below), 1e-12)
    return float(edges[1:][between[:-1].argmax()])


def two_normals(scores: Floats) -> float:
    """The lowest score from which on the upper of two normal distributions is the likelier (scikit-learn's GaussianMixture)."""
    from sklearn.mixture import GaussianMixture

    mixture = GaussianMixture(2, random_state=0).fit(scores[:, None])
    upper = int(mixture.means_.ravel().argmax())
    ordered = np.sort(scores)[::-1]
    likely = mixture.predict_proba(ordered[:, None])[:, upper] >= 0.5
    # a wide distribution may also be the likelier at the far end
    count = int(np.argmin(likely)) if not likely.all() else len(likely)
    return float(ordered[max(count, 1) - 1])


def flat_thresholds(queries: Sequence[LabeledQuery], scores: Callable[[LabeledQuery], Floats]) -> list[float]:
    """For each query, the threshold with the best mean share of the best F1 on all other queries; missing if there are none."""
    values = [scores(query) for query in queries]
    if len(queries) < 2:
        return [float("nan")] * len(queries)
    top = np.concatenate([np.sort(each)[-2 * int(query.truth.sum()) :] for each, query in zip(values, queries, strict=True)])
    grid = np.unique(np.quantile(top, np.linspace(0, 1, 400)))
    shares = np.array([_shares(query, each, grid) for query, each in zip(queries, values, strict=True)])
    return [float(grid[(shares.sum(axis=0) - own).argmax()]) for own in shares]


def _shares(query: LabeledQuery, scores: Floats, grid: Floats) -> Floats:
    """The share of the best F1 at each threshold."""
    order = np.argsort(-scores, kind="stable")
    found = np.concatenate([[0], np.cumsum(query.truth[order])])
    sizes = np.searchsorted(-scores[order], -grid, side="right")
    return np.asarray(2 * found[sizes] / (sizes + found[-1]) / query.best_f1)
