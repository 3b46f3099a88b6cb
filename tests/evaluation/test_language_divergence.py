import sys
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from scipy.special import rel_entr, softmax
from scipy.stats import entropy, special_ortho_group

from likeness.errors import InputError
from likeness.evaluation import class_image_similarities, language_divergence
from likeness.losses import language_match
from made_rows import cosines

MadeUp = Callable[..., tuple[np.ndarray, np.ndarray, np.ndarray]]
NAMES = ["red van", "red suv", "blue van", "blue suv", "bicycle"]


@pytest.mark.parametrize("direction", ["image||language", "language||image"])
@pytest.mark.parametrize("masked", [True, False])
@pytest.mark.parametrize(("shift", "temperature"), [(1.0, 1.0), (0.0, 0.1), (0.3, 0.5)])
def test_is_the_training_loss_on_all_images(made_up: MadeUp, direction: str, masked: bool, shift: float, temperature: float) -> None:
    embeddings, labels, language = made_up()
    found = language_divergence(embeddings, labels, language, direction, masked=masked, shift=shift, temperature=temperature)
    loss = language_match(
        cosines(embeddings),
        language[labels][:, labels],
        labels if masked else None,
        shift,
        direction,
        temperature=temperature,
        mask_language=masked,
    )
    assert found.mean == pytest.approx(loss / temperature**2, rel=1e-10, abs=1e-12)


@pytest.mark.parametrize("level", ["image", "class"])
@pytest.mark.parametrize("masked", [True, False])
def test_each_row_is_scipys_relative_entropy(made_up: MadeUp, level: str, masked: bool) -> None:
    embeddings, labels, language = made_up(1)
    similarities, of_row = (cosines(embeddings), labels) if level == "image" else (class_image_similarities(embeddings, labels, 5), np.arange(5))
    image = np.where(of_row[:, None] == of_row, 1.25, similarities) if masked else similarities
    p, q = softmax(image, axis=1), softmax(language[of_row][:, of_row] + 0.25, axis=1)
    found = language_divergence(embeddings, labels, language, level=level, masked=masked, shift=0.25)
    np.testing.assert_allclose(found.rows, entropy(p, q, axis=1), rtol=1e-10)
    np.testing.assert_allclose(found.rows, rel_entr(p, q).sum(axis=1), rtol=1e-10)
    other = language_divergence(embeddings, labels, language, "language||image", level=level, masked=masked, shift=0.25)
    np.testing.assert_allclose(other.rows, entropy(q, p, axis=1), rtol=1e-10)


@pytest.mark.parametrize("level", ["image", "class"])
def test_what_language_says_within_a_class_changes_nothing_under_the_mask(made_up: MadeUp, level: str) -> None:
    embeddings, labels, language = made_up(3)
    dense = np.where(np.eye(5, dtype=bool), np.linspace(0.3, 0.9, 5), language)  # as of several pseudolabels, matched in all pairings
    one, two = (language_divergence(embeddings, labels, each, level=level) for each in (language, dense))
    np.testing.assert_array_equal(one.rows, two.rows)
    assert language_divergence(embeddings, labels, dense, level=level, masked=False).mean != one.mean


def test_mean_deviation_and_classes_are_those_of_the_rows(made_up: MadeUp) -> None:
    embeddings, labels, language = made_up(2)
    found = language_divergence(embeddings, labels, language, names=NAMES)
    assert (found.mean, found.deviation) == (pytest.approx(found.rows.mean()), pytest.approx(found.rows.std()))
    assert list(found.per_class.index) == NAMES
    np.testing.assert_allclose(found.per_class, [found.rows[labels == number].mean() for number in range(5)])
    by_class = language_divergence(embeddings, labels, language, level="class")
    assert list(by_class.per_class.index) == ["0", "1", "2", "3", "4"]
    np.testing.assert_array_equal(by_class.per_class, by_class.rows)


