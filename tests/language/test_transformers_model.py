import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from likeness.encoders import minilm_folder
from likeness.encoders.models import hub, token_vectors as batched
from likeness.encoders.models.token_vectors import token_vectors
from likeness.errors import InputError
from likeness.language import embed_names, language_model
from made_rows import unit
from tiny_models import save_transformers

KINDS = ["bert", "roberta", "mpnet", "distilbert", "gpt2", "reformer"]
TEXTS = ["a photo of a red car", "bird", "a tench"]


def one_by_one(folder: Path, pooled: Callable[[Any], torch.Tensor]) -> np.ndarray:
    """What transformers itself gives for each text alone, so without padding."""
    from transformers import AutoModel, AutoTokenizer

    tokenizer, model = AutoTokenizer.from_pretrained(folder), AutoModel.from_pretrained(folder).eval()
    with torch.inference_mode():
        return np.stack([pooled(model(**tokenizer(text, return_tensors="pt", return_token_type_ids=False))).numpy() for text in TEXTS])


@pytest.mark.parametrize("kind", [*KINDS, "minilm"])
def test_mean_over_tokens_as_text_by_text_without_padding_as_far_as_the_context_goes(kind: str, tiny: dict[str, Path]) -> None:
    """MiniLM's, for real, at unit length."""
    folder = minilm_folder() if kind == "minilm" else tiny[kind]
    expected = one_by_one(folder, lambda output: output.last_hidden_state[0].mean(0))
    name = "minilm" if kind == "minilm" else f"transformers:{folder}"
    vectors = embed_names(TEXTS, name)
    np.testing.assert_allclose(vectors, unit(expected) if kind == "minilm" else expected, atol=1e-5)
    assert np.abs(vectors[0] - vectors[1]).max() > 1e-3
    assert vectors.dtype == np.float32
    most = 600 if kind == "minilm" else 40  # words, of which a model reads the first
    vectors = embed_names(["red " * most, "red " * (most + 1), "car"], name)
    np.testing.assert_allclose(vectors[0], vectors[1], atol=1e-6)
    assert np.abs(vectors[0] - vectors[2]).max() > 1e-3


def test_the_authors_pooling(tiny: dict[str, Path]) -> None:
    expected = one_by_one(tiny["bert"], lambda output: output.pooler_output[0])
    np.testing.assert_allclose(embed_names(TEXTS, f"transformers:{tiny['bert']}@pooler"), expected, atol=1e-6)
    with pytest.raises(InputError, match="'gpt2' has no pooled output; remove '@pooler'"):
        embed_names(["car"], f"transformers:{tiny['gpt2']}@pooler")


def test_more_texts_than_a_batch(tiny_bert: Path) -> None:
    texts = [f"{'red ' * (i % 7)}car {i}" for i in range(150)]
    model = language_model(f"transformers:{tiny_bert}")
    single = np.concatenate([model.encode_texts([text]) for text in texts[::29]])
    np.testing.assert_allclose(model.encode_texts(texts)[::29], single, atol=1e-6)


def test_changed_weights_give_new_vectors(tmp_path: Path) -> None:
    name = f"transformers:{save_transformers(tmp_path / 'bert')}"
    before, identity = embed_names(["car"], name), language_model(name).identity
    save_transformers(tmp_path / "bert", seed=1)
    assert language_model(name).identity != identity
    assert np.abs(embed_names(["car"], name) - before).max() > 1e-3


@pytest.mark.parametrize(
    ("file", "message"),
    [
        ("config.json", "has no config.json"),
        ("model.safetensors", r"has no weights \(model.safetensors\)"),
        ("damage", r"cannot be loaded: .*; save it again or choose another"),
    ],
)
def test_a_folder_that_lacks_a_file_or_is_damaged(tmp_path: Path, tiny_bert: Path, file: str, message: str) -> None:
    shutil.copytree(tiny_bert, tmp_path / "bert")
    weights = tmp_path / "bert" / "model.safetensors"
    weights.write_bytes(weights.read_bytes()[:100]) if file == "damage" else (tmp_path / "bert" / file).unlink()
    with pytest.raises(InputError, match=message):
        embed_names(["car"], f"transformers:{tmp_path / 'bert'}")


