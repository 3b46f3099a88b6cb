from importlib import import_module
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import torch
from hypothesis import given, settings, strategies as st
from scipy.spatial.distance import cdist
from sklearn.metrics import ndcg_score

from likeness.errors import InputError
from likeness.evaluation import chance_metrics, continuous_comparison, continuous_metrics, oracle_metrics
from likeness.labels import NumberLabels

module = import_module("likeness.evaluation.continuous")


def drawn(seed: int, q: int = 7, n: int = 40) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    return rng.random((q, n)) * 20, rng.standard_normal((q, 5)), rng.standard_normal((n, 5))


def plain(apart: np.ndarray, queries: np.ndarray, gallery: np.ndarray, k: int) -> tuple[float, float]:
    """By scikit-learn, with gains of 2 ** -log2(distance + 1), linear as its own."""
    away = cdist(queries, gallery)
    nearest = np.take_along_axis(apart, np.argsort(away, axis=1)[:, :k], axis=1)
    return float(nearest.mean()), float(ndcg_score(1 / (apart + 1), -away, k=k))


def test_equals_the_authors_code(shared: Path) -> None:
    with np.load(shared / "reference" / "continuous_eval.npz") as file:
        known = {name: file[name] for name in file.files}
    ks = sorted({*known["ks_mean_distance"].tolist(), *known["ks_ndcg"].tolist()})
    found = continuous_metrics(known["label_distances"], known["query_embeddings"], known["gallery_embeddings"], ks)
    for name, at in (("mean_label_distance", "ks_mean_distance"), ("ndcg", "ks_ndcg")):
        assert [found[f"{name}_at_{k}"] for k in known[at]] == pytest.approx(known[name].tolist(), rel=1e-12)


@pytest.mark.parametrize("k", [1, 3, 11, 40])
def test_is_the_definition(k: int) -> None:
    given_ = drawn(k)
    found = continuous_metrics(*given_, (k,))
    distance, ndcg = plain(*given_, k)
    assert found == {f"mean_label_distance_at_{k}": pytest.approx(distance, rel=1e-12), f"ndcg_at_{k}": pytest.approx(ndcg, rel=1e-12)}


@settings(max_examples=30)
@given(st.integers(0, 10_000))
def test_lies_between_the_worst_and_the_oracle(seed: int) -> None:
    apart, queries, gallery = drawn(seed)
    found, best = continuous_metrics(apart, queries, gallery, (1, 5, 40)), oracle_metrics(apart, (1, 5, 40))
    for k in (1, 5, 40):
        assert best[f"mean_label_distance_at_{k}"] <= found[f"mean_label_distance_at_{k}"] + 1e-9
        assert 0 < found[f"ndcg_at_{k}"] <= 1 + 1e-12
        assert best[f"ndcg_at_{k}"] == pytest.approx(1)
    chance = chance_metrics(apart, (1, 5, 40))
    assert found["mean_label_distance_at_40"] == pytest.approx(chance["mean_label_distance_at_1"])  # whoever retrieves all retrieves by chance
    assert chance["ndcg_at_5"] < 1


def test_the_query_itself_can_be_left_out() -> None:
    rows = np.random.default_rng(1).standard_normal((12, 3))
    apart = np.linalg.norm(rows[:, None, :1] - rows[None, :, :1], axis=2)
    found = continuous_metrics(apart, rows, rows, (1, 11), exclude=np.arange(12))
    by_hand = [
        continuous_metrics(np.delete(apart[row : row + 1], row, 1), rows[row : row + 1], np.delete(rows, row, 0), (1, 11)) for row in range(12)
    ]
    for name, value in found.items():
        assert value == pytest.approx(np.mean([each[name] for each in by_hand]), rel=1e-12)
    assert oracle_metrics(apart, (1,), exclude=np.arange(12))["mean_label_distance_at_1"] > 0


def test_relevance_and_scale_of_paper_and_code_tensors_many_queries_and_ties(monkeypatch: pytest.MonkeyPatch) -> None:
    apart, queries, gallery = drawn(5)
    other, usual = np.random.default_rng(9).random(apart.shape), continuous_metrics(apart, queries, gallery, (1, 5))
    found = continuous_metrics(apart, queries, gallery, (5,), relevance_distances=other, scale=224 / 288)
    assert found["mean_label_distance_at_5"] == pytest.approx(usual["mean_label_distance_at_5"] * 224 / 288)
    assert found["ndcg_at_5"] == pytest.approx(continuous_metrics(other, queries, gallery, (5,))["ndcg_at_5"])
    assert continuous_metrics([[3.0, 1, 2]], np.zeros((1, 2)), np.ones((3, 2)), (1,))["mean_label_distance_at_1"] == 3  # equally near: in order
    monkeypatch.setattr(module, "_ENTRIES", 50)
    assert continuous_metrics(*map(torch.tensor, (apart, queries, gallery)), (1, 5)) == pytest.approx(usual, rel=1e-12)


