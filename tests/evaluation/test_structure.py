from pathlib import Path

import numpy as np
import pytest
import torch
from scipy.spatial.distance import pdist
from scipy.stats import entropy

from likeness import arrays
from likeness.errors import InputError
from likeness.evaluation import class_sums, clustered_order, structure_metrics
from likeness.evaluation.class_means import class_means
from made_rows import unit

Arrays = dict[str, np.ndarray]


@pytest.fixture(scope="module")
def reference(shared: Path) -> Arrays:
    with np.load(shared / "reference" / "structure.npz") as file:
        return dict(file)


@pytest.mark.parametrize("branch", ["numpy", "torch"])
def test_equal_to_the_authors_code(reference: Arrays, branch: str) -> None:
    found = structure_metrics(reference["embeddings"], reference["labels"])
    theirs = {"intra": f"intra_official_{branch}", "inter": f"inter_official_{branch}", "ratio": f"intra_over_inter_official_{branch}"}
    assert found == pytest.approx(
        {name: float(reference[at]) for name, at in (theirs | {"spectral_decay": "rho_mode1_oodml_torch"}).items()}, abs=1e-9
    )
    # the authors' NumPy branch leaves the smallest singular value out
    assert found["spectral_decay"] != pytest.approx(float(reference["rho_mode1_oodml_numpy"]), abs=1e-3)


def test_a_class_of_one_row_is_left_out_of_intra(reference: Arrays) -> None:
    found = structure_metrics(reference["embeddings"], reference["labels_with_singleton"])
    assert found["intra"] == pytest.approx(float(reference["intra_singleton_ignoring_it"]), abs=1e-9)
    assert found["inter"] == pytest.approx(float(reference["inter_official_singleton"]), abs=1e-9)


@pytest.mark.parametrize("tensor", [False, True])
def test_equal_to_pairs_one_by_one(tensor: bool) -> None:
    rng = np.random.default_rng(0)
    rows, labels = rng.standard_normal((30, 5)), rng.integers(0, 4, 30)
    own = [unit(rows)[labels == each] for each in np.unique(labels)]
    intra = np.mean([pdist(each, "cosine").mean() for each in own])
    inter = pdist(np.stack([each.mean(axis=0) for each in own]), "cosine").mean()
    values = np.linalg.svd(unit(rows), compute_uv=False)
    expected = {"intra": intra, "inter": inter, "ratio": intra / inter, "spectral_decay": entropy(np.full(5, 0.2), values / values.sum())}
    given = (torch.from_numpy(rows), torch.from_numpy(labels)) if tensor else (rows, [f"class {each}" for each in labels])
    assert structure_metrics(*given) == pytest.approx(expected)


def test_bounds_of_the_decay() -> None:
    labels = [0, 0, 1, 1]
    assert structure_metrics(np.eye(4), labels)["spectral_decay"] == pytest.approx(0, abs=1e-12)
    assert structure_metrics([[1.0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 1, 0]], labels)["spectral_decay"] == np.inf


@pytest.mark.parametrize(
    ("rows", "labels", "message"),
    [
        (np.eye(3), [0, 0, 0], "got 1 classes with at most 3 rows"),
        (np.eye(3), [0, 1, 2], "got 3 classes with at most 1 rows"),
        (np.diag([1.0, 0, 1]), [0, 0, 1], "Row 1 has length 0"),
        (np.full((3, 2), np.nan), [0, 0, 1], "not finite"),
        (np.eye(3), [0, 1], "labels has size"),
    ],
)
def test_errors(rows: np.ndarray, labels: list[int], message: str) -> None:
    with pytest.raises(InputError, match=message):
        structure_metrics(rows, labels)


def test_means_are_of_unit_length_and_point_to_the_middle() -> None:
    rows = np.array([[1.0, 0], [0, 1], [0, -1], [0, -1]], dtype=np.float32)
    np.testing.assert_allclose(class_means(rows, np.array([0, 0, 1, 1])), [[0.5**0.5, 0.5**0.5], [0, -1]])
    rows = np.array([[0.6, 0.8], [-0.6, -0.8], [1, 0]], dtype=np.float32)
    with pytest.raises(InputError, match="images of class 1 cancel out"):
        class_means(rows, np.array([1, 1, 0]))


@pytest.mark.parametrize("part_bytes", [1, 100, 10**9])
def test_sums_equal_a_loop(part_bytes: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(arrays, "PART_BYTES", part_bytes)
    rng = np.random.default_rng(0)
    rows, labels = rng.standard_normal((200, 3)).astype(np.float32), rng.integers(0, 7, 200)
    labels[labels == 4] = 5
    expected = [rows[labels == each].sum(axis=0, dtype=np.float64) for each in range(8)]
    np.testing.assert_allclose(class_sums(rows, labels, 8), expected, atol=1e-12)
    np.testing.assert_allclose(class_sums(rows, labels, 8, scale=lambda part: 2 * part), 2 * np.array(expected), atol=1e-12)


def test_similar_classes_stand_together() -> None:
    block = np.array([0, 1, 2, 0, 1, 2, 0, 1])
    order = clustered_order(np.where(block[:, None] == block, 0.9, 0.1) + 0.01 * np.abs(np.subtract.outer(range(8), range(8))))
    assert sorted(order.tolist()) == list(range(8))
    assert np.count_nonzero(np.diff(block[order])) == 2
    places = np.array([3.0, 0.5, 2.1, 1.2, 4.4])  # a line is found in order
    assert clustered_order(-np.abs(np.subtract.outer(places, places))).tolist() in ([1, 3, 2, 0, 4], [4, 0, 2, 3, 1])
    with pytest.raises(InputError, match="There are 1,001 classes, but at most 1,000"):
        clustered_order(np.eye(1001))
