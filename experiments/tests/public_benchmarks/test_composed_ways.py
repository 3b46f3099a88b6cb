"""Ways to compose a query, against plain loops."""

import numpy as np
import pytest

from experiments.public_benchmarks.basic import BASIC
from experiments.public_benchmarks.composed_ways import WAYS, Background
from likeness.errors import InputError


def unit(seed: int, count: int, width: int = 8) -> np.ndarray:
    rows = np.random.default_rng(seed).standard_normal((count, width))
    return (rows / np.linalg.norm(rows, axis=1, keepdims=True)).astype(np.float32)


KNOWN = Background(unit(1, 30), unit(2, 5), unit(3, 20), unit(4, 9))
IMAGE, TEXT, GALLERY = unit(5, 2), unit(6, 2), unit(7, 6)


def score(name: str, seed: int = 0) -> np.ndarray:
    return WAYS[name].make(KNOWN, seed)(IMAGE, TEXT, GALLERY)


@pytest.mark.parametrize("name", list(WAYS))
def test_a_similarity_for_each_pair(name: str) -> None:
    assert WAYS[name].name == name
    assert score(name).shape == (2, 6)
    assert np.isfinite(score(name)).all()
    assert WAYS[name].seeds == (not np.array_equal(score(name), score(name, 1)))


def test_simple_ways_by_loops() -> None:
    for query in range(2):
        for row in range(6):
            by_image, by_text = float(IMAGE[query] @ GALLERY[row]), float(TEXT[query] @ GALLERY[row])
            assert score("image")[query, row] == pytest.approx(by_image, abs=1e-6)
            assert score("text")[query, row] == pytest.approx(by_text, abs=1e-6)
            assert score("mean")[query, row] == pytest.approx((by_image + by_text) / 2, abs=1e-6)
            assert score("product")[query, row] == pytest.approx(max(by_image, 0) * max(by_text, 0), abs=1e-6)


def test_basic_by_its_steps() -> None:
    mean_image, mean_text = KNOWN.images.mean(0), KNOWN.things.mean(0)
    contrast = 0.8 * np.cov((KNOWN.things - mean_text).T) - 0.2 * (KNOWN.styles - mean_text).T @ (KNOWN.styles - mean_text) / 8
    values, vectors = np.linalg.eigh(contrast)
    kept = vectors[:, values > 0]
    centered = KNOWN.images - mean_image
    least_image = min(float(one @ kept @ kept.T @ other) for one in centered for other in centered)
    least_text = min(float((text - mean_text) @ image) for text in KNOWN.texts for image in centered)
    found = score("basic")
    for query in range(2):
        for row in range(6):
            image = (IMAGE[query] - mean_image) @ kept @ kept.T @ (GALLERY[row] - mean_image)
            text = (TEXT[query] - mean_text) @ (GALLERY[row] - mean_image)
            a, b = max((image - least_image) / abs(least_image), 0), max((text - least_text) / abs(least_text), 0)
            assert found[query, row] == pytest.approx(a * b - 0.1 * (a + b) ** 2, abs=1e-4)


def test_basic_keeps_no_more_directions_than_asked() -> None:
    fitted = BASIC(dim=2).fit(KNOWN.images, KNOWN.texts, KNOWN.things, KNOWN.styles)
    assert np.linalg.matrix_rank(fitted.projection_) == 2
    with pytest.raises(InputError, match="two object names and two style names"):
        BASIC().fit(KNOWN.images, KNOWN.texts, KNOWN.things[:1], KNOWN.styles)
