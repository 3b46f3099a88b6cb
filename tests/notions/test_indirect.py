import subprocess
import sys
from collections.abc import Callable

import numpy as np
import pytest
from scipy.linalg import null_space
from scipy.spatial.distance import cosine

from likeness.errors import InputError
from likeness.notions import InDiReCT
from likeness.notions.indirect import angles
from made_rows import unit


def similarities(estimator: InDiReCT, images: np.ndarray) -> np.ndarray:
    rows = estimator.transform(images)
    return rows @ rows.T


@pytest.mark.parametrize("solver", ["exact", "adam"])
def test_reports_what_its_matrix_does(text: np.ndarray, solver: str) -> None:
    fit = InDiReCT(3, solver=solver).fit(text)
    assert fit.U.shape == (24, 3)
    assert fit.angles_ == pytest.approx(angles(unit(text), fit.U), abs=1e-9)
    assert fit.loss_ == pytest.approx(fit.angles_.mean(), abs=1e-12)
    assert fit.n_iter_ > 1


def by_definition(text: np.ndarray, U: np.ndarray) -> np.ndarray:
    """Eq. 1 to 4 of the paper."""
    return np.arccos(1 - np.array([cosine(prompt, U @ (prompt @ U)) for prompt in text]))


def test_angles_equal_the_equations_in_any_scale_of_the_matrix() -> None:
    rng = np.random.default_rng(0)
    text, U = rng.standard_normal((5, 7)), rng.standard_normal((7, 3))
    for scale in (1, 1e-6):
        assert angles(unit(text), scale * U) == pytest.approx(by_definition(text, U), abs=1e-12)
    known = angles(unit(np.array([[1.0, 0, 0], [1, 0, 1], [0, 0, 1], [1, 0, 1e-9]])), np.eye(3)[:, :2])
    assert known[:3] == pytest.approx(np.array([0, np.pi / 4, np.pi / 2]), abs=1e-15)
    assert known[3] == pytest.approx(1e-9, rel=1e-6)


@pytest.mark.parametrize(("n", "k"), [(40, 2), (40, 16), (40, 64), (100, 2), (100, 16)])
def test_the_loss_is_the_authors_and_the_exact_fit_not_above_theirs(reference: dict, n: int, k: int) -> None:
    rows = unit(reference[f"n{n}_text_embeddings"].astype(np.float64))
    assert angles(rows, reference[f"n{n}_k{k}_U0"].T).mean() == pytest.approx(float(reference[f"n{n}_k{k}_loss_U0"]), abs=1e-9)
    fit = InDiReCT(k).fit(reference[f"n{n}_text_embeddings"])
    assert fit.loss_ <= reference[f"n{n}_k{k}_fit_best_loss"].mean()
    assert fit.loss_ <= reference[f"n{n}_k{k}_best_known_loss"] + 1e-6


@pytest.mark.parametrize("dim", [4, 30])
@pytest.mark.parametrize(
    "change",
    [
        lambda text, turn: (text @ turn, turn),
        lambda text, _: (text[[3, 1, 6, 0, 2, 5, 4]] * np.arange(1, 8)[:, None], np.eye(40)),
        lambda text, _: (np.vstack([text, text]), np.eye(40)),
    ],
    ids=["rotation of all", "order and length", "all repeated"],
)
def test_what_says_the_same_gives_the_same_space(change: Callable[..., tuple[np.ndarray, np.ndarray]], dim: int) -> None:
    rng = np.random.default_rng(1)
    text, images = rng.standard_normal((7, 40)) + 1, rng.standard_normal((6, 40))
    changed, turn = change(text, np.linalg.qr(rng.standard_normal((40, 40)))[0])
    plain, other = InDiReCT(dim).fit(text), InDiReCT(dim).fit(changed)
    assert other.loss_ == pytest.approx(plain.loss_, abs=1e-8)
    assert similarities(other, images @ turn) == pytest.approx(similarities(plain, images), abs=1e-3 if dim == 4 else 1e-10)


def test_a_repeated_prompt_counts_double(text: np.ndarray) -> None:
    usual = InDiReCT(2).fit(text)
    worst = int(np.argmax(usual.angles_))
    stressed = InDiReCT(2).fit(np.vstack([text, np.repeat(text[[worst]], 60, axis=0)]))
    assert stressed.angles_[worst] < 0.5 * usual.angles_[worst]


def test_fewer_prompts_than_dimensions_lose_nothing_and_exact_sees_only_their_span(images: np.ndarray) -> None:
    text = np.random.default_rng(0).standard_normal((5, 24)) + 2
    beside = null_space(text)[:, 0]
    for solver in ("exact", "faded"):
        fit = InDiReCT(20, solver).fit(text)
        assert fit.U.shape == (24, 20)
        assert fit.loss_ < 1e-12
        assert np.linalg.norm(fit.transform(images), axis=1) == pytest.approx(np.ones(12))
        moved = np.abs(fit.transform(images + 3 * beside) - fit.transform(images)).max()
        assert moved < 1e-12 if solver == "exact" else moved > 1e-3


@pytest.mark.parametrize("n", [10, 20, 100])
def test_with_dimensions_to_spare_exact_loses_no_more_than_adam_and_fading(n: int) -> None:
    """Prompts that differ strongly in a few directions and faintly in many, as car names do: fading gives the minimum up there."""
    rng = np.random.default_rng(n)
    rows = 1 + rng.standard_normal((n, 5)) @ rng.standard_normal((5, 160)) + 0.003 * rng.standard_normal((n, 160))
    exact, faded, adam = (InDiReCT(64, solver).fit(rows).loss_ for solver in ("exact", "faded", "adam"))
    assert exact <= adam
    assert exact < 0.5 * faded


def test_the_seed_matters_only_to_what_fading_adds(text: np.ndarray, images: np.ndarray) -> None:
    for rows, dim, solver, differs in ((text, 5, "exact", False), (text[:5], 20, "exact", False), (text[:5], 20, "faded", True)):
        first, same, other = (similarities(InDiReCT(dim, solver, seed).fit(rows), images) for seed in (0, 0, 1))
        assert np.array_equal(first, same)
        assert np.array_equal(first, other) is not differs


def test_unusable_input_is_refused() -> None:
    with pytest.raises(InputError, match="no solver 'sgd'; choose from exact, adam, faded"):
        InDiReCT(2, solver="sgd").fit(np.eye(4))
    with pytest.raises(InputError, match=r"shape \(4,\)"):
        InDiReCT(2).fit(np.ones(4))


def test_exact_needs_no_torch() -> None:
    code = "import sys, numpy as np; from likeness.notions import *; InDiReCT(2).fit(np.eye(4)).transform(np.eye(4)); print('torch' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True).stdout == "False\n"
