"""Accuracy by hand, and the report on an encoder that knows every word or none."""

import numpy as np
import pytest

from experiments.clip.captions import ATTRIBUTES, WIDEST, Codes
from experiments.clip.phrases import VALUES
from experiments.clip.zero_shot import CAR_MODELS, FIRST, PAIR, PAIRING, SENTENCE, Vectors, accuracy, first_prompts, score

CARS = {"sedan": ["Volvo S60"], "van": ["Ford Transit"]}


def test_accuracy_by_hand_and_the_papers_own_wordings() -> None:
    texts = np.eye(3, dtype=np.float32)
    images = np.array([[1, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]], np.float32)
    top1, balanced = accuracy(images, texts, np.array([0, 0, 0, 2]))
    assert top1 == 0.75
    assert balanced == pytest.approx((2 / 3 + 1) / 2)
    assert first_prompts("car_color")[0] == "a black car"
    assert first_prompts("background_color")[-1] == "a car in front of an orange background"
    assert first_prompts("body_type")[2] == "a photo of a suv"


def test_report_of_an_encoder_that_knows_the_first_prompts(codes: Codes) -> None:
    """Images are one-hot per attribute; the text encoder knows one prompt a class and has a fixed vector for the rest."""
    images = np.concatenate([np.eye(WIDEST, dtype=np.float32)[codes[:, i]] for i in range(len(ATTRIBUTES))], axis=1)
    known = {}
    for i, name in enumerate(ATTRIBUTES):
        for k, prompt in enumerate(first_prompts(name)):
            known[prompt] = np.eye(images.shape[1], dtype=np.float32)[i * WIDEST + k]

    def encode(texts: list[str]) -> Vectors:
        return np.stack([known.get(text, np.zeros(images.shape[1], np.float32)) for text in texts])

    report = score(images, codes, encode, CARS).set_index(["wording", "attribute"])
    for name in ATTRIBUTES:
        assert report.loc[(FIRST, name), "top1"] == 1
        assert report.loc[(FIRST, name), "classes"] == len(VALUES[name])
        # the first class wins every tie
        first = (codes[:, ATTRIBUTES.index(name)] == 0).mean()
        assert report.loc[(SENTENCE, name), "top1"] == pytest.approx(first)
        assert report.loc[(PAIRING, name), "top1"] == pytest.approx(first)
    assert report.loc[(PAIR, "car_color and body_type"), "classes"] == 17 * 6
    assert report.loc[(CAR_MODELS, "body_type"), "classes"] == 2
    assert report.loc[(CAR_MODELS, "body_type"), "top1"] == pytest.approx((codes[:, 0] == VALUES["body_type"].index("sedan")).mean())
