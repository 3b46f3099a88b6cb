"""The study of slices: what is planted, judged and shuffled."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from experiments.analyses import slices
from likeness import Space
from likeness.data import ImageTable
from likeness.errors import InputError


@pytest.fixture(scope="module")
def blobs() -> Space:
    """600 images in six places, which an attribute names; another one names nothing."""
    rng = np.random.default_rng(0)
    place = rng.integers(0, 6, 600)
    vectors = rng.normal(size=(6, 16))[place] + rng.normal(size=(600, 16)) / 8
    frame = pd.DataFrame({"path": [f"{row}.png" for row in range(600)], "place": [f"p{each}" for each in place], "coin": rng.choice(["a", "b"], 600)})
    return Space((vectors / np.linalg.norm(vectors, axis=1, keepdims=True)).astype(np.float32), ImageTable("blobs", Path(), frame))


def test_plants_have_the_shares_of_their_kind_and_the_images_of_their_values(blobs: Space) -> None:
    found = list(slices.plants(blobs.table, ["place", "coin"], np.random.default_rng(0)))
    assert {kind for kind, _, _ in found} == {"value", "large value"}  # about a sixth of the images each, and any two are more than .15
    for kind, name, mask in found:
        attribute, value = name.split(": ")
        assert (mask == (blobs.table.frame[attribute] == value)).all()
        assert (0.15 <= mask.mean() < 0.4) if kind == "large value" else (0.03 < mask.mean() < 0.15)
    with pytest.raises(InputError, match="no attribute 'nope'"):
        list(slices.plants(blobs.table, ["nope"], np.random.default_rng(0)))


def test_what_lies_together_is_found_by_clusters_and_not_by_its_controls(blobs: Space) -> None:
    runs = slices.planted_table(blobs, ["place"], range(1))
    hits = runs.groupby("method")["hit_1"].mean()
    assert hits[slices.TOOL] == hits[slices.GIVEN] == hits["clusters"] == 1
    assert hits[slices.RANDOM] == 0
    table = slices.slices_summary(runs).set_index("method")
    assert set(table.loc[[slices.TOOL], "first"]) == {"1.000"}  # a row for each kind
    assert table.loc[[slices.TOOL], "plants"].astype(int).sum() == len(runs) // runs["method"].nunique()


def test_shuffled_errors_are_counted_with_wilsons_interval(blobs: Space) -> None:
    runs = slices.null_table(blobs, ["place"], 5)
    assert len(runs) == 5 * 6
    runs = pd.DataFrame({"errors": "shares", "method": "m", "found": [True] * 81 + [False] * 182})  # table I of Newcombe 1998, example (a)
    assert slices.null_summary(runs).iloc[0].tolist() == ["shares", "m", "263", "0.308", "0.255 to 0.366"]


def test_the_mixture_separates_errors_from_the_rest_and_judges_on_the_errors_it_was_fitted_to(blobs: Space) -> None:
    errors = np.random.default_rng(0).permutation(np.repeat([1.0, 0.0], [60, 540]))
    first = slices.mixture(blobs.vectors, errors, 0)[0]
    assert errors[first].mean() > 0.5  # though they are shuffled


def test_errors_of_the_nearest_image_are_looked_for_in_halves(blobs: Space) -> None:
    runs = slices.real_table(blobs, "coin", range(2))
    assert set(runs) <= {"method", "errors", "split", "error_rate", "name", "images", "p", "difference", "other_half"}
    half = slices.real_summary(pd.DataFrame({"method": "m", "errors": "as it is", "split": [0, 1], "difference": 0.2, "other_half": [0.1, -0.2]}))
    assert half.iloc[0].tolist() == ["m", "as it is", "2", "2", "0.200", "-0.050", "0.50"]
