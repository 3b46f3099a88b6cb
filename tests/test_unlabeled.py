"""The law of labels that are missing: every figure is the same whether images without one are taken out beforehand or left in."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
import pytest

import likeness as lk
from experiments.analyses.algebra import algebra_table
from experiments.analyses.changed_images import changed_table
from experiments.analyses.cut_offs import cut_offs
from experiments.analyses.label_spreading import label_spreading
from experiments.analyses.sentences import sentence_notions
from experiments.analyses.trust import trust_table
from experiments.public_benchmarks.notion_protocol import class_notion
from likeness.comparisons import query_changes
from likeness.data import has_label, image_classes, labeled_images
from likeness.duplicates import leaks_by, near_copies, rarer_side
from likeness.evaluation import clustering_metrics, retrieval_metrics, retrieval_scores, structure_metrics
from likeness.notions import Oracle, get_notion
from likeness.reports import ReportOptions
from likeness.reports.figures import retrieval_table
from likeness.shifts import class_mean_features, divisible_classes, reference_distances
from likeness.space import Space
from likeness.studies import classes_of, compare

COLOR, BODY = "car_color", "body_type"
EVERY_SIXTH = 6
MISSING = [None, float("nan"), pd.NA, "", "(unlabeled)"]
NOTIONS = [get_notion(name) for name in ("car-color", "car-model", "viewpoint")]


@pytest.fixture(scope="module")
def cars() -> Space:
    """Some shipped cars, of which one in six has no color."""
    whole = lk.embed(lk.read("cars"), "cars")
    rows = np.arange(0, 2000, 10)
    return part(whole, rows)


def part(space: Space, rows: np.ndarray) -> Space:
    table = replace(space.table, frame=space.table.frame.iloc[rows])
    return space.replace(vectors=space.vectors[rows], images=table, index=None, provenance="")


def with_gaps(space: Space) -> Space:
    """The space with labels of the color missing in every way there is."""
    column = space.table.frame[COLOR].astype(object).copy()
    gaps = np.arange(0, len(space), EVERY_SIXTH)
    for place, row in enumerate(gaps):
        column.iloc[row] = MISSING[place % len(MISSING)]
    return space.replace(vectors=space.vectors, images=replace(space.table, frame=space.table.frame.assign(**{COLOR: column})), provenance="")


def _metrics(space: Space) -> Any:
    return {name: value for name, value in space.metrics(by=COLOR).items() if name != "left_out"}


def _own(space: Space) -> Any:
    """A function of one's own sees labeled rows alone."""
    seen = []
    lk.metrics(space.vectors, space.table.frame[COLOR].tolist(), include=[lambda rows, labels: seen.append((len(rows), sorted(set(labels)))) or 0.0])
    return seen


def _scores(space: Space) -> Any:
    return retrieval_scores(space.vectors, space.table.frame[COLOR], rows=np.arange(len(space))).drop(columns="label").to_numpy()


def _cross(space: Space) -> Any:
    labels = space.table.frame[COLOR]
    return retrieval_metrics(space.vectors, labels, query_embeddings=space.vectors, query_labels=labels)


def _splits(space: Space) -> Any:
    classes = divisible_classes(space.table, [COLOR])
    means = class_mean_features(space.vectors, classes.labels, len(classes.names))
    halves = np.array_split(np.arange(len(classes.names)), 2)
    distances = reference_distances(space.vectors, classes.labels, *(half.tolist() for half in halves), repeats=2, images=False)
    return classes.names, means, distances["distance"].to_numpy()


def _semantics(space: Space) -> Any:
    found = classes_of(space.table, [COLOR], None, 2)
    return found.names, found.labels, space.vectors[found.rows]


def _leaks(space: Space) -> Any:
    pairs = near_copies(space, 0.8)
    paths = space.table.frame["path"]
    found = leaks_by(pairs, space.table, COLOR)
    return sorted(zip(paths[found["row"]], found["value"], strict=True)), paths[rarer_side(pairs, space.table, COLOR)].tolist()


def _oracle(space: Space) -> Any:
    fitted = Oracle(2, 0).fit(space.vectors, space.table.frame[COLOR])
    return fitted.classes_, np.asarray(fitted.U)


def _runs(frame: pd.DataFrame) -> Any:
    return frame.drop(columns=["left_out", "fit_seconds"], errors="ignore").select_dtypes("number").to_numpy()


