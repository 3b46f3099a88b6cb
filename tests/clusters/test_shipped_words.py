"""The words that ship for naming clusters are those that are asked for, and near to their encoding."""

import numpy as np
import pytest

import likeness as lk
from likeness.clusters import noun_choice, photo_nouns
from likeness.clusters.word_shares import TextShares
from likeness.encoders import embed_texts, vocabulary_ships
from likeness.encoders.store import texts


def test_photos_are_named_without_reading_a_word(monkeypatch: pytest.MonkeyPatch) -> None:
    nouns = photo_nouns("photos")
    assert nouns is not None
    assert len(nouns) > 10_000
    assert vocabulary_ships("photos", nouns.prompts)
    some = list(range(0, len(nouns), 300))
    fresh = embed_texts("photos", [nouns.prompts[place] for place in some]).vectors
    monkeypatch.setattr(texts, "load_encoder", lambda *given: pytest.fail("a word was encoded"))
    reports = list[tuple[int, int]]()
    space = lk.Space(fresh, encoder="photos", embed_texts=lambda given: embed_texts("photos", given).vectors)
    words = TextShares(space, nouns, progress=lambda done, total, stage="": reports.append((done, total))).words
    assert reports == [(len(nouns), len(nouns))]
    assert (words[some] * fresh).sum(axis=1).min() > 0.9995
    assert np.sqrt(np.square(words[some] @ fresh.T - fresh @ fresh.T).mean()) < 0.002


def test_cars_are_named_without_reading_a_word(monkeypatch: pytest.MonkeyPatch) -> None:
    space = lk.embed(lk.read("cars"), "cars")
    monkeypatch.setattr(texts, "load_encoder", lambda *given: pytest.fail("a word was encoded"))
    choice = noun_choice(space)
    assert len(choice) > 200
    assert len(TextShares(space, choice).words) == len(choice)
