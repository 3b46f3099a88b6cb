"""The language model from the wheel, for real."""

import numpy as np

from likeness.encoders import minilm_folder
from likeness.language import class_similarities, embed_names


def test_near_in_meaning_is_near_in_space() -> None:
    names = ["dog", "puppy", "truck", "lorry", "Shiny Cowbird", "Bronzed Cowbird", "sports car"]
    similarities = class_similarities(names, "minilm")
    nearest = np.argmax(similarities - 2 * np.eye(len(names)), axis=1)
    assert [names[i] for i in nearest[:6]] == ["puppy", "dog", "lorry", "truck", "Bronzed Cowbird", "Shiny Cowbird"]


def test_equal_to_the_published_pipeline() -> None:
    """Mean over tokens and unit length, computed here text by text with transformers alone: no padding, no batches."""
    import torch
    from transformers import AutoModel, AutoTokenizer

    texts = ["tench", "A photo of a Shiny Cowbird", "AM General Hummer SUV 2000"]
    folder = str(minilm_folder())
    tokenizer, model = AutoTokenizer.from_pretrained(folder), AutoModel.from_pretrained(folder).eval()
    with torch.inference_mode():
        rows = [model(**tokenizer(text, return_tensors="pt")).last_hidden_state[0].mean(0) for text in texts]
    expected = np.array([(row / row.norm()).numpy() for row in rows])
    vectors = embed_names(texts, "minilm")
    assert vectors.shape == (3, 384)
    np.testing.assert_allclose(vectors, expected, atol=1e-6)
