"""Compare query scores between two spaces, per query and overall."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from likeness.comparisons.neighborhoods import chosen_rows, rows_with_paths
from likeness.comparisons.random_projections import check_same_images, random_projections
from likeness.data import ImageTable, image_classes
from likeness.errors import InputError
from likeness.evaluation import bootstrap_interval, retrieval_scores
from likeness.progress import Progress, report_progress
from likeness.space import Space

# name of `likeness.evaluation.retrieval_scores` -> what people call it
SCORES = {"map": "Average precision", "map_at_r": "Average precision at R", "r_precision": "R-precision", "recall_at_1": "Recall@1"}


@dataclass(frozen=True)
class QueryChanges:
    """The score of each query in both spaces.

    Attributes:
        score: a name in `SCORES`.
        rows, labels: query images, which have another image of their label (q,), and that label.
        a, b: scores (q,), 0 to 1.
        control: (q, seeds), scores in random projections of the wider space, `wide`, to as many dimensions as the other has (`random_projections`).
    """

    score: str
    rows: NDArray[np.int64]
    labels: NDArray[Any]
    a: NDArray[np.float64]
    b: NDArray[np.float64]
    control: NDArray[np.float64]
    wide: str = ""

    @property
    def difference(self) -> NDArray[np.float64]:
        """B minus A (q,)."""
        return self.b - self.a

    def summary(self) -> dict[str, float]:
        """Overall change.

        Returns:
            queries, mean_a, mean_b, difference; low and high: the 95 % interval of the difference by the bootstrap over queries (percentiles of 2,000
            resamples; Efron, Annals of Statistics 1979); class_low and class_high: the same with whole classes drawn, since the queries of a class
            are not independent (NaN for fewer than five classes); better, worse, equal: numbers of queries; p: of the two-sided sign test of better
            against worse; control, control_low, control_high: mean, smallest and largest over the random projections (NaN without).
        """
        change, means = self.difference, self.control.mean(axis=0)
        better, worse = int((change > 0).sum()), int((change < 0).sum())
        low, high = bootstrap_interval(change)
        class_low, class_high = bootstrap_interval(change, self.labels)
        figures = {"queries": len(change), "mean_a": self.a.mean(), "mean_b": self.b.mean(), "difference": change.mean(), "low": low, "high": high}
        figures |= {"class_low": class_low, "class_high": class_high}
        figures |= {"better": better, "worse": worse, "equal": len(change) - better - worse, "p": sign_test(better, worse)}
        found = (means.mean(), means.min(), means.max()) if len(means) else (np.nan,) * 3
        figures |= dict(zip(("control", "control_low", "control_high"), found, strict=True))
        return {name: float(value) for name, value in figures.items()}

    def per_class(self) -> pd.DataFrame:
        """A row per label, the largest loss first: queries, a, b, difference, better, worse, p: of the sign test, adjusted for the number of classes
        (Benjamini and Hochberg, 1995)."""
        from scipy.stats import false_discovery_control

        change = self.difference
        lines = pd.DataFrame({"label": self.labels, "a": self.a, "b": self.b, "difference": change, "better": change > 0, "worse": change < 0})
        groups = lines.groupby("label", sort=False)
        found = groups[["a", "b", "difference"]].mean().join(groups[["better", "worse"]].sum())
        found.insert(0, "queries", groups.size())
        single = [sign_test(int(better), int(worse)) for better, worse in zip(found["better"], found["worse"], strict=True)]
        found["p"] = false_discovery_control(single)
        return found.sort_values("difference", kind="stable").reset_index()

    def frame(self, table: ImageTable | None = None) -> pd.DataFrame:
        """A row per query, the largest loss first: row, path, label, a, b, difference, control (mean over seeds)."""
        found = rows_with_paths(self.rows, table) | {"label": self.labels, "a": self.a, "b": self.b, "difference": self.difference}
        if self.control.shape[1]:
            found["control"] = self.control.mean(axis=1)
        return pd.DataFrame(found).sort_values("difference", kind="stable").reset_index(drop=True)


def query_changes(
    a: Space,
    b: Space,
    attribute: str,
    score: str = "map",
    *,
    rows: Any = None,
    seeds: Sequence[int] = (0,),
    progress: Progress | None = None,
    should_stop: Callable[[], bool] | None = None,
) -> QueryChanges:
    """Scores every image as a query in both spaces: how well it finds the images of its label among all labeled ones.

    Exact (`likeness.evaluation.retrieval_scores`). Images without a label are excluded; those with a unique label are not queries. InputError: spaces
    of other images, no such attribute or score, no two images of a label, or stopped.

    Args:
        attribute: of A's images, which has their labels.
        score: a name in `SCORES`.
        rows: query images; None: all up to 20,000, else 5,000 drawn at random. All images are searched.
        seeds: of the random projections; empty: no baseline.

    Example:
        >>> import likeness as lk
        >>> raw = lk.embed(lk.read("cars"), "cars")
        >>> color = raw.refit(lk.Notion("car color", "a {} car", ["red", "green", "blue", "white", "black"]))
        >>> bool(query_changes(raw, color, "car_color", seeds=[]).difference.mean() > 0.1)
        True
    """
    check_same_images(a, b)
    if score not in SCORES:
        raise InputError(f"There is no score '{score}' here; choose from {', '.join(SCORES)}.")
    classes, asks = image_classes(a.table, attribute), chosen_rows(len(a), rows)
    codes, labeled = classes.labels, np.flatnonzero(classes.labels >= 0)
    asks = asks[(codes[asks] >= 0) & (np.bincount(codes[labeled])[codes[asks]] > 1)]
    if not len(asks):
        raise InputError("No image has another one of its label, so none can be scored; choose another label.")
    steps, done = 2 + len(seeds), 0

    def scored(space: Space) -> NDArray[np.float64]:
        nonlocal done
        vectors = space.vectors if len(labeled) == len(a) else space.vectors[labeled]
        own = np.searchsorted(labeled, asks)
        found = retrieval_scores(vectors, codes[labeled], (1,), rows=own, only=[score], should_stop=should_stop)[score].to_numpy()
        done += 1
        report_progress(progress, done, steps)
        return found

    of_a, of_b = scored(a), scored(b)
    control = np.empty((len(asks), len(seeds)))
    wide = a if a.vectors.shape[1] >= b.vectors.shape[1] else b
    for column, projected in enumerate(random_projections(a, b, seeds)):
        control[:, column] = scored(projected)
    return QueryChanges(score, asks, np.array(classes.names, dtype=object)[codes[asks]], of_a, of_b, control, wide.name)


def sign_test(better: int, worse: int) -> float:
    """Two-sided p-value of the sign test of better against worse (Dixon and Mood, JASA 1946); 1 without differences."""
    from scipy.stats import binomtest

    return float(binomtest(better, better + worse).pvalue) if better + worse else 1.0
