import re
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import torch

from likeness.losses import language_match

LANGUAGE = {"elg": "language_sims_elg", "plgclass": "language_sims_plg_class", "plgsample": "language_sims_plg_sample"}
CODE = {"forward": "language||image", "backward": "image||language"}


def softmax(row: np.ndarray) -> np.ndarray:
    powers = np.exp(row - row.max())
    return powers / powers.sum()


def plain(image: np.ndarray, language: np.ndarray, labels: np.ndarray | None, shift: float) -> float:
    """Eq. 2 and 3, entry by entry."""
    n, total = len(image), 0.0
    for i in range(n):
        row = [1 + shift if labels is not None and labels[i] == labels[j] else image[i, j] for j in range(n)]
        p, q = softmax(np.array(row)), softmax(language[i] + shift)
        total += sum(p[j] * np.log(p[j] / q[j]) for j in range(n))
    return total / n


@pytest.fixture
def sims() -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    rng = np.random.default_rng(0)

    def cosines(rows: np.ndarray) -> np.ndarray:
        unit = rows / np.linalg.norm(rows, axis=1, keepdims=True)
        return unit @ unit.T

    labels = np.array([0, 0, 1, 1, 2, 3, 3])
    return cosines(rng.standard_normal((7, 5))), cosines(rng.standard_normal((4, 6))[labels]), labels


@pytest.mark.parametrize("shift", [0.0, 1.0, 0.3])
@pytest.mark.parametrize("masked", [True, False])
def test_is_the_papers_equation(sims: tuple[np.ndarray, ...], shift: float, masked: bool) -> None:
    image, language, labels = sims
    found = language_match(image, language, labels if masked else None, shift)
    assert isinstance(found, float)
    assert found == pytest.approx(plain(image, language, labels if masked else None, shift), rel=1e-12)


def test_equals_the_authors_code(reference: Any, gradient: Any) -> None:
    arrays = reference("elg_match")
    cases = [re.fullmatch(r"(elg|plgclass|plgsample)_shift(\d)_(T1|T0p5)_(forward|backward)_(masked|unmasked)_loss", name) for name in arrays]
    found = [case for case in cases if case]
    assert len(found) == 32
    for case in found:
        kind, shift, temperature, way, masked = case.groups()
        options = {"shift": int(shift), "direction": CODE[way], "temperature": {"T1": 1.0, "T0p5": 0.5}[temperature], "mask_language": True}
        labels, target = arrays["labels"] if masked == "masked" else None, torch.tensor(arrays[LANGUAGE[kind]])

        def loss(image: torch.Tensor, labels: Any = labels, target: torch.Tensor = target, options: Any = options) -> torch.Tensor:
            return language_match(image, target, labels, **options)

        _check(arrays, case.group().removesuffix("_loss"), loss, gradient)


def test_equals_the_printed_formula(reference: Any, gradient: Any) -> None:
    arrays = reference("elg_match")
    found = [case for case in (re.fullmatch(r"paper_(\w+)_shift(\d)_(maskedimg|unmasked)_loss", name) for name in arrays) if case]
    assert len(found) == 12
    for case in found:
        kind, shift, masked = case.groups()
        labels, target = arrays["labels"] if masked == "maskedimg" else None, torch.tensor(arrays[LANGUAGE[kind]])

        def loss(image: torch.Tensor, labels: Any = labels, target: torch.Tensor = target, shift: int = int(shift)) -> torch.Tensor:
            return language_match(image, target, labels, shift)

        _check(arrays, case.group().removesuffix("_loss"), loss, gradient)


def _check(arrays: dict[str, np.ndarray], name: str, loss: Callable[[torch.Tensor], torch.Tensor], gradient: Any) -> None:
    value, slope = gradient(loss, arrays["image_sims"])
    assert value == pytest.approx(float(arrays[f"{name}_loss"]), rel=1e-12, abs=1e-12), name
    np.testing.assert_allclose(slope, arrays[f"{name}_grad_image_sims"], atol=1e-12, err_msg=name)
    through_rows = gradient(lambda rows: loss(rows @ rows.T), arrays["embeddings"])[1]
    np.testing.assert_allclose(through_rows, arrays[f"{name}_grad_embeddings"], atol=1e-12, err_msg=name)


def test_is_zero_at_the_target_and_positive_elsewhere(sims: tuple[np.ndarray, ...]) -> None:
    image, language, labels = sims
    for matching in ("rows", "row-l2", "full"):
        assert language_match(language, language, shift=0.0, matching=matching) == pytest.approx(0, abs=1e-12)
        assert language_match(image, language, labels, matching=matching) > 1e-3


def test_the_ablations_of_table_4(sims: tuple[np.ndarray, ...]) -> None:
    image, language, _ = sims
    rows = np.mean([np.linalg.norm(image[i] - language[i]) for i in range(7)])
    assert language_match(image, language, shift=0.0, matching="row-l2") == pytest.approx(rows)
    p, q = softmax(image.ravel()), softmax(language.ravel())
    assert language_match(image, language, matching="full") == pytest.approx(float((p * np.log(p / q)).sum()))


def test_order_of_the_batch_does_not_matter(sims: tuple[np.ndarray, ...]) -> None:
    image, language, labels = sims
    order = np.random.default_rng(1).permutation(7)
    turned = language_match(image[np.ix_(order, order)], language[np.ix_(order, order)], labels[order])
    assert turned == pytest.approx(language_match(image, language, labels))


def test_nothing_flows_into_the_language_unless_it_is_wanted(sims: tuple[np.ndarray, ...]) -> None:
    for stop, moved in ((True, False), (False, True)):
        image, language = (torch.tensor(each, requires_grad=True) for each in sims[:2])
        language_match(image, language, sims[2], stop_gradient=stop).backward()
        assert image.grad is not None
        assert (language.grad is not None) == moved


def test_float32_equals_float64(sims: tuple[np.ndarray, ...]) -> None:
    image, language, labels = sims
    found = language_match(torch.tensor(image, dtype=torch.float32), language, labels)
    assert found.dtype == torch.float32
    assert found.item() == pytest.approx(language_match(image, language, labels), rel=1e-5)
