import numpy as np

import likeness as lk
from likeness.first_notion import most_dividing

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
