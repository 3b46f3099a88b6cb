"""Fixtures for the language side: reference arrays, a fake language model, tiny transformers models and a tiny WordNet in folders."""

from collections.abc import Callable, Mapping
from pathlib import Path

import numpy as np
import pytest

from likeness.encoders.store import texts

WORDS = ["<pad>", "<unk>", "<start>", "<end>", "a", "photo", "of", "red", "green", "car", "bird", "tench"]


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


def _save_tokenizer(folder: Path, pad: bool = True) -> None:
    from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, processors
    from transformers import PreTrainedTokenizerFast

    words = Tokenizer(models.WordLevel({word: i for i, word in enumerate(WORDS)}, unk_token="<unk>"))
    words.normalizer = normalizers.Lowercase()
    words.pre_tokenizer = pre_tokenizers.Whitespace()
    words.post_processor = processors.TemplateProcessing(single="<start> $A <end>", special_tokens=[("<start>", 2), ("<end>", 3)])
    special = {"unk_token": "<unk>", "bos_token": "<start>", "eos_token": "<end>"} | ({"pad_token": "<pad>"} if pad else {})
    PreTrainedTokenizerFast(tokenizer_object=words, **special).save_pretrained(str(folder))


_SIZES = {"hidden_size": 16, "num_hidden_layers": 1, "num_attention_heads": 2, "intermediate_size": 32, "max_position_embeddings": 18}
_CONFIGS = {
    "bert": _SIZES,
    "roberta": _SIZES,
    "mpnet": _SIZES,
    "distilbert": {"dim": 16, "n_layers": 1, "n_heads": 2, "hidden_dim": 32, "max_position_embeddings": 18},
    "gpt2": {"n_positions": 18, "n_embd": 16, "n_layer": 1, "n_head": 2},
    "reformer": {
        "hidden_size": 16,
        "num_attention_heads": 2,
        "attention_head_size": 8,
        "feed_forward_size": 32,
        "attn_layers": ["local", "lsh"],
        "axial_pos_shape": [4, 5],
        "axial_pos_embds_dim": [8, 8],
        "max_position_embeddings": 20,
        "local_attn_chunk_length": 4,
        "lsh_attn_chunk_length": 4,
        "num_buckets": 2,
        "is_decoder": True,
    },
}


def _save_model(folder: Path, kind: str = "bert", seed: int = 0) -> Path:
    """A transformers model of one or two layers with random weights and a tokenizer of twelve words, GPT-2's without padding."""
    import torch
    from transformers import AutoConfig, AutoModel

    torch.manual_seed(seed)
    special = {"vocab_size": len(WORDS), "pad_token_id": 0, "bos_token_id": 2, "eos_token_id": 3}
    AutoModel.from_config(AutoConfig.for_model(kind, **special, **_CONFIGS[kind])).save_pretrained(folder)
    _save_tokenizer(folder, pad=kind != "gpt2")
    return folder


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
    return _save_model


@pytest.fixture(scope="session")
def tiny(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """Folders of tiny transformers models by kind; not to be changed."""
    return {kind: _save_model(tmp_path_factory.mktemp("language") / kind, kind) for kind in _CONFIGS}


@pytest.fixture(scope="session")
def tiny_bert(tiny: dict[str, Path]) -> Path:
    """Folder of a tiny BERT; not to be changed."""
    return tiny["bert"]


@pytest.fixture(scope="session")
def save_wordnet() -> Callable[..., Path]:
    """Writes a tiny WordNet: `save_wordnet(folder, parents, lemmas)`."""
    return _save_wordnet
