"""Another text model joined to a space: held-out texts and queries beside the encoder's own text side and a random map."""

import re
import shutil
from pathlib import Path

import numpy as np
import pytest

import likeness as lk
from likeness.encoders import embed_texts, minilm_folder
from likeness.errors import InputError
from likeness.joined_texts import JoinedTexts, english_texts
from likeness.notions import get_notion

PAIRS = 600


GERMAN = {"ein": "a", "rotes": "red", "blaues": "blue", "auto": "car"}


class Words:
    """A bag of words, where German ones stand for the English words that they mean: a multilingual model small enough for a test."""

    name, identity = "words", "words in two languages"

    def encode_texts(self, texts: list[str]) -> np.ndarray:
        rows = np.zeros((len(texts), 2000), np.float32)
        for row, text in zip(rows, texts, strict=True):
            for word in text.lower().split():
                row[sum(map(ord, GERMAN.get(word, word))) * 7919 % 2000] += 1
        return rows


@pytest.fixture(scope="module")
def joined(tmp_path_factory: pytest.TempPathFactory) -> JoinedTexts:
    folder = tmp_path_factory.mktemp("other") / "model"
    shutil.copytree(minilm_folder(), folder)
    return JoinedTexts("cars", f"transformers:{folder}", PAIRS)


def test_held_out_texts_find_themselves() -> None:
    joined = JoinedTexts("photos", "minilm", PAIRS)  # whose text side is a linear map of it
    held_out = sorted(set(english_texts("photos", 300, seed=1)) - set(english_texts("photos", PAIRS)))[:100]
    own, found = embed_texts("photos", held_out).vectors, joined(held_out)
    np.testing.assert_allclose(np.linalg.norm(found, axis=1), 1, rtol=1e-4)
    turned = found @ np.linalg.qr(np.random.default_rng(0).normal(size=(own.shape[1],) * 2))[0]
    hits, chance = (((rows @ own.T).argmax(axis=1) == np.arange(len(own))).mean() for rows in (found, turned))
    assert chance < 0.1
    assert hits > 0.95


def test_a_joined_model_names_bodies_and_a_turned_one_does_not(joined: JoinedTexts) -> None:
    space, notion = lk.embed(lk.read("cars"), "cars"), get_notion("car-model")
    labels, aspects = space.table.frame["body_type"].to_numpy(), np.array(notion.aspects)
    rows = joined(notion.prompts)
    turned = rows @ np.linalg.qr(np.random.default_rng(0).normal(size=(rows.shape[1],) * 2))[0]
    right, chance = ((aspects[(space.vectors @ each.T).argmax(axis=1)] == labels).mean() for each in (rows, turned))
    assert right > chance + 0.2


def test_the_ridge_is_that_of_the_normal_equations(joined: JoinedTexts) -> None:
    texts = english_texts("cars", PAIRS)
    x, y = joined.rows(texts).astype(np.float64), embed_texts("cars", texts).vectors.astype(np.float64)
    center, mean = x.mean(axis=0), y.mean(axis=0)
    weights = np.linalg.solve((x - center).T @ (x - center) + 0.1 * np.eye(x.shape[1]), (x - center).T @ (y - mean))
    np.testing.assert_allclose(joined.ridge.coef_.T, weights, atol=1e-3)


def test_queries_in_another_language() -> None:
    space = lk.embed(lk.read("cars"), "cars")
    read = space.replace(embed_texts=JoinedTexts("cars", Words(), 4 * PAIRS))
    colors = space.table.frame["car_color"].to_numpy()
    for german, english in (("ein rotes auto", "red"), ("ein blaues auto", "blue")):
        hits = read.nearest(german, k=20)
        assert np.mean(colors[hits.rows] == english) > 0.5
        assert hits.presence is not None
        assert hits.presence.answer != "unread"


def test_refused() -> None:
    with pytest.raises(InputError, match="reads no text"):
        JoinedTexts("timm:resnet18", Words())
    with pytest.raises(InputError, match=re.escape("there is no folder './nowhere'")):
        lk.embed(lk.read("cars"), "cars", texts="transformers:./nowhere")
    with pytest.raises(InputError):
        JoinedTexts("cars", "no model")


def test_embed_takes_a_language_model(joined: JoinedTexts, tmp_path: Path) -> None:
    space = lk.embed(lk.read("cars"), "cars", texts=joined.model)
    assert isinstance(space.embed_texts, JoinedTexts)
    assert space.embed_texts.model == joined.model
