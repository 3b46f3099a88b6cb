from collections.abc import Callable

import numpy as np
import pytest
import torch

from likeness.errors import InputError
from likeness.notions import Notion, notion_dim, suggest_dim, text_rank


def prompts(*squares: float) -> np.ndarray:
    """Unit rows in many directions whose squared singular values are in these proportions."""
    signs = np.array(np.meshgrid(*[[-1, 1]] * len(squares))).reshape(len(squares), -1).T
    rows = signs * np.sqrt(squares)
    return rows / np.linalg.norm(rows, axis=1, keepdims=True)


@pytest.mark.parametrize(
    ("squares", "kept", "dim"), [((0.5, 0.3, 0.19, 0.01), 0.985, 3), ((0.5, 0.3, 0.18, 0.02), 0.985, 4), ((0.5, 0.3, 0.19, 0.01), 0.75, 2)]
)
def test_the_fewest_dimensions_that_keep_the_share(squares: tuple[float, ...], kept: float, dim: int) -> None:
    assert suggest_dim(prompts(*squares), kept) == dim


def test_a_share_of_one_is_the_rank() -> None:
    text = np.random.default_rng(0).standard_normal((5, 9))
    assert suggest_dim(text, kept=1) == 5
    assert suggest_dim(np.tile(text, (4, 1)), kept=1) == 5


def test_the_rank_is_that_of_the_texts_not_of_their_rounding() -> None:
    """Float32 rows of a text side of rank 6 have noise in all other directions, about eps of the largest singular value in each."""
    rng = np.random.default_rng(0)
    text = (rng.standard_normal((40, 6)) @ rng.standard_normal((6, 20))).astype(np.float32)
    assert np.linalg.matrix_rank(text.astype(np.float64)) == 20
    assert (text_rank(text), text_rank(text[:4]), text_rank(torch.tensor(text))) == (6, 4, 6)
    faint = np.vstack([text, text[:1] + 1e-4 * rng.standard_normal((1, 20)).astype(np.float32)])
    assert text_rank(faint) == 7  # a direction of its own, if a faint one


def test_two_at_least() -> None:
    assert suggest_dim(np.ones((3, 4)) + 1e-3 * np.eye(3, 4)) == 2


def test_rotation_order_and_repetition_change_nothing() -> None:
    rng = np.random.default_rng(1)
    text = rng.standard_normal((12, 20)) * 0.7 ** np.arange(20) + 1
    rotation = np.linalg.qr(rng.standard_normal((20, 20)))[0]
    assert suggest_dim(text) == suggest_dim(text[::-1] @ rotation) == suggest_dim(np.vstack([text, text])) == suggest_dim(torch.tensor(text))
    assert 2 < suggest_dim(text) < 12


def test_a_notion_has_its_own_dimensions_or_those_that_its_prompts_suggest() -> None:
    text = prompts(0.5, 0.3, 0.19, 0.01)
    notion = Notion("x", "a {}", ["a", "b"])
    assert notion_dim(notion, text) == suggest_dim(text) == 3
    assert notion_dim(Notion("x", "a {}", ["a", "b"], dim=2), text) == 2
    assert notion_dim(Notion("x", "a {}", ["a", "b"], dim=128), text) == text.shape[1] == 4


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: suggest_dim(np.eye(3), kept=1.5), r"kept is 1\.5; give a share"),
        (lambda: suggest_dim(np.array([[1.0, 0], [np.nan, 1]])), "row 1 holds NaN"),
        *[(lambda dim=dim: Notion("x", "a {}", ["a", "b"], dim=dim), "'x' has the dim .*whole number from 1") for dim in (0, -1, 2.5, True, "5")],
    ],
)
def test_bad_input_is_refused(call: Callable[[], object], message: str) -> None:
    with pytest.raises(InputError, match=message):
        call()
