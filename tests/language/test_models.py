"""From a language model's name to the model, for every kind."""

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from likeness.errors import InputError
from likeness.language import TOP_3, LanguageModel, language_model, short_names


@pytest.mark.parametrize("name", [*short_names(), "clip:cars", "ViT-L-14/openai", "hf-hub:org/model", "bert@pooler", "transformers:org/model"])
def test_a_model_of_that_name_without_loading_weights(name: str) -> None:
    model = language_model(name)
    assert isinstance(model, LanguageModel)
    assert (model.name, model.has_text, model.reads_sentences) == (name, True, True)
    assert len(model.identity) == 16


def test_identities_are_those_of_what_the_names_stand_for() -> None:
    identity = {name: language_model(name).identity for name in short_names()}
    assert len(set(identity.values())) == len(identity)
    assert set(TOP_3) <= set(identity)
    assert language_model("clip:ViT-B-32/openai").identity == language_model("ViT-B-32/openai").identity == identity["clip"]
    assert language_model("transformers:bert-base-uncased").identity == language_model("bert@mean").identity == identity["bert"]
    assert language_model("bert@pooler").identity != identity["bert"]


@pytest.mark.parametrize(
    ("name", "said"),
    [
        *[
            (name, r"There is no language model .*; write minilm, clip:cars, clip, bert.*'vectors:FILE'")
            for name in ("", "elmo", "transformers:", "vectors:", "clip:", "/openai", "bert:x", "fasttext:x.vec")
        ],
        *[(name, "has its own way to make one vector of a text; leave out '@") for name in ("minilm@pooler", "clip@mean", "clip:cars@pooler")],
        (3, "language model 3 is not a name and has no encode_texts"),
        ("clip:timm:resnet50", "'timm:resnet50' has no text side"),
        ("transformers:./nowhere", "there is no folder './nowhere'"),
        ("transformers:/nowhere", "there is no folder '/nowhere'"),
        ("vectors:nowhere.txt", "no file of word vectors 'nowhere.txt'"),
        ("clip:local-dir:/nowhere", "there is no folder '/nowhere'"),
    ],
)
def test_no_such_model(name: Any, said: str) -> None:
    with pytest.raises(InputError, match=said):
        _ = language_model(name).identity


def test_importing_needs_no_torch() -> None:
    code = "import sys, likeness.language; print({'torch', 'transformers', 'nltk', 'timm', 'sentence_transformers'} & set(sys.modules))"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.strip() == "set()"


def test_a_folder_named_like_a_hub_id_is_the_folder(tiny_bert: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tiny_bert.parent)
    assert language_model(f"transformers:{tiny_bert.name}").identity == language_model(f"transformers:{tiny_bert}").identity
