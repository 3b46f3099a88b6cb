"""Spaces judged by continuous labels: every image asks all others."""

from importlib import import_module

import numpy as np
import pytest

from likeness.errors import InputError
from likeness.evaluation import chance_metrics, continuous_comparison, continuous_metrics, oracle_metrics
from likeness.labels import NumberLabels

module = import_module("likeness.evaluation.continuous_comparison")


def drawn(n: int = 40) -> tuple[dict[str, np.ndarray], NumberLabels]:
    rng = np.random.default_rng(0)
    labels = rng.random((n, 2)) * 10
    return {"labels": labels + 0.5 * rng.standard_normal((n, 2)), "noise": rng.standard_normal((n, 3))}, NumberLabels(labels)


def test_is_each_space_asked_by_every_image() -> None:
    spaces, labels = drawn()
    found = continuous_comparison(spaces, labels)
    assert found is not None
    every = np.arange(40)
    apart = labels.between(every, every)
    for name, vectors in spaces.items():
        line = found.set_index("row").loc[name]
        for metric, value in continuous_metrics(apart, vectors, vectors, (1, 10, 30), exclude=every).items():
            if metric in line:
                assert line[metric] == pytest.approx(value, rel=1e-9)
        for metric, value in oracle_metrics(apart, (1, 10), exclude=every).items():
            if metric.startswith("mean"):
                assert line[f"oracle_{metric}"] == pytest.approx(value, rel=1e-9)
        chance = chance_metrics(apart, (10,), exclude=every)
        assert line["chance_mean_label_distance"] == pytest.approx(chance["mean_label_distance_at_10"])
        assert line["chance_ndcg_at_10"] == pytest.approx(chance["ndcg_at_10"])
    assert "ndcg_at_40" not in found  # 39 others
    assert found["mean_label_distance_at_1"].tolist() == sorted(found["mean_label_distance_at_1"])


def test_blocks_change_nothing_and_can_be_stopped(monkeypatch: pytest.MonkeyPatch) -> None:
    spaces, labels = drawn()
    whole = continuous_comparison(spaces, labels)
    monkeypatch.setattr(module, "_ENTRIES", 40 * 7)
    told: list[tuple[int, int]] = []
    parts = continuous_comparison(spaces, labels, progress=lambda *each: told.append(each))
    assert whole is not None
    assert parts is not None
    np.testing.assert_allclose(parts.drop(columns="row").to_numpy(float), whole.drop(columns="row").to_numpy(float), rtol=1e-9)
    assert told == [*((start, 40) for start in range(0, 40, 7)), (40, 40)]
    assert continuous_comparison(spaces, labels, should_stop=lambda: True) is None


def test_some_of_the_images_and_some_queries(monkeypatch: pytest.MonkeyPatch) -> None:
    spaces, labels = drawn()
    rows = np.arange(5, 35)
    found = continuous_comparison({"labels": spaces["labels"][rows]}, labels, rows)
    alone = continuous_comparison({"labels": spaces["labels"][rows]}, NumberLabels(labels.values[rows]))
    assert found is not None
    assert found.equals(alone)
    monkeypatch.setattr(module, "MOST_QUERIES", 10)
    assert module.spread_queries(40).tolist() == [0, 4, 9, 13, 17, 22, 26, 30, 35, 39]


def test_too_few_images() -> None:
    with pytest.raises(InputError, match="10 images with a label are too few to measure retrieval; give at least 11"):
        continuous_comparison({"a": np.ones((10, 2))}, NumberLabels(np.arange(10.0)))
