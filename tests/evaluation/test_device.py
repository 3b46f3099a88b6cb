"""Metrics of tensors on a device, run here by the processor: the host's figures, from blocks of bounded memory. Ranks: test_ranks, test_retrieval."""

from typing import Any

import numpy as np
import pytest
import torch
from torch.utils._python_dispatch import TorchDispatchMode

from likeness import arrays
from likeness.evaluation import _device, _ranks, clustering, clustering_metrics, metrics, retrieval_metrics
from likeness.training.loop.scores import scores
from made_rows import clusters

CPU = torch.device("cpu")


@pytest.fixture
def as_device(monkeypatch: pytest.MonkeyPatch) -> None:
    """Tensors of the processor count as lying on a device, and no set of rows is too small for it."""
    monkeypatch.setattr(arrays, "HOST", ())
    monkeypatch.setattr(_ranks, "SORTED_UP_TO", 0)


class Largest(TorchDispatchMode):
    """Notes the bytes of the largest tensor that torch makes."""

    def __init__(self) -> None:
        super().__init__()
        self.bytes = 0

    def __torch_dispatch__(self, function: Any, types: Any, arguments: Any = (), options: Any = None) -> Any:
        found = function(*arguments, **(options or {}))
        if isinstance(found, torch.Tensor) and not function.is_view:
            self.bytes = max(self.bytes, found.nbytes)
        return found


def test_where_metrics_are_computed() -> None:
    assert arrays.device_of(np.eye(2)) is None
    assert arrays.device_of(torch.eye(2)) is None
    assert arrays.device_of([[1.0, 2.0]]) is None
    assert arrays.device_of(torch.empty(2, 2, device="meta")) == torch.device("meta")


@pytest.mark.parametrize("metric", ["cosine", "euclidean"])
def test_all_metrics_of_tensors_are_those_of_arrays(metric: Any, as_device: None) -> None:
    x, labels = clusters(500, 16, 20, 1.5)
    wanted = ["precision_at_1", "r_precision", "map_at_r", "map", "mrr", "recall_at_2", "ami", "nmi", "f1"]
    assert metrics(torch.from_numpy(x), labels, wanted, distance=metric) == pytest.approx(metrics(x, labels, wanted, distance=metric), abs=1e-12)


def test_the_device_is_what_computes_also_what_judges_a_run(as_device: None, monkeypatch: pytest.MonkeyPatch) -> None:
    x, labels = clusters(300, 8, 12, 1.5)
    assert scores(torch.from_numpy(x), labels)[0] == pytest.approx(scores(x, labels)[0], abs=1e-12)
    called = []
    found = (np.arange(0), np.zeros(301, int))
    monkeypatch.setattr(_device.DeviceCounter, "ranks", lambda *arguments: called.append("ranks") or found)  # type: ignore[func-returns-value]
    retrieval_metrics(torch.from_numpy(x), labels)
    assert called == ["ranks"]


@pytest.mark.parametrize("most", [1, 5_000, 60_000])
def test_small_blocks_give_the_same_and_keep_to_their_memory(most: int, as_device: None, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of 1, a query and a gallery row at a time. Classes of 1 to 150 rows."""
    rng = np.random.default_rng(0)
    labels = np.minimum(rng.geometric(0.3, 300), 9)
    x = (rng.standard_normal((10, 8))[labels] + rng.standard_normal((300, 8))).astype(np.float32)
    if most == 1:
        x, labels = x[:40], labels[:40]
    expected = retrieval_metrics(x, labels) | clustering_metrics(x, labels)
    monkeypatch.setattr(_device, "MOST_BYTES", most)
    with Largest() as largest:
        found = retrieval_metrics(torch.from_numpy(x), labels) | clustering_metrics(torch.from_numpy(x), labels)
    assert found == pytest.approx(expected, abs=1e-12)
    if most > 1:
        assert 0 < largest.bytes <= most


@pytest.mark.parametrize(("n", "classes", "noise"), [(400, 12, 1.0), (400, 12, 3.0), (1500, 3, 2.0)])
def test_k_means_is_that_of_faiss(n: int, classes: int, noise: float) -> None:
    x, _ = clusters(n, 10, classes, noise)
    for seed in (0, 1234):
        np.testing.assert_array_equal(clustering.kmeans(x, classes, seed, CPU), clustering.kmeans(x, classes, seed))


def test_repeated_rows_leave_the_clusters_that_faiss_leaves() -> None:
    """Thirty different rows and fifty clusters: the empty ones are filled again and again."""
    x = np.repeat(np.random.default_rng(0).standard_normal((30, 8)).astype(np.float32), 10, axis=0)
    found, expected = (clustering.kmeans(x, 50, 0, device) for device in (CPU, None))
    assert clustering.agreement(expected.astype(np.intp), found.astype(np.intp)) == {"nmi": 1.0, "ami": 1.0, "f1": 1.0}
