"""Fixtures for encoders and stores: an open_clip model with random weights in a folder, a fake encoder that needs no torch, images."""

import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from PIL import Image

from likeness.data.table import ImageTable

WORDS = ["<pad>", "<unk>", "<start>", "<end>", "a", "red", "green", "blue", "car", "photo", "of"]
TEXT_CONFIG = {
    "context_length": 10,
    "vocab_size": len(WORDS),
    "width": 32,
    "heads": 2,
    "layers": 1,
    "hf_tokenizer_name": "here",
    "pool_type": "eos",
    "eos_id": 3,
    "pad_id": 0,
}
MODEL_CONFIG = {
    "embed_dim": 24,
    "vision_cfg": {"image_size": 32, "layers": 1, "width": 32, "head_width": 16, "patch_size": 8},
    "text_cfg": TEXT_CONFIG,
    "custom_text": True,
}
PREPROCESS = {"mean": [0.5, 0.4, 0.3], "std": [0.2, 0.3, 0.25], "interpolation": "bicubic", "resize_mode": "shortest"}


def _save_tiny_clip(folder: Path, seed: int = 0) -> Path:
    """An open_clip folder with configuration, random weights and a tokenizer of eleven words."""
    import torch
    from open_clip.model import CustomTextCLIP
    from safetensors.torch import save_file
    from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, processors
    from transformers import PreTrainedTokenizerFast

    folder.mkdir(parents=True, exist_ok=True)
    torch.manual_seed(seed)
    config = {key: value for key, value in MODEL_CONFIG.items() if key != "custom_text"}
    save_file({key: value.contiguous() for key, value in CustomTextCLIP(**config).state_dict().items()}, folder / "open_clip_model.safetensors")
    (folder / "open_clip_config.json").write_text(json.dumps({"model_cfg": MODEL_CONFIG, "preprocess_cfg": PREPROCESS}))
    words = Tokenizer(models.WordLevel({word: i for i, word in enumerate(WORDS)}, unk_token="<unk>"))
    words.normalizer = normalizers.Lowercase()
    words.pre_tokenizer = pre_tokenizers.Whitespace()
    words.post_processor = processors.TemplateProcessing(single="<start> $A <end>", special_tokens=[("<start>", 2), ("<end>", 3)])
    special = {"pad_token": "<pad>", "unk_token": "<unk>", "bos_token": "<start>", "eos_token": "<end>"}
    PreTrainedTokenizerFast(tokenizer_object=words, **special).save_pretrained(str(folder))
    return folder


class FakeEncoder:
    """Mean color as a unit vector; counts what it encodes."""

    name = "fake"
    dim = 3
    has_text = True

    def __init__(self, identity: str = "fake-1") -> None:
        self.identity = identity
        self.images = 0
        self.texts: list[str] = []

    def encode_images(self, images: Sequence[Any]) -> np.ndarray:
        self.images += len(images)
        colors = np.array([np.asarray(image, dtype=np.float32).mean((0, 1)) + 1 for image in images])
        return colors / np.linalg.norm(colors, axis=1, keepdims=True)

    def encode_texts(self, texts: Sequence[str]) -> np.ndarray:
        self.texts += texts
        vectors = np.array([[len(text), text.count("e") + 1, ord(text[0])] for text in texts], dtype=np.float32)
        return vectors / np.linalg.norm(vectors, axis=1, keepdims=True)

    def unknown_words(self, text: str) -> list[str]:
        return []


def _write_images(folder: Path, n: int, size: int = 8, seed: int = 0) -> ImageTable:
    """`n` single-colored images, named so that their order is that of the table."""
    folder.mkdir(parents=True, exist_ok=True)
    for i, color in enumerate(np.random.default_rng(seed).integers(0, 256, (n, 3))):
        Image.new("RGB", (size, size), tuple(int(c) for c in color)).save(folder / f"{i:04d}.png")
    return ImageTable("colors", folder, pd.DataFrame({"path": [f"{i:04d}.png" for i in range(n)]}))


@pytest.fixture(scope="session")
def save_tiny_clip() -> Callable[..., Path]:
    """Writes a tiny open_clip model: `save_tiny_clip(folder, seed=0)`."""
    return _save_tiny_clip


@pytest.fixture(scope="session")
def tiny_clip(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Folder of a tiny open_clip model with random weights; not to be changed."""
    return _save_tiny_clip(tmp_path_factory.mktemp("model") / "tiny")


@pytest.fixture
def fake() -> FakeEncoder:
    """An encoder that needs no torch and counts what it sees."""
    return FakeEncoder()


@pytest.fixture
def write_images() -> Callable[..., ImageTable]:
    """Writes single-colored images: `write_images(folder, n, size=8, seed=0)`."""
    return _write_images


@pytest.fixture
def table(tmp_path: Path) -> ImageTable:
    """Twenty single-colored images."""
    return _write_images(tmp_path / "colors", 20)
