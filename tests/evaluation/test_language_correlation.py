from collections.abc import Callable

import numpy as np
import pytest
from scipy.stats import spearmanr

from likeness.errors import InputError
from likeness.evaluation import class_image_similarities, language_rank_correlation
from made_rows import cosines

MadeUp = Callable[..., tuple[np.ndarray, np.ndarray, np.ndarray]]


def test_equals_scipy_over_the_pairs_of_classes(made_up: MadeUp) -> None:
    embeddings, labels, language = made_up()
    similarities = class_image_similarities(embeddings, labels, 5)
    pairs = [(i, j) for i in range(5) for j in range(i)]
    expected = spearmanr([similarities[pair] for pair in pairs], [language[pair] for pair in pairs]).statistic
    assert language_rank_correlation(similarities, language) == pytest.approx(expected, rel=1e-12)


def test_equal_similarities_share_their_rank() -> None:
    a = np.array([[1, 0.5, 0.5, 0.1], [0.5, 1, 0.2, 0.5], [0.5, 0.2, 1, 0.3], [0.1, 0.5, 0.3, 1]])
    b = np.array([[1, 0.4, 0.1, 0.4], [0.4, 1, 0.9, 0.9], [0.1, 0.9, 1, 0.2], [0.4, 0.9, 0.2, 1]])
    pairs = np.triu_indices(4, 1)
    assert language_rank_correlation(a, b) == pytest.approx(spearmanr(a[pairs], b[pairs]).statistic, rel=1e-12)


def test_is_a_matter_of_order_alone(made_up: MadeUp) -> None:
    embeddings, labels, language = made_up(2)
    similarities = class_image_similarities(embeddings, labels, 5)
    found = language_rank_correlation(similarities, language)
    assert language_rank_correlation(0.01 * similarities + 0.9, np.exp(language)) == pytest.approx(found, rel=1e-12)
    assert language_rank_correlation(-similarities, language) == pytest.approx(-found, rel=1e-12)
    assert language_rank_correlation(language, similarities) == pytest.approx(found, rel=1e-12)
    assert language_rank_correlation(language, language) == pytest.approx(1)


def test_class_similarities_are_cosines_of_the_means_of_unit_vectors(made_up: MadeUp) -> None:
    embeddings, labels, _ = made_up(1)
    unit = embeddings / np.linalg.norm(embeddings, axis=1, keepdims=True)
    expected = cosines(np.stack([unit[labels == number].mean(axis=0) for number in range(5)]))
    found = class_image_similarities(embeddings, labels, 5)
    np.testing.assert_allclose(found, expected, atol=1e-12)
    assert (np.diag(found) == 1).all()


def test_without_an_order_there_is_no_correlation() -> None:
    assert np.isnan(language_rank_correlation(np.ones((4, 4)), cosines(np.eye(4) + 0.1)))
    assert np.isnan(language_rank_correlation(np.eye(2), np.eye(2)))


def test_bad_matrices_are_named() -> None:
    with pytest.raises(InputError, match="The space has 3 classes, language 4"):
        language_rank_correlation(np.eye(3), np.eye(4))
    with pytest.raises(InputError, match="one class only"):
        language_rank_correlation(np.eye(1), np.eye(1))
