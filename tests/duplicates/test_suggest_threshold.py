"""The threshold is the best of all, by trying each; copies are near their originals, and other images are not."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from PIL import Image

from likeness import Space
from likeness.duplicates import ALTERATIONS, CopySimilarities, best_threshold, copy_similarities, suggest_threshold
from likeness.errors import InputError


def f1(own: np.ndarray, other: np.ndarray, threshold: float) -> float:
    true, false = int((own >= threshold).sum()), int((other >= threshold).sum())
    return 2 * true / (true + false + own.size)


@pytest.mark.parametrize("seed", range(10))
def test_no_other_threshold_does_better(seed: int) -> None:
    rng = np.random.default_rng(seed)
    own, other = rng.beta(9, 1, (4, 25)).astype(np.float32), rng.beta(4, 2, (4, 25, 3)).astype(np.float32)
    found = best_threshold(CopySimilarities(np.arange(25), own, other))
    tried = [f1(own, other, each) for each in np.linspace(0.01, 1, 5000)]
    assert f1(own, other, found.threshold) >= max(tried)
    assert found.found == pytest.approx((own >= found.threshold).mean())
    assert found.confused == pytest.approx((other.max(axis=2) >= found.threshold).mean())


def test_copies_that_cannot_be_told_from_others_do_not_make_everything_a_copy() -> None:
    own = np.array([[0.99, 0.97, 0.3, 0.2]], np.float32)
    other = np.full((1, 4, 10), 0.8, np.float32)
    assert best_threshold(CopySimilarities(np.arange(4), own, other)).threshold == pytest.approx((0.97 + 0.8) / 2)
    apart = best_threshold(CopySimilarities(np.arange(2), np.array([[0.9, 0.95]], np.float32), np.array([[[0.5], [0.7]]], np.float32)))
    assert (apart.found, apart.confused, apart.copies) == (1, 0, 2)
    assert "100% are found, and 0%" in apart.message


def colors(images: list[object]) -> np.ndarray:
    """An encoder: the mean color, and how it changes from left to right."""
    rows = []
    for image in images:
        assert isinstance(image, Image.Image)
        pixels = np.asarray(image.resize((2, 1)), float).reshape(-1) - 100
        rows.append(pixels / np.linalg.norm(pixels))
    return np.array(rows, np.float32)


@pytest.fixture
def space(tmp_path: Path) -> Space:
    rng = np.random.default_rng(0)
    names = []
    for number in range(12):
        ends = rng.integers(0, 255, (1, 2, 3), np.uint8)
        Image.fromarray(ends).resize((40, 30)).save(tmp_path / f"{number}.png")
        names.append(str(tmp_path / f"{number}.png"))
    vectors = colors([Image.open(name) for name in names])
    return Space(vectors, pd.DataFrame({"path": names}), embed_images=colors)  # type: ignore[arg-type]


def test_copies_are_compared_with_their_originals_and_with_others(space: Space) -> None:
    calls: list[tuple[int, int, str]] = []
    found = copy_similarities(space, images=8, progress=lambda *call: calls.append(call))
    assert found.own.shape == (len(ALTERATIONS), 8)
    assert found.other.shape == (len(ALTERATIONS), 8, 10)
    assert calls[-1][:2] == (8, 8)
    for place, row in enumerate(found.rows):
        image = Image.open(space.table.file(row)).convert("RGB")
        for number, alter in enumerate(ALTERATIONS.values()):
            near = space.vectors @ colors([alter(image)])[0]
            assert found.own[number, place] == pytest.approx(near[row], abs=1e-6)
            np.testing.assert_allclose(found.other[number, place], np.sort(np.delete(near, row))[::-1][:10], atol=1e-6)
    assert found.own[0].min() > 0.98  # hardly changed by JPEG
    assert suggest_threshold(space, images=8).found > 0.9
    with pytest.raises(InputError, match=r"pass a threshold, such as 0\.95"):
        suggest_threshold(Space(np.eye(3)))
    with pytest.raises(InputError, match="choose more images"):
        suggest_threshold(Space(space.vectors[:1], space.table.frame.iloc[:1], embed_images=colors))  # type: ignore[arg-type]
    with pytest.raises(InputError, match="0 images are to be altered; ask for at least 1"):
        suggest_threshold(space, images=0)


def test_alterations_change_what_they_say() -> None:
    image = Image.fromarray(np.random.default_rng(0).integers(0, 200, (40, 60, 3), np.uint8))
    altered = {name: alter(image) for name, alter in ALTERATIONS.items()}
    assert {name: each.size for name, each in altered.items() if each.size != (60, 40)} == {"5 % cut off": (56, 38)}
    assert all(each.mode == "RGB" for each in altered.values())
    mean = np.asarray(image, float).mean()
    assert np.asarray(altered["20 % brighter"], float).mean() == pytest.approx(1.2 * mean, rel=0.02)
    assert np.asarray(altered["half size and back"], float).std() < np.asarray(image, float).std()
    tiny = Image.new("RGB", (1, 1))
    assert all(alter(tiny).size == (1, 1) for alter in ALTERATIONS.values())
