"""Which aspects occur in images."""

import numpy as np
import pytest

from likeness.sentences import occurring


def _unit(rows: np.ndarray) -> np.ndarray:
    return np.asarray(rows / np.linalg.norm(rows, axis=1, keepdims=True), np.float32)


@pytest.fixture
def scene() -> tuple[np.ndarray, np.ndarray]:
    """300 images of five things, and words for ten: the first five are there."""
    random = np.random.default_rng(0)
    words = _unit(random.normal(size=(10, 256)))
    images = _unit(words[np.arange(300) % 5] + 0.05 * random.normal(size=(300, 256)))
    return images, words


def test_what_is_there_occurs_and_what_is_not_does_not(scene: tuple[np.ndarray, np.ndarray]) -> None:
    found = occurring(*scene)
    assert found.occurs.tolist() == [True] * 5 + [False] * 5
    assert found.images.tolist() == [60] * 5 + [0] * 5


def test_what_is_due_to_chance_agrees_with_drawings() -> None:
    random = np.random.default_rng(1)
    words, images = _unit(random.normal(size=(6, 64)) + 1), _unit(random.normal(size=(2000, 64)) + 0.5)
    mean = words.mean(axis=0)
    length = np.linalg.norm(words[2] - mean)
    others = (images @ np.delete(words, 2, axis=0).T).max(axis=1)
    drawn = [mean + length * _unit(random.normal(size=(1, 64)))[0] for _ in range(2000)]
    by_hand = np.mean([(images @ word > others).sum() for word in drawn])
    assert occurring(images, words).chance[2] == pytest.approx(by_hand, rel=0.05)


def test_two_stay_where_none_occurs() -> None:
    words = np.ones((4, 8), np.float32) / np.sqrt(8).astype(np.float32)
    found = occurring(_unit(np.random.default_rng(0).normal(size=(5, 8))), words)
    assert found.occurs.sum() >= 2


def test_the_order_of_images_does_not_count(scene: tuple[np.ndarray, np.ndarray]) -> None:
    images, words = scene
    assert occurring(images[::-1], words).occurs.tolist() == occurring(images, words).occurs.tolist()
