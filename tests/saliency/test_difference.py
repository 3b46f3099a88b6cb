import numpy as np
import pytest

from likeness.errors import InputError
from likeness.saliency import Saliency, difference, difference_shares, mass_share

PIXELS = np.zeros((1, 2, 2, 3), np.uint8)


def _saliency(sums: list[list[float]], name: str = "a", pixels: np.ndarray = PIXELS) -> Saliency:
    return Saliency(name, np.array([sums], dtype=np.float32), pixels, percentile=100)


def test_positive_is_where_the_first_looks_more_with_shares_of_both_signs() -> None:
    a, b = _saliency([[0, 1], [2, 4]]), _saliency([[1, 3], [5, 1]], "b")
    assert difference(a, b)[0] == pytest.approx(np.array([[0, 0.25 - 0.5], [0.5 - 1, 1]]))
    assert difference(b, a) == pytest.approx(-difference(a, b))
    assert not difference(a, a).any()
    differences = np.array([[[0.5, -0.2], [-0.6, 0.1]]])
    more, less = difference_shares(differences, np.array([[[True, True], [False, False]]]))
    assert more == pytest.approx([0.5 / 0.6])
    assert less == pytest.approx([0.2 / 0.8])


def test_unusable_maps_and_masks_are_refused() -> None:
    a = _saliency([[0, 1], [2, 4]])
    small = Saliency("small", np.zeros((1, 1, 2), np.float32), PIXELS[:, :1])
    with pytest.raises(InputError, match=r"'a' and 'small' have shapes \(1, 2, 2\) and \(1, 1, 2\); compare spaces on one encoder"):
        difference(a, small)
    with pytest.raises(InputError, match="'a' and 'b' show different images"):
        difference(a, _saliency([[0, 1], [2, 4]], "b", PIXELS + 1))
    with pytest.raises(InputError, match=r"shape \(1, 2, 2\) and the masks \(1, 2, 3\)"):
        mass_share(np.ones((1, 2, 2)), np.ones((1, 2, 3), bool))
    with pytest.raises(InputError, match=r"go down to -0\.3; a share needs values from 0"):
        mass_share(np.array([[[1, -0.3]]]), np.ones((1, 1, 2), bool))


def test_share_by_hand_and_of_a_map_without_preference() -> None:
    maps = np.array([[[1.0, 2], [3, 4]], [[0, 0], [0, 5]], [[0, 0], [0, 0]]])
    masks = np.array([[[True, False], [False, True]]] * 3)
    assert mass_share(maps, masks) == pytest.approx([0.5, 1, np.nan], nan_ok=True)
    masks = np.random.default_rng(0).random((4, 20, 30)) < 0.3
    assert mass_share(np.full((4, 20, 30), 0.2, np.float32), masks) == pytest.approx(masks.mean((1, 2)))
    assert mass_share(np.ones((4, 20, 30)), ~masks) == pytest.approx(1 - masks.mean((1, 2)))
