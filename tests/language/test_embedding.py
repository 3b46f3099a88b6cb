"""Embeddings of names are remembered per model."""

import numpy as np
import pytest

from likeness.encoders import embed_texts
from likeness.encoders.store import texts as text_memory
from likeness.errors import InputError
from likeness.language import embed_names


def test_each_text_is_embedded_once_in_the_order_given(fake) -> None:
    vectors = embed_names(["tern", "gull", "tern"], fake)
    np.testing.assert_array_equal(vectors, type(fake)().encode_texts(["tern", "gull", "tern"]))
    assert fake.texts == ["tern", "gull"]
    assert vectors.dtype == np.float32


def test_remembered_on_disk(fake) -> None:
    first = embed_names(["tern", "gull"], fake)
    text_memory._memory.clear()
    again = type(fake)()
    np.testing.assert_array_equal(embed_names(["gull", "tern"], again), first[::-1])
    assert again.texts == []


def test_another_model_shares_nothing(fake, fake_words) -> None:
    embed_names(["tern"], fake)
    embed_names(["tern"], fake_words)
    assert fake_words.texts == ["tern"]


def test_the_shipped_clip_gives_what_the_encoder_gives() -> None:
    texts = ["A photo of a red car", "A photo of a blue van"]
    expected = embed_texts("cars", texts).vectors
    np.testing.assert_array_equal(embed_names(texts, "cars"), expected)
    np.testing.assert_array_equal(embed_names(texts, "clip:cars"), expected)
    np.testing.assert_allclose(np.linalg.norm(expected, axis=1), 1, atol=1e-6)


@pytest.mark.parametrize("texts", [[], "tern", [3]])
def test_no_texts(fake, texts) -> None:
    with pytest.raises(InputError, match=r"list of at least one text|not a string"):
        embed_names(texts, fake)


def test_vectors_that_are_not_finite(fake, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fake, "identity", "fake-broken")
    monkeypatch.setattr(fake, "encode_texts", lambda texts: np.full((len(texts), 2), np.inf))
    with pytest.raises(InputError, match="no finite vector for the text 'tern'"):
        embed_names(["tern"], fake)
