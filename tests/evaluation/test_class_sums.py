"""Sums by class against plain loops, however the rows are divided."""

import numpy as np
import pytest

from likeness import arrays
from likeness.evaluation import class_sums


@pytest.mark.parametrize("part_bytes", [1, 100, 10**9])
def test_equals_a_loop(part_bytes: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(arrays, "PART_BYTES", part_bytes)
    rng = np.random.default_rng(0)
    rows, labels = rng.standard_normal((200, 3)).astype(np.float32), rng.integers(0, 7, 200)
    labels[labels == 4] = 5
    expected = [np.sum([row.astype(np.float64) for row in rows[labels == each]] or [np.zeros(3)], axis=0) for each in range(8)]
    np.testing.assert_allclose(class_sums(rows, labels, 8), expected, atol=1e-12)
    np.testing.assert_allclose(class_sums(rows, labels, 8, scale=lambda part: 2 * part), 2 * np.array(expected), atol=1e-12)
