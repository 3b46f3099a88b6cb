"""This one, but red: what is asked for, what is found, and the study that judges it."""

import numpy as np
import pytest

import likeness as lk
import worlds
from experiments.analyses.changed_images import changed_table
from likeness.changed_place import changed_place
from likeness.errors import InputError
from likeness.notions import get_notion


@pytest.fixture(scope="module")
def cars() -> lk.Space:
    return worlds.cars()


def test_the_own_aspect_is_taken_away_by_half(cars: lk.Space) -> None:
    color = get_notion("car color")
    row = int(np.flatnonzero(cars.best_aspects(color) == "green")[0])
    red, green = cars.text_query("a red car")[0], cars.text_query("a green car")[0]
    for aspect, expected in ((" Red", cars.vectors[row] + red - green / 2), ("green", cars.vectors[row] + green)):
        np.testing.assert_allclose(changed_place(cars, row, color, aspect), expected / np.linalg.norm(expected), atol=1e-6)


def test_it_finds_what_the_sum_does_not(cars: lk.Space) -> None:
    color, body = get_notion("car color"), get_notion("car model")
    both, frame = cars.refit(color + body), cars.table.frame
    rows = np.flatnonzero((frame["car_color"] == "teal").to_numpy())[:20]

    def right(place: np.ndarray, row: int) -> float:
        found = frame.iloc[both.nearest(place, k=5, exclude=[row]).rows]
        return float(((found["car_color"] == "red") & (found["body_type"] == frame["body_type"][row])).mean())

    changed = np.mean([right(changed_place(both, int(row), color, "red"), int(row)) for row in rows])
    summed = np.mean([right(both.vectors[row] + both.text_query("a red car")[0], int(row)) for row in rows])
    assert changed > 0.9 > summed


def test_an_image_that_is_not_there_is_told(cars: lk.Space) -> None:
    with pytest.raises(InputError, match="no image 2000"):
        changed_place(cars, 2000, get_notion("car color"), "red")


def test_the_study_judges_by_both_labels_and_by_a_wrong_word(cars: lk.Space) -> None:
    runs = changed_table(cars, get_notion("car model"), get_notion("car color"), 15, range(2))
    assert set(runs["queries"]) == {15}
    means = runs.groupby(["space", "row"])["map"].mean().unstack("space")
    both = means["car model + car color"]
    assert both["image + text - own / 2"] > both["image + text"] > both["image"]
    assert both["image + another text"] < 0.2
    with pytest.raises(InputError, match="0 queries"):
        changed_table(cars, get_notion("car model"), get_notion("car color"), 0)
