"""Simulated labeling: what clicks cost, when it ends, and that labels that spread save them."""

import sys

import numpy as np
import pandas as pd
import pytest

import likeness as lk
from experiments.analyses.label_spreading import label_spreading, label_spreading_table
from likeness.errors import InputError
from likeness.notions import Notion, get_notion

study = sys.modules["experiments.analyses.label_spreading"]


@pytest.fixture(scope="module")
def runs() -> pd.DataFrame:
    space = lk.embed(lk.read("cars"), "cars-small")
    return label_spreading(space, [get_notion("car color")], ["propagation"], [0], images=600)


@pytest.mark.parametrize(("wrong", "size", "clicks"), [(0, 24, 1), (3, 24, 4), (23, 24, 24), (24, 24, 24), (0, 1, 1), (1, 1, 1)])
def test_a_screen_costs_no_more_than_its_images(wrong: int, size: int, clicks: int) -> None:
    assert study.screen_clicks(wrong, size) == clicks


def test_spread_labels_save_clicks_in_the_space_of_the_notion_and_not_by_chance(runs: pd.DataFrame) -> None:
    clicks = runs.set_index(["space", "way"])["clicks"]
    assert clicks["", "one by one"] == 570
    assert clicks["notion", "screens"] < 200
    assert clicks["notion", "screens"] < clicks["raw", "screens"] < clicks["random projection", "screens"]
    assert clicks["random projection", "queue"] > 400
    assert (runs["right"] >= 0.95).all()
    assert (runs["labeled"] <= 600).all()
    assert (runs["clicks"] <= 600).all()


def test_each_way_counts_what_it_asks_for() -> None:
    """Two groups far from each other: 24 images by hand, and no more; nearest neighbors take a screen after each image."""
    rng = np.random.default_rng(0)
    truth = np.repeat([0, 1], 50)
    space = lk.Space(np.eye(2)[truth] * 10 + rng.normal(size=(100, 2)))
    person = study._Person(space, truth, 0)
    assert person.spread("propagation", False) == {"clicks": 24, "labeled": 24, "right": 1}
    nearest = person.nearest()
    assert (nearest["labeled"], nearest["right"]) == (95, 0.95)
    assert 8 <= nearest["clicks"] <= 40


def test_labels_that_nothing_tells_are_all_given_by_hand() -> None:
    rng = np.random.default_rng(0)
    truth = rng.integers(2, size=100)
    person = study._Person(lk.Space(rng.normal(size=(100, 4))), truth, 0)
    found = person.spread("propagation", False)
    assert found["clicks"] == found["labeled"] > 80
    assert found["right"] == 0.95


def test_the_table_is_in_clicks_per_image() -> None:
    about = {"dataset": "d", "notion": "n", "images": 100}
    rows = [{**about, "space": "", "way": "one by one", "method": "", "seed": 0, "clicks": 95}]
    for space, counts in (("notion", (10, 20)), ("raw", (40, 40))):
        rows += [{**about, "space": space, "way": "queue", "method": "probe", "seed": seed, "clicks": count} for seed, count in enumerate(counts)]
    (row,) = label_spreading_table(pd.DataFrame(rows)).to_dict("records")
    assert row["notion's space"] == "0.150 ± 0.050"
    assert row["raw encoder"] == "0.400 ± 0.000"
    assert row["notion's space, share"] == pytest.approx(0.15 / 0.95)
    assert row["raw encoder, share"] == pytest.approx(0.4 / 0.95)


def test_what_cannot_be_judged_is_refused() -> None:
    space = lk.embed(lk.read("cars"), "cars-small")
    with pytest.raises(InputError, match="has a label of these images"):
        label_spreading(space, [Notion("odd", "a {} car", ("red", "blue"))])
    with pytest.raises(InputError, match="not by magic"):
        label_spreading(space, [get_notion("car color")], ways=["by magic"])
