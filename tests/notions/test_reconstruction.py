import numpy as np
import pytest
import torch

from likeness.errors import InputError
from likeness.notions import reconstruction_angles


def by_loops(text: np.ndarray, U: np.ndarray) -> list[float]:
    """Eq. 1 to 4 of the paper, term by term."""
    found = []
    for t in text:
        t = t / np.sqrt(sum(value**2 for value in t))
        code = np.array([sum(t[i] * U[i, j] for i in range(len(t))) for j in range(U.shape[1])])
        code = code / np.sqrt(sum(value**2 for value in code))
        back = np.array([sum(code[j] * U[i, j] for j in range(U.shape[1])) for i in range(len(t))])
        found.append(np.arccos(t @ back / np.sqrt(sum(value**2 for value in back))))
    return found


def test_equals_the_equations_in_loops() -> None:
    rng = np.random.default_rng(0)
    text, U = rng.standard_normal((5, 7)), rng.standard_normal((7, 3))
    assert reconstruction_angles(text, U) == pytest.approx(np.array(by_loops(text, U)), abs=1e-12)


@pytest.mark.parametrize(("n", "k"), [(40, 2), (40, 16), (40, 64), (100, 2), (100, 16)])
def test_equals_the_authors_loss(reference: dict, n: int, k: int) -> None:
    angles = reconstruction_angles(reference[f"n{n}_text_embeddings"].astype(np.float64), reference[f"n{n}_k{k}_U0"].T)
    assert angles.mean() == pytest.approx(float(reference[f"n{n}_k{k}_loss_U0"]), abs=1e-9)


def test_known_angles_and_tiny_ones() -> None:
    U = np.eye(3)[:, :2]
    angles = reconstruction_angles(np.array([[1.0, 0, 0], [1, 0, 1], [0, 0, 1]]), U)
    assert angles == pytest.approx(np.array([0, np.pi / 4, np.pi / 2]), abs=1e-15)
    assert reconstruction_angles(np.array([[1.0, 0, 1e-9]]), np.eye(3)[:, :2])[0] == pytest.approx(1e-9, rel=1e-6)


def test_scale_of_the_matrix_does_not_matter() -> None:
    rng = np.random.default_rng(1)
    text, U = rng.standard_normal((4, 6)), rng.standard_normal((6, 2))
    assert reconstruction_angles(text, 1e-6 * U) == pytest.approx(reconstruction_angles(text, U), abs=1e-12)


def test_torch_in_torch_out() -> None:
    angles = reconstruction_angles(torch.eye(3), torch.eye(3)[:, :2])
    assert isinstance(angles, torch.Tensor)
    assert angles.tolist() == pytest.approx([0, 0, np.pi / 2])


def test_nan_is_refused() -> None:
    with pytest.raises(InputError, match="prompt embeddings row 0 holds NaN"):
        reconstruction_angles(np.full((1, 3), np.nan), np.eye(3))
