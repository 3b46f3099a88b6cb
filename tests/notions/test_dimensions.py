import numpy as np
import pytest
import torch
from scipy.special import rel_entr, softmax

from likeness.errors import InputError
from likeness.notions import FEWEST_DIVIDED, Notion, dimensions, division_scores, notion_dim, suggest_dim, text_rank
from made_rows import unit


def prompts(*squares: float) -> np.ndarray:
    """Unit rows in many directions whose squared singular values are in these proportions."""
    signs = np.array(np.meshgrid(*[[-1, 1]] * len(squares))).reshape(len(squares), -1).T
    return unit(signs * np.sqrt(squares))


@pytest.mark.parametrize(
    ("squares", "kept", "dim"), [((0.5, 0.3, 0.19, 0.01), 0.985, 3), ((0.5, 0.3, 0.18, 0.02), 0.985, 4), ((0.5, 0.3, 0.19, 0.01), 0.75, 2)]
)
def test_the_fewest_dimensions_that_keep_the_share(squares: tuple[float, ...], kept: float, dim: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(dimensions, "_KEPT", kept)
    assert suggest_dim(prompts(*squares)) == dim
    monkeypatch.setattr(dimensions, "_KEPT", 1)  # that is the rank
    text = np.random.default_rng(0).standard_normal((5, 9))
    assert suggest_dim(text) == suggest_dim(np.tile(text, (4, 1))) == 5


def test_the_rank_is_that_of_the_texts_not_of_their_rounding() -> None:
    """Float32 rows of a text side of rank 6 have noise in all other directions, about eps of the largest singular value in each."""
    rng = np.random.default_rng(0)
    text = (rng.standard_normal((40, 6)) @ rng.standard_normal((6, 20))).astype(np.float32)
    assert np.linalg.matrix_rank(text.astype(np.float64)) == 20
    assert (text_rank(text), text_rank(text[:4]), text_rank(torch.tensor(text))) == (6, 4, 6)
    faint = np.vstack([text, text[:1] + 1e-4 * rng.standard_normal((1, 20)).astype(np.float32)])
    assert text_rank(faint) == 7  # a direction of its own, if a faint one


def test_rotation_order_and_repetition_change_nothing() -> None:
    rng = np.random.default_rng(1)
    text = rng.standard_normal((12, 20)) * 0.7 ** np.arange(20) + 1
    rotation = np.linalg.qr(rng.standard_normal((20, 20)))[0]
    assert suggest_dim(text) == suggest_dim(text[::-1] @ rotation) == suggest_dim(np.vstack([text, text])) == suggest_dim(torch.tensor(text))
    assert 2 < suggest_dim(text) < 12
    assert suggest_dim(np.ones((3, 4)) + 1e-3 * np.eye(3, 4)) == 2  # at least


def test_a_notion_has_its_own_dimensions_or_those_that_its_prompts_suggest() -> None:
    text = prompts(0.5, 0.3, 0.19, 0.01)
    assert suggest_dim(text) == 3
    assert [notion_dim(Notion("x", "a {}", ["a", "b"], dim=dim), text) for dim in (None, 2, 128)] == [3, 2, 4]


def test_bad_input_is_refused() -> None:
    with pytest.raises(InputError, match="row 1 holds NaN"):
        suggest_dim(np.array([[1.0, 0], [np.nan, 1.0]]))
    for dim in (0, -1, 2.5, True, "5"):
        with pytest.raises(InputError, match=r"'x' has the dim .*whole number of at least 1"):
            Notion("x", "a {}", ["a", "b"], dim=dim)


D = 64


def _texts(count: int, seed: int) -> np.ndarray:
    return unit(np.random.default_rng(seed).normal(size=(count, D)))


def _images(texts: np.ndarray, labels: np.ndarray, strength: float, seed: int = 9) -> np.ndarray:
    """Images that lie beside the aspect of their label."""
    noise = unit(np.random.default_rng(seed).normal(size=(len(labels), D)))
    return unit(noise + strength * texts[labels])


def test_what_divides_the_images_scores_highest_and_what_all_share_nothing() -> None:
    animals, settings, moods = _texts(6, 1), _texts(6, 2), _texts(6, 3)
    rng = np.random.default_rng(4)
    # all of one animal, as photos of birds are, in different settings; of moods they say nothing
    images = unit(_images(settings, rng.integers(6, size=300), 1.0) + 0.8 * animals[2])
    animal, setting, mood = division_scores(images, [animals, settings, moods])
    assert setting == max(animal, setting, mood)
    assert setting > 0.2
    assert animal < 0.1
    assert mood < FEWEST_DIVIDED


@pytest.mark.parametrize("seed", range(5))
def test_images_without_a_meaning_are_divided_by_nothing(seed: int) -> None:
    images = unit(np.random.default_rng(100 + seed).normal(size=(300, D)))
    assert max(division_scores(images, [_texts(5, seed), _texts(12, 50 + seed)], seed)) < FEWEST_DIVIDED


def test_it_does_not_depend_on_the_unit_of_similarities_or_on_the_order() -> None:
    texts = [_texts(4, 1), _texts(7, 2)]
    images = _images(texts[0], np.arange(200) % 4, 0.7)
    scores = division_scores(images, texts)
    np.testing.assert_allclose(division_scores(images * 3, texts), scores)
    np.testing.assert_allclose(division_scores(images, [texts[0][::-1], texts[1]])[0], scores[0], atol=0.03)  # of other directions by chance


def test_the_information_is_that_of_the_definition() -> None:
    from likeness.notions.division import _information

    similarities = np.random.default_rng(0).normal(size=(20, 3))
    joint = softmax(similarities, axis=1) / 20
    assert _information(similarities) == pytest.approx(rel_entr(joint, np.outer(joint.sum(axis=1), joint.sum(axis=0))).sum())
    assert _information(np.eye(3) * 1000) == pytest.approx(np.log(3))  # each image its own aspect
    assert _information(np.ones((4, 3))) == pytest.approx(0)
    assert division_scores(np.eye(4)[:3], [np.zeros((2, 4)), np.zeros((3, 4))]) == [0.0, 0.0]  # all alike to all words
