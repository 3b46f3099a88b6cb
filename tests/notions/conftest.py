"""Fixtures for notions: the authors' numbers, and embeddings with the traits of CLIP's."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import worlds
from likeness.space import Space

Reference = dict[str, NDArray[Any]]


@pytest.fixture(scope="session")
def reference() -> Reference:
    """Arrays of the authors' InDiReCT code on random inputs; names as in `n{rows}_k{dim}_{what}`, matrices U as (dim, r)."""
    with np.load(Path(__file__).parent / "data" / "indirect.npz") as file:
        return dict(file)


@pytest.fixture(scope="session")
def text() -> NDArray[np.float64]:
    """(30, 24) unit rows with a strong shared mean and a falling spectrum, as CLIP's text embeddings have."""
    rng = np.random.default_rng(5)
    rows = 1.5 * rng.standard_normal(24) + rng.standard_normal((30, 24)) * 2.0 ** -np.arange(0, 6, 0.25)
    return rows / np.linalg.norm(rows, axis=1, keepdims=True)


@pytest.fixture(scope="session")
def baselines() -> Reference:
    """Arrays of the authors' code for the Oracle and the autoencoders: given weights, losses, gradients, training curves and where they end."""
    with np.load(Path(__file__).parent / "data" / "indirect_baselines.npz") as file:
        return dict(file)


@pytest.fixture(scope="module")
def images() -> NDArray[np.float64]:
    return 3 * np.random.default_rng(9).standard_normal((12, 24))


def material(learns_from: str, rows: Any) -> list[Any]:
    """What the `fit` of a method takes after the rows."""
    if learns_from == "labels":
        return [[number % 3 for number in range(len(rows))]]
    others = np.random.default_rng(3).standard_normal((2, 4, 8))
    return [rows] * ("images" in learns_from) + [list(others)] * ("other notions" in learns_from)


@pytest.fixture(scope="session")
def cars() -> Space:
    return worlds.cars()
