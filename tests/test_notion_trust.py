"""How far a notion can be trusted: both parts against plain formulas, and against words that mean nothing."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest
from scipy.spatial.distance import pdist

import likeness as lk
from likeness.errors import InputError
from likeness.notion_trust import LEAST_ALIGNMENT, LEAST_STABILITY, REWORDINGS, alignment, notion_trust, sample, stability, trust_of, worded_aspects
from likeness.notions import get_notion


@pytest.fixture(scope="module")
def cars() -> lk.Space:
    return lk.embed(lk.read("cars"), "cars")


def _rows(seed: int, n: int, r: int = 12) -> np.ndarray:
    rows = np.random.default_rng(seed).normal(size=(n, r))
    return (rows / np.linalg.norm(rows, axis=1, keepdims=True)).astype(np.float32)


def test_stability_is_the_correlation_of_bhattacharyya_coefficients() -> None:
    images, aspects, other = _rows(0, 30), _rows(1, 4), _rows(2, 4)

    def coefficients(texts: np.ndarray) -> np.ndarray:
        scores = np.exp(100 * images.astype(np.float64) @ texts.T.astype(np.float64))
        shares = scores / scores.sum(axis=1, keepdims=True)
        return 1 - pdist(np.sqrt(shares), "sqeuclidean") / 2  # of unit rows, the cosine

    expected = np.corrcoef(coefficients(aspects), coefficients(other))[0, 1]
    assert stability(images, aspects, other) == pytest.approx(expected, abs=1e-4)
    assert stability(images, aspects, aspects) == pytest.approx(1)


def test_alignment_is_the_ratio_of_variances() -> None:
    images, aspects = _rows(0, 200), _rows(1, 5)
    X, T = np.cov(images.T), np.cov(aspects.T)
    ratio = 12 * np.trace(X @ T) / (np.trace(X) * np.trace(T))
    assert alignment(images, aspects) == pytest.approx(max(0.0, 1 - 1 / ratio), abs=1e-5)
    line = np.zeros((2, 12), np.float32)
    line[0, 0] = line[1, 1] = 1
    along = np.concatenate([np.tile(line[:1], (5, 1)), np.tile(line[1:], (5, 1))])
    assert alignment(along, line) == pytest.approx(1 - 1 / 12)  # all that the images vary lies along the aspects
    assert alignment(along[:, ::-1], line) == 0.0


def test_words_that_mean_nothing_are_not_trusted(cars: lk.Space) -> None:
    images, words = sample(cars), worded_aspects(cars, get_notion("car color"))
    read = trust_of(images, *words)
    assert read.reads
    assert read.score > 0.9
    turn = np.linalg.qr(np.random.default_rng(0).normal(size=(512, 512)))[0].astype(np.float32)
    turned = trust_of(images, *(each @ turn for each in words))
    assert not turned.reads
    assert turned.stability > LEAST_STABILITY  # the text side alone can't tell
    assert turned.alignment < LEAST_ALIGNMENT
    other = trust_of(images, words[0], *(each @ turn for each in words[1:]))
    assert other.alignment == read.alignment
    assert other.stability < 0.5
    same = trust_of(images, *(np.repeat(each[:1], 3, axis=0) for each in words))
    assert (same.score, same.reads) == (0.0, False)


def test_what_the_small_encoder_cannot_read_is_flagged(cars: lk.Space) -> None:
    small = lk.embed(lk.read("cars"), "cars-small")
    assert notion_trust(cars, get_notion("sun height")).reads
    for name in ("sun height", "sun side"):
        assert not notion_trust(small, get_notion(name)).reads
    assert notion_trust(small, get_notion("car color")).reads
    unknown = notion_trust(cars, lk.Notion("nothing", "a {} thing", ["blorb", "quux", "fnord"]))
    assert (unknown.score, unknown.reads) == (0.0, False)


def test_joined_notions_are_as_the_weakest_and_notions_spaces_as_their_encoders(cars: lk.Space) -> None:
    small = lk.embed(lk.read("cars"), "cars-small")
    color, sun = get_notion("car color"), get_notion("sun height")
    assert notion_trust(small, color - sun) == notion_trust(small, sun)
    assert notion_trust(small.refit(color), sun) == notion_trust(small, sun)


def test_every_template_is_reworded(cars: lk.Space) -> None:
    color = replace(get_notion("car color"), template=("a {} car", "the {} car"))
    rows = worded_aspects(cars, color)
    assert len(rows) == 1 + len(REWORDINGS)
    assert {each.shape for each in rows} == {(len(color.aspects), 512)}
    with pytest.raises(InputError, match="from three images on"):
        notion_trust(lk.Space(_rows(0, 2), embed_texts=lambda texts: _rows(1, len(texts))), color)


def test_the_prompts_of_all_wordings_are_read_in_one_call(cars: lk.Space) -> None:
    color, read = get_notion("car color"), []

    def embed_texts(texts: Sequence[str]) -> np.ndarray:
        read.append(list(texts))
        return cars.embed_prompts(texts)[0]

    rows = worded_aspects(lk.Space(cars.vectors, embed_texts=embed_texts), color)
    assert [len(texts) for texts in read] == [len(color.aspects) * (1 + len(REWORDINGS))]
    for words, each in zip(("{}", *REWORDINGS), rows, strict=True):
        templates = tuple(words.replace("{}", template) for template in color.templates)
        np.testing.assert_allclose(each, cars.embed_aspects(replace(color, template=templates))[0], atol=1e-6)
