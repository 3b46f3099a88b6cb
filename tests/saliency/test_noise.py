import numpy as np
import pytest

from likeness.saliency.one_tower import copy_noise, picture_key

A, B = np.zeros((4, 5, 3), np.uint8), np.full((4, 5, 3), 7, np.uint8)


def test_a_copys_noise_follows_from_image_number_and_seed_alone() -> None:
    a, b = picture_key(A), picture_key(B)
    together = copy_noise([(a, 0), (a, 1), (b, 0)], 4, 5, seed=3)
    assert together.shape == (3, 3, 4, 5)
    assert together.dtype == np.float32
    np.testing.assert_array_equal(copy_noise([(b, 0)], 4, 5, seed=3)[0], together[2])
    np.testing.assert_array_equal(copy_noise([(a, 1)], 4, 5, seed=3)[0], together[1])
    for other in (together[1], together[2], copy_noise([(a, 0)], 4, 5, seed=4)[0]):
        assert np.abs(other - together[0]).max() > 0.5


def test_it_is_standard_normal() -> None:
    draws = copy_noise([(picture_key(A), copy) for copy in range(20)], 40, 50, seed=0)
    assert draws.mean() == pytest.approx(0, abs=0.01)
    assert draws.std() == pytest.approx(1, abs=0.01)
    assert (np.abs(draws) > 1.96).mean() == pytest.approx(0.05, abs=0.003)
    assert abs(np.corrcoef(draws.reshape(20, -1))[np.triu_indices(20, 1)]).max() < 0.08