@pytest.mark.parametrize(
    ("apart", "ks", "told"),
    [
        (np.full((7, 40), -1.0), (1,), "label distance of query 0 and gallery image 0 is -1; pass finite ones, 0 or more"),
        (np.full((7, 40), np.nan), (1,), "is nan; pass finite ones"),
        (np.ones((7, 39)), (1,), "shape \\(7, 39\\) do not fit 7 queries and 40 images"),
        (np.ones(7), (1,), "shape \\(7,\\); pass those from queries to gallery images"),
        (np.ones((7, 40)), (41,), "ks are \\[41\\], but 40 images can be retrieved; choose whole numbers from 1 to 40"),
        (np.ones((7, 40)), (), "ks are \\[\\]"),
        (np.ones((7, 40)), (0,), "ks are \\[0\\]"),
    ],
)
def test_bad_input(apart: np.ndarray, ks: tuple[int, ...], told: str) -> None:
    _, queries, gallery = drawn(0)
    with pytest.raises(InputError, match=told):
        continuous_metrics(apart, queries, gallery, ks)
    with pytest.raises(InputError, match="queries have shape \\(7, 5\\), the gallery \\(40, 4\\)"):
        continuous_metrics(np.ones((7, 40)), queries, gallery[:, :4])
    gallery[3, 1] = np.inf
    with pytest.raises(InputError, match="The embedding of gallery image 3 is not finite"):
        continuous_metrics(np.ones((7, 40)), queries, gallery, (1,))
    with pytest.raises(InputError, match="exclude must hold a row, -1 to 39, for each of the 7 queries; got shape \\(6,\\)"):
        oracle_metrics(np.ones((7, 40)), (1,), exclude=np.zeros(6, int))


@pytest.mark.parametrize("exclude", [False, True])
def test_chance_is_the_mean_over_all_orders(exclude: bool) -> None:
    """Of a gallery of 5 images, by every one of its orders."""
    from itertools import permutations

    apart, hidden = np.random.default_rng(4).random((3, 5)) * 9, np.array([0, 1, 2]) if exclude else None
    sums: dict[str, list[float]] = {}
    for row in range(3):
        kept = np.delete(apart[row], row) if exclude else apart[row]
        for order in permutations(range(len(kept))):
            places = np.argsort(order)[:, None].astype(float)  # image order[0] is the nearest, and so on
            for name, value in continuous_metrics(kept[None], np.zeros((1, 1)), places + 1, (1, 3)).items():
                sums.setdefault(name, []).append(value)
    assert chance_metrics(apart, (1, 3), exclude=hidden) == pytest.approx({name: np.mean(values) for name, values in sums.items()}, rel=1e-12)


def spaces_and_labels(n: int = 40) -> tuple[dict[str, np.ndarray], NumberLabels]:
    rng = np.random.default_rng(0)
    labels = rng.random((n, 2)) * 10
    return {"labels": labels + 0.5 * rng.standard_normal((n, 2)), "noise": rng.standard_normal((n, 3))}, NumberLabels(labels)


def test_is_each_space_asked_by_every_image() -> None:
    spaces, labels = spaces_and_labels()
    found = continuous_comparison(spaces, labels)
    assert found is not None
    every = np.arange(40)
    apart = labels.between(every, every)
    oracle = {f"oracle_{name}": value for name, value in oracle_metrics(apart, (1, 10), exclude=every).items() if name.startswith("mean")}
    chance = chance_metrics(apart, (10,), exclude=every)
    bounds = {"chance_mean_label_distance": chance["mean_label_distance_at_10"], "chance_ndcg_at_10": chance["ndcg_at_10"]}
    for name, line in found.set_index("row").iterrows():
        own = continuous_metrics(apart, spaces[str(name)], spaces[str(name)], (1, 10, 30), exclude=every)
        expected = {metric: value for metric, value in own.items() if metric in line} | oracle | bounds
        assert line[list(expected)].to_dict() == pytest.approx(expected, rel=1e-9)
    assert {"mean_label_distance_at_1", "mean_label_distance_at_10", "ndcg_at_10"} <= set(found)
    assert "ndcg_at_40" not in found  # 39 others
    assert found["mean_label_distance_at_1"].is_monotonic_increasing


def test_blocks_change_nothing_can_be_stopped_and_too_few_images_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    spaces, labels = spaces_and_labels()
    whole = continuous_comparison(spaces, labels)
    monkeypatch.setattr(module, "_DISTANCES", 40 * 7)
    told: list[tuple[int, int]] = []
    parts = continuous_comparison(spaces, labels, progress=lambda *each: told.append(each))
    pd.testing.assert_frame_equal(parts, whole, rtol=1e-9)
    assert told == [*((start, 40) for start in range(0, 40, 7)), (40, 40)]
    assert continuous_comparison(spaces, labels, should_stop=lambda: True) is None
    with pytest.raises(InputError, match="10 images with a label are too few to measure retrieval; pass at least 11"):
        continuous_comparison({"a": np.ones((10, 2))}, NumberLabels(np.arange(10.0)))


def test_some_of_the_images_and_some_queries(monkeypatch: pytest.MonkeyPatch) -> None:
    spaces, labels = spaces_and_labels()
    rows = np.arange(5, 35)
    found = continuous_comparison({"labels": spaces["labels"][rows]}, labels, rows)
    alone = continuous_comparison({"labels": spaces["labels"][rows]}, NumberLabels(labels.values[rows]))
    assert found is not None
    assert found.equals(alone)
    monkeypatch.setattr(module, "MOST_QUERIES", 10)
    assert module.spread_queries(40).tolist() == [0, 4, 9, 13, 17, 22, 26, 30, 35, 39]
