"""One vector for each text, out of those of its tokens."""

import numpy as np
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from likeness.encoders.models.token_vectors import masked_mean


@settings(max_examples=25)
@given(st.lists(st.integers(0, 5), min_size=1, max_size=4), st.integers(0, 1000))
def test_masked_mean_equals_a_loop(lengths: list[int], seed: int) -> None:
    hidden = np.random.default_rng(seed).normal(size=(len(lengths), 5, 3))
    mask = (np.arange(5) < np.array(lengths)[:, None]).astype(np.int64)
    expected = [rows[:length].mean(0) if length else np.zeros(3) for rows, length in zip(hidden, lengths, strict=True)]
    np.testing.assert_allclose(masked_mean(torch.from_numpy(hidden), torch.from_numpy(mask)).numpy(), expected, atol=1e-12)
