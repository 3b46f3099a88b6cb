import re
from typing import Any

import numpy as np
import pytest
import torch
from scipy.special import softmax
from scipy.stats import entropy
from sklearn.metrics.pairwise import cosine_similarity

from likeness.losses import language_match

LANGUAGE = {"elg": "language_sims_elg", "plgclass": "language_sims_plg_class", "plgsample": "language_sims_plg_sample"}
CODE = {"forward": "language||image", "backward": "image||language"}


@pytest.fixture
def sims() -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    rng, labels = np.random.default_rng(0), np.array([0, 0, 1, 1, 2, 3, 3])
    return cosine_similarity(rng.standard_normal((7, 5))), cosine_similarity(rng.standard_normal((4, 6))[labels]), labels


REFERENCE = re.compile(r"(?:(elg|plgclass|plgsample)_shift(\d)_(T1|T0p5)_(forward|backward)|paper_(\w+?)_shift(\d))_(masked|maskedimg|unmasked)_loss")


def test_equals_the_authors_code_and_the_printed_formula(reference: Any, gradient: Any) -> None:
    arrays = reference("elg_match")
    cases = [case for case in map(REFERENCE.fullmatch, arrays) if case]
    assert len(cases) == 32 + 12
    for case in cases:
        kind, shift, temperature, way, printed, its_shift, masked = case.groups()
        labels, target = None if masked == "unmasked" else arrays["labels"], torch.tensor(arrays[LANGUAGE[kind or printed]])
        options: dict[str, Any] = {"shift": int(shift or its_shift)}
        if kind:
            options |= {"direction": CODE[way], "temperature": {"T1": 1.0, "T0p5": 0.5}[temperature], "mask_language": True}

        def loss(image: torch.Tensor, labels: Any = labels, target: torch.Tensor = target, options: Any = options) -> torch.Tensor:
            return language_match(image, target, labels, **options)

        name = case.group().removesuffix("_loss")
        value, slope = gradient(loss, arrays["image_sims"])
        assert value == pytest.approx(float(arrays[f"{name}_loss"]), rel=1e-12, abs=1e-12), name
        np.testing.assert_allclose(slope, arrays[f"{name}_grad_image_sims"], atol=1e-12, err_msg=name)
        through_rows = gradient(lambda rows, loss=loss: loss(rows @ rows.T), arrays["embeddings"])[1]
        np.testing.assert_allclose(through_rows, arrays[f"{name}_grad_embeddings"], atol=1e-12, err_msg=name)


def test_is_zero_at_the_target_and_positive_elsewhere_in_any_order_and_precision(sims: tuple[np.ndarray, ...]) -> None:
    image, language, labels = sims
    for matching in ("rows", "row-l2", "full"):
        assert language_match(language, language, shift=0.0, matching=matching) == pytest.approx(0, abs=1e-12)
        assert language_match(image, language, labels, matching=matching) > 1e-3
    order, expected = np.random.default_rng(1).permutation(7), language_match(image, language, labels)
    assert language_match(image[np.ix_(order, order)], language[np.ix_(order, order)], labels[order]) == pytest.approx(expected)
    found = language_match(torch.tensor(image, dtype=torch.float32), language, labels)
    assert found.dtype == torch.float32
    assert found.item() == pytest.approx(expected, rel=1e-5)


def test_the_ablations_of_table_4(sims: tuple[np.ndarray, ...]) -> None:
    image, language, _ = sims
    rows = np.mean([np.linalg.norm(image[i] - language[i]) for i in range(7)])
    assert language_match(image, language, shift=0.0, matching="row-l2") == pytest.approx(rows)
    assert language_match(image, language, matching="full") == pytest.approx(entropy(softmax(image.ravel()), softmax(language.ravel())))


def test_nothing_flows_into_the_language_unless_it_is_wanted(sims: tuple[np.ndarray, ...]) -> None:
    for stop, moved in ((True, False), (False, True)):
        image, language = (torch.tensor(each, requires_grad=True) for each in sims[:2])
        language_match(image, language, sims[2], stop_gradient=stop).backward()
        assert image.grad is not None
        assert (language.grad is not None) == moved
