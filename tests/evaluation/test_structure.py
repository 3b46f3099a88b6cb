"""Structure metrics against the authors' code and a direct computation."""

from pathlib import Path

import numpy as np
import pytest
import torch
from scipy.stats import entropy

from likeness.errors import InputError
from likeness.evaluation import structure_metrics

Arrays = dict[str, np.ndarray]


@pytest.fixture(scope="module")
def reference(shared: Path) -> Arrays:
    with np.load(shared / "reference" / "structure.npz") as file:
        return dict(file)


@pytest.mark.parametrize("branch", ["numpy", "torch"])
def test_equal_to_the_authors_code(reference: Arrays, branch: str) -> None:
    found = structure_metrics(reference["embeddings"], reference["labels"])
    assert found["intra"] == pytest.approx(float(reference[f"intra_official_{branch}"]), abs=1e-9)
    assert found["inter"] == pytest.approx(float(reference[f"inter_official_{branch}"]), abs=1e-9)
    assert found["ratio"] == pytest.approx(float(reference[f"intra_over_inter_official_{branch}"]), abs=1e-9)
    assert found["spectral_decay"] == pytest.approx(float(reference["rho_mode1_oodml_torch"]), abs=1e-9)
    assert found["spectral_decay"] == pytest.approx(float(reference["kl_uniform_to_spectrum_full"]), abs=1e-9)
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
    unit = rows / np.linalg.norm(rows, axis=1, keepdims=True)
    intra, centres = [], []
    for each in np.unique(labels):
        own = unit[labels == each]
        intra.append(np.mean([1 - a @ b for i, a in enumerate(own) for j, b in enumerate(own) if i != j]))
        centres.append(own.mean(axis=0) / np.linalg.norm(own.mean(axis=0)))
    inter = np.mean([1 - a @ b for i, a in enumerate(centres) for j, b in enumerate(centres) if i != j])
    values = np.linalg.svd(unit, compute_uv=False)
    found = structure_metrics(
        torch.from_numpy(rows) if tensor else rows, torch.from_numpy(labels) if tensor else [f"class {each}" for each in labels]
    )
    assert found["intra"] == pytest.approx(np.mean(intra))
    assert found["inter"] == pytest.approx(inter)
    assert found["ratio"] == pytest.approx(np.mean(intra) / inter)
    assert found["spectral_decay"] == pytest.approx(entropy(np.full(5, 0.2), values / values.sum()))


def test_bounds_of_the_decay() -> None:
    labels = [0, 0, 1, 1]
    assert structure_metrics(np.eye(4), labels)["spectral_decay"] == pytest.approx(0, abs=1e-12)
    assert structure_metrics([[1.0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 1, 0]], labels)["spectral_decay"] == np.inf


@pytest.mark.parametrize(
    ("rows", "labels", "message"),
    [
        (np.eye(3), [0, 0, 0], "1 classes with 3 rows"),
        (np.eye(3), [0, 1, 2], "3 classes with 1 rows"),
        (np.diag([1.0, 0, 1]), [0, 0, 1], "Row 1 has length 0"),
        (np.full((3, 2), np.nan), [0, 0, 1], "not finite"),
        (np.eye(3), [0, 1], "labels has size"),
    ],
)
def test_errors(rows: np.ndarray, labels: list[int], message: str) -> None:
    with pytest.raises(InputError, match=message):
        structure_metrics(rows, labels)
