"""Fixtures for the language side: reference arrays, a fake language model, tiny transformers models and a tiny WordNet in folders."""

from collections.abc import Callable, Mapping
from pathlib import Path

import numpy as np
import pytest

from likeness.encoders.store import texts
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


def _save_wordnet(folder: Path, parents: Mapping[str, str], lemmas: Mapping[str, list[str]]) -> Path:
    """A WordNet in the format of Princeton's files: `parents` by synset, `lemmas` -> their synsets."""
    folder.mkdir(parents=True)
    for name in ("cntlist.rev", "index.sense", *(f"{kind}.{part}" for kind in ("index", "data") for part in ("adj", "adv", "verb"))):
        (folder / name).write_text("")
    for part in ("adj", "adv", "noun", "verb"):
        (folder / f"{part}.exc").write_text("")
    (folder / "lexnames").write_text("00\tadj.all\t3\n")
    synsets = list(dict.fromkeys([*parents, *parents.values()]))
    offsets = {synset: 200 * number for number, synset in enumerate(synsets)}
    lines = []
    for synset in synsets:
        hypernym = f"001 @ {offsets[parents[synset]]:08d} n 0000" if synset in parents else "000"
        lines.append(f"{offsets[synset]:08d} 00 n 01 {synset} 0 {hypernym} | made up".ljust(199) + "\n")
    (folder / "data.noun").write_text("".join(lines))
    index = [f"{lemma} n {len(own)} 0 {len(own)} 0 {' '.join(f'{offsets[synset]:08d}' for synset in own)}\n" for lemma, own in lemmas.items()]
    (folder / "index.noun").write_text("".join(index))
    return folder


@pytest.fixture(autouse=True)
def forget() -> None:
    """Each test begins with an empty memory of texts."""
    texts._memory.clear()


@pytest.fixture(scope="session")
def data() -> Path:
    """Arrays computed by the authors' code."""
    return Path(__file__).parent / "data"


@pytest.fixture
def fake() -> FakeModel:
    """A language model that needs no torch and remembers what it was asked."""
    return FakeModel()


@pytest.fixture
def fake_words() -> FakeModel:
    """The same, knowing single names only."""
    return FakeModel(reads_sentences=False, identity="fake-language-2")


@pytest.fixture(scope="session")
def save_model() -> Callable[..., Path]:
    """Writes a tiny transformers model: `save_model(folder, kind="bert", seed=0)`."""
    return save_transformers


@pytest.fixture(scope="session")
def tiny(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """Folders of tiny transformers models by kind; not to be changed."""
    return {kind: save_transformers(tmp_path_factory.mktemp("language") / kind, kind) for kind in TRANSFORMERS_KINDS}


@pytest.fixture(scope="session")
def save_wordnet() -> Callable[..., Path]:
    """Writes a tiny WordNet: `save_wordnet(folder, parents, lemmas)`."""
    return _save_wordnet
