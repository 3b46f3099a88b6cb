import numpy as np
import pytest

import likeness as lk
from likeness.notions import best_aspects


def _rows(n: int, seed: int) -> np.ndarray:
    rows = np.random.default_rng(seed).normal(size=(n, 8)).astype(np.float32)
    return rows / np.linalg.norm(rows, axis=1, keepdims=True)


def test_it_is_the_nearest_aspect() -> None:
    images, aspects = _rows(40, 0), _rows(3, 1)
    for image, place in zip(images, best_aspects(images, aspects), strict=True):
        assert place == int(np.argmax([float(image @ aspect) for aspect in aspects]))


def test_blocks_of_rows_do_not_matter(monkeypatch: pytest.MonkeyPatch) -> None:
    images, aspects = _rows(40, 0), _rows(3, 1)
    whole = best_aspects(images, aspects)
    monkeypatch.setattr("likeness.notions.zero_shot._ROWS_AT_ONCE", 7)
    np.testing.assert_array_equal(best_aspects(images, aspects), whole)


def test_of_the_shipped_cars_it_mostly_names_their_color() -> None:
    space = lk.embed(lk.read("cars"), "cars")
    color = space.best_aspects(lk.Notion("color", "a {} car", ["red", "lime", "blue", "white", "black"]))
    known = space.table.frame["car_color"].isin(["red", "lime", "blue", "white", "black"]).to_numpy()
    assert (color[known] == space.table.frame["car_color"][known]).mean() > 0.9
