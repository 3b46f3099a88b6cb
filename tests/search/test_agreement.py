"""How far two spaces agree."""

import numpy as np
import pytest

from likeness.errors import InputError
from likeness.search import expected_overlap, overlap, overlap_per_row


def rows(n: int, d: int = 8, seed: int = 0) -> np.ndarray:
    return np.random.default_rng(seed).standard_normal((n, d))


def test_equals_sets_of_neighbors() -> None:
    a, b = rows(60), rows(60)[:, :3]
    expected = []
    for item in range(60):
        near = []
        for space in (a, b):
            cosine = space @ space[item] / np.linalg.norm(space, axis=1)
            cosine[item] = -np.inf
            near.append(set(np.argsort(-cosine)[:5]))
        expected.append(len(near[0] & near[1]) / 5)
    np.testing.assert_allclose(overlap_per_row(a, b, 5), expected)
    np.testing.assert_allclose(overlap_per_row(a, b, 5, rows=[4, 9]), np.array(expected)[[4, 9]])
    assert overlap(a, b, 5) == pytest.approx(np.mean(expected))
    assert 0 < overlap(a, b, 5) < 1


def test_laws() -> None:
    a, b = rows(80), rows(80, 5, seed=1)
    turn = np.linalg.qr(rows(8))[0]
    assert overlap(a, a @ turn, 10) == 1
    assert overlap(a, b, 10) == overlap(b, a, 10)
    assert overlap(a, b, 79) == 1


def test_unrelated_spaces_agree_as_much_as_chance() -> None:
    found = np.mean([overlap(rows(60, seed=seed), rows(60, seed=seed + 1000), 12) for seed in range(100)])
    assert found == pytest.approx(expected_overlap(60, 12), abs=0.01)


def test_hand_case_of_chance() -> None:
    assert expected_overlap(11, 5) == 0.5


@pytest.mark.parametrize(
    ("a", "b", "k", "message"),
    [(rows(5), rows(6), 2, "has 5 rows, the second 6"), (rows(5), rows(5), 5, "choose k from 1"), (rows(5), rows(5), 0, "k is 0")],
)
def test_bad_input_is_named(a: np.ndarray, b: np.ndarray, k: int, message: str) -> None:
    with pytest.raises(InputError, match=message):
        overlap(a, b, k)
