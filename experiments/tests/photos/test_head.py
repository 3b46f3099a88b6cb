"""The head in closed form, against least squares and the laws that it follows."""

import numpy as np
import pytest

from experiments.photos.head import HeadRecipe, PhotoFeatures, evening, fit_head, fit_twice, probabilities
from experiments.photos.judge import recall

RNG = np.random.default_rng(0)
N, K, D, FEATURES, CLASSES = 40, 3, 8, 12, 5


def _unit(rows: np.ndarray) -> np.ndarray:
    return rows / np.linalg.norm(rows, axis=-1, keepdims=True)


@pytest.fixture
def material() -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    roots, logits = _unit(RNG.random((N, FEATURES))), 5 * RNG.normal(size=(N, CLASSES))
    return roots, logits, _unit(RNG.normal(size=(N, K, D))), _unit(RNG.normal(size=(CLASSES, D)))


@pytest.mark.parametrize("weights", [None, RNG.random(N)])
def test_equal_to_least_squares(material, weights: np.ndarray | None) -> None:
    roots, logits, captions, names = material
    recipe = HeadRecipe(temperature=2.0, names_weight=0.7, ridge=0.3, evenness=1.5)
    head = fit_head(roots, logits, captions, names, recipe, weights)
    powers = np.exp(logits / 2.0)
    guess = powers / powers.sum(1, keepdims=True) @ (0.7 * (names - names.mean(0)))
    center = captions.reshape(-1, D).mean(0)
    # a row of length sqrt(ridge) for each feature, and none for the bias
    scale = np.sqrt(np.ones(N) if weights is None else weights)[:, None]
    rows = np.vstack([scale * np.hstack([roots, np.ones((N, 1))]), np.sqrt(0.3) * np.eye(FEATURES, FEATURES + 1)])
    targets = np.vstack([scale * (captions.mean(1) - center - guess), np.zeros((FEATURES, D))])
    solution = np.linalg.lstsq(rows, targets, rcond=None)[0]
    new_roots, new_logits = _unit(RNG.random((9, FEATURES))), RNG.normal(size=(9, CLASSES))
    powers = np.exp(new_logits / 2.0)
    expected = (powers / powers.sum(1, keepdims=True) @ (0.7 * (names - names.mean(0))) + new_roots @ solution[:-1] + solution[-1]) @ head["text"]
    found = probabilities(new_logits, head["temperature"]) @ head["names"] + new_roots @ head["features"] + head["bias"]
    np.testing.assert_allclose(found, expected, atol=1e-10)
    np.testing.assert_allclose(head["center"], center)


@pytest.mark.parametrize("evenness", [0.0, 0.5, 3.0])
def test_directions_come_nearer_to_each_other_in_length(evenness: float) -> None:
    rows = RNG.normal(size=(500, D)) * np.linspace(0.1, 3, D)
    rows -= rows.mean(0)
    matrix = evening(rows, evenness)
    before, after = np.linalg.eigvalsh(np.cov(rows.T, bias=True)), np.linalg.eigvalsh(np.cov((rows @ matrix).T, bias=True))
    np.testing.assert_allclose(matrix, matrix.T, atol=1e-12)
    np.testing.assert_allclose(after / after.mean(), np.sort((e := before / (before + evenness * before.mean())) / e.mean()), atol=1e-9)


def test_reduced_photos_of_no_weight_change_nothing(material) -> None:
    roots, logits, captions, names = material
    recipe = HeadRecipe(reduced_weight=0.0)
    alone = fit_head(roots, logits, captions, names, recipe)
    twice = fit_twice(PhotoFeatures(roots, logits), PhotoFeatures(roots[::-1], logits[::-1]), captions, names, recipe)
    for name, values in alone.items():
        np.testing.assert_allclose(twice[name], values, atol=1e-9, err_msg=name)


def test_recall_equals_a_loop() -> None:
    texts, images, owners = _unit(RNG.normal(size=(60, 4))), _unit(RNG.normal(size=(20, 4))), RNG.integers(0, 20, 60)
    ranks = [list(np.argsort(-(images @ text), kind="stable")).index(owner) for text, owner in zip(texts, owners, strict=True)]
    np.testing.assert_allclose(recall(texts, images, owners), [np.mean([rank < k for rank in ranks]) for k in (1, 5, 10)])
