"""Captions claim what they say, and nothing that was to be left out."""

import re

import numpy as np
import pandas as pd
import pytest

from experiments.clip.captions import ATTRIBUTES, Captions, CaptionWriter, Codes, claim, fix_articles, join, no_claim
from experiments.clip.frames import FRAMES, held_out_phrase, never_named_together
from experiments.clip.phrases import PHRASES, VALUES
from experiments.clip.zero_shot import unseen_pairings, unseen_sentences

CARS = {"sedan": ["Volvo S60"], "suv": ["BMW X5 M"]}


def test_codes_and_truth_are_those_of_plain_loops(scenes: pd.DataFrame, codes: Codes) -> None:
    for row in (0, 31):
        assert [VALUES[name][code] for name, code in zip(ATTRIBUTES, codes[row], strict=True)] == list(scenes.loc[row, list(ATTRIBUTES)])
    captions = Captions(["a", "b", "c"], np.stack([claim({"car_color": [1, 2], "viewpoint": [0]}), no_claim(), claim({"body_type": [3]})]))
    color, view, body = (ATTRIBUTES.index(name) for name in ("car_color", "viewpoint", "body_type"))
    expected = [[row[color] in (1, 2) and row[view] == 0, True, row[body] == 3] for row in codes]
    np.testing.assert_array_equal(captions.true_of(codes), expected)
    both = join([Captions(["a"], no_claim()[None]), Captions(["b"], claim({"sun_height": [0]})[None])])
    assert both.texts == ["a", "b"]
    assert both.claims[0].all()
    assert not both.claims[1].all()


def test_a_sentence_is_true_of_its_own_picture_and_says_so(codes: Codes) -> None:
    captions = CaptionWriter(CARS).describe(codes, np.random.default_rng(0))
    assert captions.true_of(codes).diagonal().all()
    for text, claims in zip(captions.texts, captions.claims, strict=True):
        for row, name in enumerate(ATTRIBUTES[3:], start=3):
            allowed = [VALUES[name][i] for i in np.flatnonzero(claims[row, : len(VALUES[name])])]
            if len(allowed) == 1:
                assert any(_without_articles(phrase) in _without_articles(text) for phrase in PHRASES[name][allowed[0]])
            else:
                assert len(allowed) == len(VALUES[name])


def _without_articles(text: str) -> str:
    return re.sub(r"\b(an?|the) ", "", text)


@pytest.mark.parametrize("attribute", ATTRIBUTES)
def test_prompts_compete_one_a_class(attribute: str, codes: Codes) -> None:
    prompts = CaptionWriter().prompts_of_all_values(attribute, np.random.default_rng(1))
    assert len(set(prompts.texts)) == len(VALUES[attribute])
    truth = prompts.true_of(codes)
    np.testing.assert_array_equal(truth.argmax(axis=1), codes[:, ATTRIBUTES.index(attribute)])
    assert (truth.sum(axis=1) == 1).all()


def test_car_names_stand_for_their_body_type() -> None:
    texts = CaptionWriter(CARS).prompts_of_all_values("body_type", np.random.default_rng(0), use_models=True).texts
    assert "Volvo S60" in texts[VALUES["body_type"].index("sedan")]
    assert "BMW X5 M" in texts[VALUES["body_type"].index("suv")]


def test_training_never_writes_what_is_held_out() -> None:
    writer, rng = CaptionWriter(), np.random.default_rng(2)
    for attribute in ATTRIBUTES:
        held = {text for prompts in [*unseen_pairings(attribute), unseen_sentences(attribute)] for text in prompts}
        written = {text for _ in range(400) for text in writer.prompts_of_all_values(attribute, rng).texts}
        assert not held & written


def test_held_out_phrases_are_known_from_other_frames() -> None:
    for attribute, frames in FRAMES.items():
        for value, phrases in PHRASES[attribute].items():
            held = [held_out_phrase(attribute, frame, value) for frame in range(len(frames))]
            assert 0 not in held
            for phrase in range(len(phrases)):
                assert any(index != phrase for index in held)


def test_some_colors_and_bodies_are_never_named_together(codes: Codes) -> None:
    pairs = {(c, b) for c in range(17) for b in range(6) if never_named_together(c, b)}
    assert 8 <= len(pairs) <= 12
    captions = CaptionWriter().describe(np.tile(codes, (20, 1)), np.random.default_rng(3))
    color, body = ATTRIBUTES.index("car_color"), ATTRIBUTES.index("body_type")
    named = {(int(c.argmax()), int(b.argmax())) for c, b in captions.claims[:, [color, body]][:, :, :17] if c.sum() == 1 and b[:6].sum() == 1}
    assert named
    assert not named & pairs


def test_the_word_car_alone_says_nothing(codes: Codes) -> None:
    captions = CaptionWriter().loose(np.random.default_rng(0), 200)
    free = captions.claims.all(axis=(1, 2))
    nouns = {"car", "vehicle", "automobile", "auto"}
    assert any(text in {"a car", "a photo of a car"} for text, everywhere in zip(captions.texts, free, strict=True) if everywhere)
    assert all(text.split()[-1] in nouns for text, everywhere in zip(captions.texts, free, strict=True) if everywhere)
    assert captions.true_of(codes)[:, free].all()


@pytest.mark.parametrize(("written", "fixed"), [("a orange car", "an orange car"), ("an SUV", "a SUV"), ("a photo of a auto", "a photo of an auto")])
def test_articles(written: str, fixed: str) -> None:
    assert fix_articles(written) == fixed