@pytest.mark.parametrize(("lost", "pooling", "works"), [("pooler", "", True), ("pooler", "@pooler", False), ("encoder.layer.0", "", False)])
def test_weights_that_would_be_random(tmp_path: Path, tiny_bert: Path, lost: str, pooling: str, works: bool) -> None:
    from safetensors.torch import load_file, save_file

    shutil.copytree(tiny_bert, tmp_path / "bert")
    weights = tmp_path / "bert" / "model.safetensors"
    save_file({key: value for key, value in load_file(weights).items() if not key.startswith(lost)}, weights, metadata={"format": "pt"})
    name = f"transformers:{tmp_path / 'bert'}{pooling}"
    if works:
        np.testing.assert_allclose(embed_names(["car"], name), embed_names(["car"], f"transformers:{tiny_bert}"), atol=1e-6)
    else:
        with pytest.raises(InputError, match=rf"lack '{lost}.*which would be random; use another pooling or model"):
            embed_names(["car"], name)


def test_an_older_checkpoint_is_read_without_running_code(tmp_path: Path, tiny_bert: Path) -> None:
    from safetensors.torch import load_file

    class Evil:
        def __reduce__(self) -> Any:
            return Path.touch, (tmp_path / "ran",)

    for kind in ("tensors", "code"):
        folder = tmp_path / kind
        shutil.copytree(tiny_bert, folder)
        state = load_file(folder / "model.safetensors")
        (folder / "model.safetensors").unlink()
        torch.save(state if kind == "tensors" else {**state, "code": Evil()}, folder / "pytorch_model.bin")
    vectors = embed_names(["car"], f"transformers:{tmp_path / 'tensors'}")
    np.testing.assert_allclose(vectors, embed_names(["car"], f"transformers:{tiny_bert}"), atol=1e-6)
    with pytest.raises(InputError, match="cannot be loaded"):
        embed_names(["car"], f"transformers:{tmp_path / 'code'}")
    assert not (tmp_path / "ran").exists()


def test_no_network_says_what_to_do_instead(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(hub, "hub_answers", lambda: False)
    missing = r"'bert' cannot be downloaded: model.safetensors and its configuration and tokenizer of 'bert-base-uncased' are missing in \S+"
    with pytest.raises(InputError, match=missing + ".* Connect to the network, or use it once on another machine .* copy that folder"):
        embed_names(["car"], "bert")


def test_from_the_hubs_cache(tmp_path: Path, tiny_bert: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from huggingface_hub import constants

    folder = tmp_path / "models--org--tiny"
    shutil.copytree(tiny_bert, folder / "snapshots" / "abc")
    (folder / "refs").mkdir()
    (folder / "refs" / "main").write_text("abc")
    monkeypatch.setattr(constants, "HF_HUB_CACHE", str(tmp_path))
    monkeypatch.setattr(hub, "hub_answers", lambda: False)
    with monkeypatch.context() as patch:  # the model is asked for by an argument; the process stays as it is
        patch.setattr(hub, "hub_offline", None)
        patch.setattr("socket.socket.connect", None)
        vectors = embed_names(TEXTS, "transformers:org/tiny")
    np.testing.assert_allclose(vectors, embed_names(TEXTS, f"transformers:{tiny_bert}"), atol=1e-6)


def test_texts_of_as_many_tokens_are_read_together_and_come_back_in_their_order(monkeypatch: pytest.MonkeyPatch) -> None:
    texts = ["a " * (length - 1) + "a" * (20 - length) for length in (9, 1, 8, 2, 7, 3)]
    read: list[list[int]] = []

    def lengths(tokenizer: Any, model: Any, device: Any, part: list[str], pooling: str) -> Any:
        read.append([len(text.split()) for text in part])
        return np.array([[len(text.split())] for text in part], np.float32)

    monkeypatch.setattr(batched, "_batch", lengths)
    monkeypatch.setattr(batched, "BATCH", 2)
    rows = token_vectors(lambda given, **_: {"input_ids": [text.split() for text in given]}, None, torch.device("cpu"), texts)
    assert rows.ravel().tolist() == [9, 1, 8, 2, 7, 3]
    assert read == [[1, 2], [3, 7], [8, 9]]
