"""Embeddings of names are remembered per model."""

import numpy as np

from likeness.encoders import embed_texts
from likeness.encoders.store import texts as text_memory
from likeness.language import embed_names


def test_remembered_on_disk_for_each_model(fake, fake_words) -> None:
    first = embed_names(["tern", "gull", "tern"], fake)
    np.testing.assert_array_equal(first, type(fake)().encode_texts(["tern", "gull", "tern"]))
    assert fake.texts == ["tern", "gull"]
    assert first.dtype == np.float32
    text_memory._memory.clear()
    again = type(fake)()
    np.testing.assert_array_equal(embed_names(["gull", "tern"], again), first[1:])
    assert again.texts == []
    embed_names(["tern"], fake_words)
    assert fake_words.texts == ["tern"]


def test_the_shipped_clip_gives_what_the_encoder_gives() -> None:
    texts = ["A photo of a red car", "A photo of a blue van"]
    expected = embed_texts("cars", texts).vectors
    np.testing.assert_array_equal(embed_names(texts, "cars"), expected)
    np.testing.assert_array_equal(embed_names(texts, "clip:cars"), expected)
    np.testing.assert_allclose(np.linalg.norm(expected, axis=1), 1, atol=1e-6)
