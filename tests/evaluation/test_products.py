"""Bounds of the errors of products hold, in either precision, and what bfloat16 loses is what is said."""

import numpy as np
import pytest
import torch

from likeness.evaluation._inputs import AS_GIVEN, scaling_for
from likeness.evaluation._layout import Layout, rounded
from likeness.evaluation._products import HalfPrecision, SinglePrecision


def rows_of(kind: str, n: int = 600, d: int = 96) -> np.ndarray:
    rng = np.random.default_rng(0)
    rows = {
        "random": lambda: rng.standard_normal((n, d)),
        "positive": lambda: np.abs(rng.standard_normal((n, d))),
        "constant": lambda: np.ones((n, d)) * rng.uniform(0.5, 2, (n, 1)),
        "nearly constant": lambda: 1 + 0.01 * rng.standard_normal((n, d)),
        "sorted": lambda: np.sort(np.abs(rng.standard_normal((n, d))))[:, ::-1],
        "long and short": lambda: rng.standard_normal((n, d)) * 10 ** rng.uniform(-3, 3, (n, 1)),
    }[kind]()
    return rows.astype(np.float32)


@pytest.mark.parametrize("way", [SinglePrecision, HalfPrecision])
@pytest.mark.parametrize("metric", [None, "cosine", "euclidean"])
@pytest.mark.parametrize("kind", ["random", "positive", "constant", "nearly constant", "sorted", "long and short"])
def test_errors_keep_to_their_bound(kind: str, metric: str | None, way: type) -> None:
    x = rows_of(kind)
    scaling = AS_GIVEN if metric is None else scaling_for(x, x, metric)
    layout = Layout(x, np.zeros(len(x), np.intp), 1, scaling)
    queries, products = scaling.queries(x[:200]), way(layout, np.arange(0, len(x), 7))
    bound = products.take(queries)[:, None]
    found = products.tile(0, len(x))
    found = torch.from_numpy(found).view(torch.bfloat16).float().numpy() if products.halves else found
    exact = queries.astype(np.float64) @ layout.rows.astype(np.float64).T
    excess = np.abs(found - exact) - (bound + products.rounding * np.abs(found) * 1.01)
    assert excess.max() <= 0
    np.testing.assert_allclose(products.sampled(), found[:, ::7], rtol=0, atol=2 * (bound + products.rounding * np.abs(found)).max())


def test_bfloat16_is_that_of_torch() -> None:
    x = np.concatenate([rows_of("long and short", 50, 32), np.float32([[1.00390625, 1.01171875] * 16, [-1.00390625, 0.0] * 16])])
    bits, lengths, lost = rounded(x, 0, 0)
    expected = torch.from_numpy(x).bfloat16()
    np.testing.assert_array_equal(bits, expected.view(torch.int16).numpy())
    np.testing.assert_allclose(lengths, expected.double().norm(dim=1).numpy(), rtol=1e-12)
    np.testing.assert_allclose(lost, (torch.from_numpy(x).double() - expected.double()).norm(dim=1).numpy(), rtol=1e-6)


def test_an_added_column_loses_nothing() -> None:
    """A float32 number is the sum of three bfloat16 ones."""
    x = rows_of("long and short", 50, 31)
    x[:, :30] = np.float32(0.5)
    bits, _, lost = rounded(x, 1, 31)
    parts = torch.from_numpy(bits).view(torch.bfloat16).double().numpy()
    assert bits.shape == (50, 64)
    np.testing.assert_array_equal(parts[:, 30:33].sum(axis=1), x[:, 30].astype(np.float64))
    np.testing.assert_array_equal(parts[:, 33:], 0)
    assert lost.max() == 0
