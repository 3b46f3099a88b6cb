"""One vector for each text, out of those of its tokens."""

from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import given, settings, strategies as st

from likeness.encoders.models import token_vectors as batched
from likeness.encoders.models.token_vectors import masked_mean, token_vectors


@settings(max_examples=25)
@given(st.lists(st.integers(0, 5), min_size=1, max_size=4), st.integers(0, 1000))
def test_masked_mean_equals_a_loop(lengths: list[int], seed: int) -> None:
    hidden = np.random.default_rng(seed).normal(size=(len(lengths), 5, 3))
    mask = (np.arange(5) < np.array(lengths)[:, None]).astype(np.int64)
    expected = [rows[:length].mean(0) if length else np.zeros(3) for rows, length in zip(hidden, lengths, strict=True)]
    np.testing.assert_allclose(masked_mean(torch.from_numpy(hidden), torch.from_numpy(mask)).numpy(), expected, atol=1e-12)


def test_texts_of_like_length_are_read_together_and_come_back_in_their_order(monkeypatch: pytest.MonkeyPatch) -> None:
    texts = ["a" * length for length in (9, 1, 8, 2, 7, 3)]
    read: list[list[int]] = []

    def lengths(tokenizer: Any, model: Any, device: Any, part: list[str], pooling: str) -> Any:
        read.append([len(text) for text in part])
        return np.array([[len(text)] for text in part], np.float32)

    monkeypatch.setattr(batched, "_batch", lengths)
    monkeypatch.setattr(batched, "BATCH", 2)
    rows = token_vectors(None, None, torch.device("cpu"), texts)
    assert rows.ravel().tolist() == [9, 1, 8, 2, 7, 3]
    assert read == [[1, 2], [3, 7], [8, 9]]
