"""Fixtures for the language side: reference arrays, a fake language model, tiny transformers models in folders."""

from pathlib import Path

import numpy as np
import pytest

from tiny_models import TRANSFORMERS_KINDS, save_transformers


class FakeModel:
    """Vectors from lengths and letters; remembers what it was asked."""

    name = "fake"
    has_text = True

    def __init__(self, reads_sentences: bool = True, identity: str = "fake-language-1") -> None:
        self.reads_sentences, self.identity = reads_sentences, identity
        self.texts: list[str] = []

    def encode_texts(self, texts: list[str]) -> np.ndarray:
        self.texts += texts
        return np.array([[len(text), text.count("e") + 1, -ord(text[-1]) / 20] for text in texts], dtype=np.float32)


@pytest.fixture(scope="session")
def data() -> Path:
    return Path(__file__).parent / "data"


@pytest.fixture
def fake() -> FakeModel:
    return FakeModel()


@pytest.fixture
def fake_words() -> FakeModel:
    """The same, knowing single names only."""
    return FakeModel(reads_sentences=False, identity="fake-language-2")


@pytest.fixture(scope="session")
def tiny(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """Folders of tiny transformers models by kind; not to be changed."""
    return {kind: save_transformers(tmp_path_factory.mktemp("language") / kind, kind) for kind in TRANSFORMERS_KINDS}