CONSUMERS: dict[str, Callable[[Space], Any]] = {
    "Space.metrics": _metrics,
    "Space.metrics by two": lambda space: space.metrics(by=[COLOR, BODY], include=["map_at_r", "recall_at_2"])["map_at_r"],
    "metrics": lambda space: lk.metrics(space.vectors, space.table.frame[COLOR])["map_at_r"],
    "metrics of a list": lambda space: lk.metrics(space.vectors, space.table.frame[COLOR].tolist(), include=["nmi", "intra"])["nmi"],
    "own metric": _own,
    "retrieval_metrics": lambda space: retrieval_metrics(space.vectors, space.table.frame[COLOR]),
    "retrieval_metrics, euclidean": lambda space: retrieval_metrics(space.vectors, space.table.frame[COLOR], metric="euclidean"),
    "retrieval_scores": _scores,
    "retrieval_metrics across": _cross,
    "clustering_metrics": lambda space: clustering_metrics(space.vectors, space.table.frame[COLOR]),
    "clustering_metrics of groups": lambda space: clustering_metrics(None, space.table.frame[COLOR], space.table.frame[BODY]),
    "structure_metrics": lambda space: structure_metrics(space.vectors, space.table.frame[COLOR]),
    "Oracle": _oracle,
    "splits": _splits,
    "semantics": _semantics,
    "leaks": _leaks,
    "class_notion": lambda space: class_notion("color", COLOR, "a {} car", space.table.frame[COLOR].tolist()).aspects,
    "query_changes": lambda space: query_changes(space, space.refit(NOTIONS[0]), COLOR, seeds=[]).b,
    "report": lambda space: retrieval_table(space, space.refit(NOTIONS[0]), NOTIONS[0], ReportOptions()).rows[:2],
    "compare": lambda space: _runs(compare(space, NOTIONS[:1], ["raw", "exact", "oracle"], [2], [0], metrics=["map_at_r", "ami", "zero_shot"])),
    "algebra": lambda space: _of_color(algebra_table(space, NOTIONS, seeds=[0])),
    "changed_table": lambda space: _runs(changed_table(space, NOTIONS[1], NOTIONS[0], count=5, seeds=[0])),
    "changed_table, kept": lambda space: _runs(changed_table(space, NOTIONS[0], NOTIONS[1], count=5, seeds=[0])),
    "cut_offs": lambda space: _runs(cut_offs(space, by=COLOR, queries=3, counts=[0], seeds=[0])),
    "cut_offs of texts": lambda space: _runs(cut_offs(space, NOTIONS[:1], counts=[0], seeds=[0])),
    "label_spreading": lambda space: _runs(label_spreading(space, NOTIONS[:1], seeds=[0], ways=["nearest"])),
    "sentence_notions": lambda space: _judged(sentence_notions(space, NOTIONS[:1], seeds=[0])),
    "trust_table": lambda space: trust_table(space, NOTIONS[:1], seeds=[0])[["map_at_r", "raw"]].to_numpy(),
}


def _of_color(runs: pd.DataFrame) -> Any:
    """Of pairs and notions that the color judges."""
    return runs[runs["notion"].str.contains("car color")]["map_at_r"].to_numpy()


def _judged(runs: pd.DataFrame) -> Any:
    """Of aspects that the images themselves do not choose."""
    return runs[runs["aspects_of"].isin(["raw", "hand-written"])]["map_at_r"].to_numpy()


def _flat(found: Any) -> list[Any]:
    if isinstance(found, dict):
        return _flat(list(found.values()))
    if isinstance(found, list | tuple):
        return [value for each in found for value in _flat(each)]
    return np.ravel(found).tolist() if isinstance(found, np.ndarray) else [found]


@pytest.mark.parametrize("name", CONSUMERS)
def test_a_figure_is_that_of_the_labeled_images(cars: Space, name: str) -> None:
    """With images in it that have no label, and after they were taken out; every way to have none is there."""
    left_in = with_gaps(cars)
    taken_out = part(left_in, np.flatnonzero(has_label(left_in.table.frame[COLOR])))
    assert len(taken_out) == len(cars) - len(range(0, len(cars), EVERY_SIXTH))
    expected, found = (_flat(CONSUMERS[name](space)) for space in (taken_out, left_in))
    assert len(found) == len(expected) > 0
    for value, other in zip(found, expected, strict=True):
        assert value == (pytest.approx(other, abs=1e-6, nan_ok=True) if isinstance(other, float) else other)


def test_how_many_are_left_out_stands_beside_the_figure(cars: Space) -> None:
    left_in = with_gaps(cars)
    count = len(range(0, len(cars), EVERY_SIXTH))
    assert left_in.metrics(by=COLOR)["left_out"] == count
    assert lk.metrics(left_in.vectors, left_in.table.frame[COLOR], include="map_at_r")["left_out"] == count
    assert "left_out" not in cars.metrics(by=COLOR)
    assert image_classes(left_in.table, COLOR).left_out == count
    assert set(compare(left_in, NOTIONS[:1], ["raw"], metrics=["map_at_r"])["left_out"]) == {count}
    assert set(sentence_notions(left_in, NOTIONS[:1], seeds=[0])["left_out"]) == {count}
    assert len(labeled_images(left_in.table, COLOR)) == len(cars) - count
