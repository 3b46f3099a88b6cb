import numpy as np
import pytest

from likeness.notions import FEWEST_DIVIDED, division_scores
from made_rows import unit

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
    joint = np.exp(similarities) / np.exp(similarities).sum(1, keepdims=True) / 20
    expected = 0.0
    for row in range(20):
        for column in range(3):
            expected += joint[row, column] * np.log(joint[row, column] / (joint[row].sum() * joint[:, column].sum()))
    assert _information(similarities) == pytest.approx(expected)
    assert _information(np.eye(3) * 1000) == pytest.approx(np.log(3))  # each image its own aspect
    assert _information(np.ones((4, 3))) == pytest.approx(0)


def test_images_that_are_all_alike_to_all_words_score_zero() -> None:
    assert division_scores(np.eye(4)[:3], [np.zeros((2, 4)), np.zeros((3, 4))]) == [0.0, 0.0]
