"""From a language model's name to the model; every family declares all about itself, and objects stand wherever a name does."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from typer.testing import CliRunner

from likeness.commands.cli import command_line
from likeness.encoders import embed_texts
from likeness.errors import InputError
from likeness.language import (
    LANGUAGE_FAMILIES,
    TOP_3,
    LanguageFamily,
    SimilaritySource,
    class_similarities,
    class_vectors,
    embed_names,
    gives_vectors,
    language_model,
    short_names,
)
from likeness.training.config import config_from
from pages.train import fields as train_fields


@pytest.mark.parametrize("name", [*short_names(), "clip:cars", "ViT-L-14/openai", "hf-hub:org/model", "bert@pooler", "transformers:org/model"])
def test_a_model_of_that_name_without_loading_weights(name: str) -> None:
    model: Any = language_model(name)
    assert (model.name, model.has_text, model.reads_sentences) == (name, True, True)
    assert len(model.identity) == 16


def test_identities_are_those_of_what_the_names_stand_for() -> None:
    identity = {name: language_model(name).identity for name in short_names()}
    assert len(set(identity.values())) == len(identity)
    assert set(TOP_3) <= set(identity)
    assert language_model("clip:ViT-B-32/openai").identity == language_model("ViT-B-32/openai").identity == identity["clip"]
    assert language_model("transformers:bert-base-uncased").identity == language_model("bert@mean").identity == identity["bert"]
    assert language_model("bert@pooler").identity != identity["bert"]
    texts = ["A photo of a red car", "A photo of a blue van"]
    for name in ("cars", "clip:cars"):
        np.testing.assert_array_equal(embed_names(texts, name), embed_texts("cars", texts).vectors)


NO_NAMES = ("", "elmo", "transformers:", "vectors:", "clip:", "/openai", "bert:x", "fasttext:x.vec")


@pytest.mark.parametrize(
    ("name", "said"),
    [
        *[(name, r"There is no language model .*; write minilm, clip:cars, clip, bert.*'vectors:FILE'") for name in NO_NAMES],
        *[(name, "has a fixed pooling; remove '@") for name in ("minilm@pooler", "clip@mean", "clip:cars@pooler")],
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


def test_a_folder_named_like_a_hub_id_is_the_folder(tiny_bert: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tiny_bert.parent)
    assert language_model(f"transformers:{tiny_bert.name}").identity == language_model(f"transformers:{tiny_bert}").identity


LISTED = [family for family in LANGUAGE_FAMILIES.values() if family.listed]


class Letters:
    def __init__(self) -> None:
        self.texts: list[str] = []

    def encode_texts(self, texts: list[str]) -> np.ndarray:
        self.texts += texts
        return np.array([[text.count(letter) for letter in "abc"] for text in texts], dtype=float)


@pytest.mark.parametrize("family", LANGUAGE_FAMILIES.values(), ids=LANGUAGE_FAMILIES)
def test_a_family_declares_all_about_itself(family: LanguageFamily | SimilaritySource) -> None:
    assert LANGUAGE_FAMILIES[family.name] is family
    assert family.title[0].isupper()
    assert family.help.endswith(".")
    assert not family.form or family.name in family.form


def test_what_has_no_vectors_says_so() -> None:
    assert {family.name for family in LISTED if isinstance(family, SimilaritySource)} == {"wordnet", "hierarchy"}
    assert [gives_vectors(name) for name in ("minilm", "clip", "wordnet", "hierarchy:a.csv", "vectors:a.txt")] == [True, True, False, False, True]
    with pytest.raises(InputError, match="'wordnet' returns similarities of names, not vectors"):
        embed_names(["a"], "wordnet")


def test_one_line_makes_a_family_known_to_configs_menus_and_tables(monkeypatch: pytest.MonkeyPatch) -> None:
    def make(name: str, target: str, device: str) -> Letters:
        assert target == "abc"
        return Letters()

    own = LanguageFamily("letters", "Letters", "Counts letters.", make, form="'letters:ALPHABET'", short_names={"abc": "letters:abc"})
    monkeypatch.setitem(LANGUAGE_FAMILIES, "letters", own)
    np.testing.assert_array_equal(embed_names(["aab"], "abc"), [[2, 1, 0]])
    assert config_from({"guidance": {"language": "letters:abc"}}).guidance is not None
    with pytest.raises(InputError, match=r"no language model 'letter:abc'; write minilm, .*abc.*'letters:ALPHABET'"):
        config_from({"guidance": {"language": "letter:abc"}})
    assert "abc" in train_fields.short_names()
    assert "Counts letters." in CliRunner().invoke(command_line(), ["kinds", "language-models"]).stdout


def test_one_line_makes_a_source_of_similarities_known(monkeypatch: pytest.MonkeyPatch) -> None:
    def compare(target: str, names: Sequence[str]) -> np.ndarray:
        return np.array([[float(one == other) for other in names] for one in names])

    monkeypatch.setitem(LANGUAGE_FAMILIES, "same", SimilaritySource("same", "Same", "Only equal names are alike.", compare))
    np.testing.assert_array_equal(class_similarities(["x", "y"], "same"), np.eye(2))
    with pytest.raises(InputError, match="method devise needs a language model with vectors, but same"):
        config_from({"guidance": {"language": "same", "method": "devise"}})


def test_an_object_stands_wherever_a_name_does(cache: Path) -> None:
    model = Letters()
    np.testing.assert_array_equal(embed_names(["ab", "c"], model), [[1, 1, 0], [0, 0, 1]])
    np.testing.assert_allclose(class_similarities(["ab", "b"], model, "{}"), [[1, np.sqrt(0.5)], [np.sqrt(0.5), 1]], rtol=1e-6)
    np.testing.assert_allclose(class_similarities(["ab", "b"], [model, model], "{}"), class_similarities(["ab", "b"], model, "{}"))
    vectors = class_vectors(["ab", "b"], [model, model], "{}")
    np.testing.assert_allclose(vectors @ vectors.T, class_similarities(["ab", "b"], model, "{}"), rtol=1e-6)
    assert language_model(model) is model
    model.texts.clear()  # of an object that nothing names, nothing is remembered
    for identity, asked in (("", 2), ("letters-1", 3)):
        if identity:
            model.identity = identity  # type: ignore[attr-defined]
        for _ in range(2):
            embed_names(["a", "b"], model)
        assert model.texts == ["a", "b"] * asked
