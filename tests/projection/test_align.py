import numpy as np
import pytest
from scipy.spatial import procrustes

from likeness.errors import InputError
from likeness.projection import align


def points(n: int = 30, seed: int = 0) -> np.ndarray:
    return np.random.default_rng(seed).standard_normal((n, 2))


def turned(positions: np.ndarray, angle: float = 0.7, mirror: bool = False, scale: float = 3.0) -> np.ndarray:
    turn = np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]])
    return scale * (positions * ([-1, 1] if mirror else [1, 1])) @ turn + [5, -2]


@pytest.mark.parametrize("mirror", [False, True])
def test_undoes_turn_mirror_scale_and_shift_of_the_items_both_have(mirror: bool) -> None:
    np.testing.assert_allclose(align(turned(points(), mirror=mirror), points()), points(), atol=1e-6)
    reference = points()
    reference[20:] = np.nan
    np.testing.assert_allclose(align(turned(points()), reference), points(), atol=1e-6)


def test_leftover_equals_scipy_and_degenerate_maps_are_only_shifted() -> None:
    """SciPy scales both maps to size 1 and reports the squared distance that is left."""
    new, reference = points(), points(seed=1) + points()
    left = ((align(new, reference) - reference) ** 2).sum() / ((reference - reference.mean(axis=0)) ** 2).sum()
    assert left == pytest.approx(procrustes(reference, new)[2], abs=1e-6)
    new = points()
    np.testing.assert_allclose(align(new, np.full((30, 2), np.nan)), new, atol=1e-6)
    np.testing.assert_allclose(align(new, np.tile([2.0, 3.0], (30, 1))).mean(axis=0), [2, 3], atol=1e-6)
    np.testing.assert_allclose(align(np.ones((30, 2)), new), np.tile(new.mean(axis=0), (30, 1)), atol=1e-6)
    np.testing.assert_allclose(align([[1.0, 1.0]], [[4.0, 0.0]]), [[4, 0]])
    with pytest.raises(InputError, match=r"shapes \(30, 2\) and \(29, 2\)"):
        align(points(), points(29))
    with pytest.raises(InputError, match="The new map holds NaN"):
        align(points() * np.nan, points())
