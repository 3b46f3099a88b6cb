from pathlib import Path

import numpy as np
import pytest
import torch

from likeness.saliency import scaled
from likeness.saliency.smoothgrad import distance_gradients, noisy


@pytest.fixture(scope="module")
def reference() -> dict[str, np.ndarray]:
    with np.load(Path(__file__).parent / "data" / "smoothgrad.npz") as arrays:
        return dict(arrays)


def gradients(embed, pixels: torch.Tensor, base: torch.Tensor, noise: torch.Tensor) -> torch.Tensor:
    """Gradients (s, h, w) of an image's mean distance over its noisy copies, as the authors' code has them."""
    return distance_gradients(lambda rows: [embed(rows)], noisy(pixels, noise), [base])[0] / len(noise)


def saliency_map(given, percentile: float = 99) -> np.ndarray:
    return scaled(np.abs(np.asarray(given)).sum(axis=-3), percentile)


def _linear(weight: torch.Tensor):
    return lambda pixels: pixels.flatten(1) @ weight.T


def test_maps_equal_the_authors(reference: dict) -> None:
    for percentile in (99, 90):
        for given in (reference["gradients"], torch.tensor(reference["gradients"])):
            assert saliency_map(given, percentile) == pytest.approx(reference[f"map_percentile{percentile}"], abs=1e-5)
    exact = saliency_map(reference["gradients"].astype(np.float64), 99)
    assert exact == pytest.approx(reference["map_percentile99_float64"], abs=1e-12)


def test_gradients_and_map_equal_the_authors(reference: dict) -> None:
    image, noise, weight, base = (torch.tensor(reference[f"calc_{name}"]) for name in ("image", "noise", "model_weight", "base_embedding"))
    found = gradients(_linear(weight), image, base, noise)
    assert found.numpy() == pytest.approx(reference["calc_grads"], abs=1e-5 * float(np.abs(reference["calc_grads"]).max()))
    assert saliency_map(found) == pytest.approx(reference["calc_map"], abs=1e-5)


def test_what_cannot_be_seen_gives_a_zero_or_finite_map() -> None:
    found = gradients(lambda pixels: pixels.flatten(1)[:, :2] * 0 + 1, torch.rand(3, 4, 4), torch.tensor([1.0, 2.0]), torch.randn(3, 3, 4, 4))
    assert not found.any()
    assert not saliency_map(found).any()
    torch.manual_seed(0)
    weight = torch.randn(4, 9)
    found = gradients(
        lambda pixels: (pixels[:, 0] - pixels[:, 1]).flatten(1) @ weight.T + 1, torch.randn(3, 3, 3), torch.ones(4), torch.randn(5, 3, 3, 3)
    )
    assert found.abs().max() < 1e-7
    weight = torch.randn(4, 3 * 4 * 4, generator=torch.Generator().manual_seed(0))
    found = gradients(_linear(weight), torch.full((3, 4, 4), 0.3), torch.ones(4), torch.randn(3, 3, 4, 4))
    assert found[0].numpy() == pytest.approx(found[2].numpy(), abs=1e-9)
    assert np.isfinite(saliency_map(found)).all()


def test_maps_do_not_depend_on_scale_and_offset_and_equal_the_formula_by_hand() -> None:
    sums = np.random.default_rng(0).gamma(1.0, size=(3, 8, 9))
    maps = scaled(sums)
    assert maps.min(axis=(1, 2)) == pytest.approx(0)
    assert maps.max(axis=(1, 2)) == pytest.approx(1)
    assert scaled(5 * sums + 2) == pytest.approx(maps)
    assert scaled(sums[1]) == pytest.approx(maps[1])
    sums = np.zeros((10, 20))
    sums[3, 4], sums[5, 6] = 2, 0.5
    assert np.argwhere(scaled(sums, 99) == 1).tolist() == [[3, 4], [5, 6]]
    assert np.sort(np.unique(scaled(sums, 99))).tolist() == [0, 1]
    assert scaled(np.array([[1.0, 2, 3, 4, 5]]), 75)[0] == pytest.approx([0, 1 / 3, 2 / 3, 1, 1])
