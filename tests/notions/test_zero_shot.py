import numpy as np
import pytest

import likeness as lk
from likeness.errors import InputError
from likeness.notions import Notion, best_aspects

PETS = Notion("pets", ("a {}", "one {}"), ("cat", "dog", "fish"))


def _rows(n: int, seed: int) -> np.ndarray:
    rows = np.random.default_rng(seed).normal(size=(n, 8)).astype(np.float32)
    return rows / np.linalg.norm(rows, axis=1, keepdims=True)


def test_it_is_the_aspect_with_the_nearest_mean_prompt() -> None:
    images, prompts = _rows(40, 0), _rows(6, 1)
    found = best_aspects(images, prompts, PETS)
    for image, place in zip(images, found, strict=True):
        similarities = []
        for aspect in range(3):
            mean = (prompts[aspect] + prompts[3 + aspect]) / 2  # all aspects in the first template, then in the next
            similarities.append(float(image @ mean / np.linalg.norm(mean)))
        assert place == int(np.argmax(similarities))


def test_blocks_of_rows_do_not_matter(monkeypatch: pytest.MonkeyPatch) -> None:
    images, prompts = _rows(40, 0), _rows(6, 1)
    whole = best_aspects(images, prompts, PETS)
    monkeypatch.setattr("likeness.notions.zero_shot._ROWS_AT_ONCE", 7)
    np.testing.assert_array_equal(best_aspects(images, prompts, PETS), whole)


def test_prompts_of_another_notion_are_refused() -> None:
    with pytest.raises(InputError, match="'pets' has 6 prompts, but 5 rows"):
        best_aspects(_rows(3, 0), _rows(5, 1), PETS)


def test_of_the_shipped_cars_it_mostly_names_their_color() -> None:
    space = lk.embed(lk.read("cars"), "cars")
    color = space.best_aspects(lk.Notion("color", "a {} car", ["red", "lime", "blue", "white", "black"]))
    known = space.table.frame["car_color"].isin(["red", "lime", "blue", "white", "black"]).to_numpy()
    assert (color[known] == space.table.frame["car_color"][known]).mean() > 0.9
