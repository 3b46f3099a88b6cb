import numpy as np
import pytest

import likeness as lk
from likeness.first_notion import most_dividing
from likeness.notion_trust import Trust

COLOR = lk.Notion("color", "a {} car", ["red", "green", "blue", "white", "black"])
SEASON = lk.Notion("season", "{}", ["summer", "winter"])


def _cars() -> lk.Space:
    return lk.embed(lk.read("cars"), "cars")


def test_it_is_the_notion_that_the_images_differ_in() -> None:
    assert most_dividing(_cars(), [SEASON, COLOR]) is COLOR
    assert most_dividing(_cars().refit(COLOR), [SEASON, COLOR]) is COLOR  # by the space behind a notion's


def test_none_where_nothing_divides() -> None:
    cars = _cars()
    noise = np.random.default_rng(0).normal(size=cars.vectors.shape)
    assert most_dividing(cars.replace(vectors=noise), [COLOR, SEASON]) is None
    assert most_dividing(cars, []) is None


def test_what_cannot_be_relied_on_is_not_first(monkeypatch: pytest.MonkeyPatch) -> None:
    trusts = {COLOR: Trust(0.4, 0.5, 0.8, False), SEASON: Trust(0.9, 0.99, 0.9, True)}
    monkeypatch.setattr("likeness.notion_trust.notion_trust", lambda space, notion, seed: trusts[notion])
    monkeypatch.setattr("likeness.notions.division_scores", lambda rows, aspects, seed: [0.1, 0.2][-len(aspects) :])
    assert most_dividing(_cars(), [SEASON, COLOR]) is SEASON
    assert most_dividing(_cars(), [COLOR]) is None