def test_blocks_change_nothing(made_up: MadeUp, monkeypatch: pytest.MonkeyPatch) -> None:
    embeddings, labels, language = made_up(3)
    whole = language_divergence(embeddings, labels, language)
    # the package's name for the function hides the module of that name
    monkeypatch.setattr(sys.modules["likeness.evaluation.language_divergence"], "BLOCK_BYTES", 8 * 60 * 7)
    told: list[tuple[int, int]] = []
    blocked = language_divergence(embeddings, labels, language, progress=lambda done, total: told.append((done, total)))
    np.testing.assert_allclose(blocked.rows, whole.rows, rtol=1e-12)
    assert told == [(done, 60) for done in (7, 14, 21, 28, 35, 42, 49, 56, 60)]


def test_float32_and_torch_are_close_to_float64(made_up: MadeUp) -> None:
    import torch

    embeddings, labels, language = made_up(4)
    exact = language_divergence(embeddings, labels, language)
    for given in (embeddings.astype(np.float32), torch.tensor(embeddings, dtype=torch.float32)):
        np.testing.assert_allclose(language_divergence(given, labels, language).rows, exact.rows, rtol=1e-5)
    given = language_divergence(torch.tensor(embeddings), torch.tensor(labels), torch.tensor(language))
    np.testing.assert_allclose(given.rows, exact.rows, rtol=1e-12)


def test_length_rotation_and_order_do_not_matter(made_up: MadeUp) -> None:
    embeddings, labels, language = made_up(5)
    rows = language_divergence(embeddings, labels, language).rows
    turned = embeddings @ special_ortho_group.rvs(6, random_state=0)
    np.testing.assert_allclose(language_divergence(turned * 7, labels, language).rows, rows, rtol=1e-10)
    order = np.random.default_rng(0).permutation(60)
    np.testing.assert_allclose(language_divergence(embeddings[order], labels[order], language).rows, rows[order], rtol=1e-10)


def test_is_zero_where_the_space_is_language(made_up: MadeUp) -> None:
    _, labels, _ = made_up()
    names = np.random.default_rng(1).standard_normal((5, 4))
    for options in ({"shift": 0.0}, {"masked": False}, {"level": "class", "shift": 0.0}):
        found = language_divergence(names[labels], labels, cosines(names), **options)
        np.testing.assert_allclose(found.rows, 0, atol=1e-12)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"direction": "both"}, "no direction 'both'; choose from image..language, language..image"),
        ({"level": "pixel"}, "no level 'pixel'; choose from image, class"),
        ({"temperature": 0.0}, r"temperature is 0\.0, but it must be above 0"),
        ({"language": np.eye(3)}, "labels run from 0 to 4, but language knows 3 classes; number them 0 to 2"),
        ({"language": np.eye(6)}, "Class 5 has no image"),
        ({"language": np.ones((5, 4))}, r"language similarities have shape \(5, 4\); give a square matrix"),
        ({"language": np.full((5, 5), np.nan)}, "language similarities hold NaN"),
        ({"language": np.ones((1, 1)), "labels": np.zeros(60, int)}, "There is one class only"),
        ({"labels": np.zeros(3, int)}, r"labels have shape \(3,\) and type int64; give one class number for each of the 60 images"),
        ({"labels": np.zeros(60)}, "type float64; give one class number"),
        ({"labels": np.full(60, -1)}, "labels run from -1 to -1"),
        ({"names": ["a", "b"]}, "There are 2 names for 5 classes"),
        ({"names": list("abcda")}, "The class name 'a' stands twice"),
        ({"embeddings": np.zeros((60, 3))}, "row 0 is all zeros"),
    ],
)
def test_unusable_input_is_refused(made_up: MadeUp, change: dict[str, Any], message: str) -> None:
    embeddings, labels, language = made_up()
    with pytest.raises(InputError, match=message):
        language_divergence(**{"embeddings": embeddings, "labels": labels, "language": language} | change)
