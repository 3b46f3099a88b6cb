"""What a loss cannot work with is refused in a sentence that names it."""

from collections.abc import Callable

import numpy as np
import pytest
import torch

from likeness.errors import InputError
from likeness.losses import S2SD, DiVA, UniformPrior, binary_triplet, dense_triplet, language_match, log_ratio, make_objective, multisimilarity

ROWS, KNOWN = np.random.default_rng(0).standard_normal((10, 4)), 1 - np.eye(10)
SIX = np.eye(6)


def diva(**options: object) -> DiVA:
    return DiVA(make_objective("margin", 4, 4), 16, **options)  # type: ignore[arg-type]


def total(rows: torch.Tensor, labels: torch.Tensor) -> torch.Tensor:
    return rows.sum()


BAD: list[tuple[Callable[[], object], str]] = [
    (lambda: dense_triplet(ROWS, KNOWN, variant="naive"), "has no variant 'naive'; choose from paper, official"),
    (lambda: binary_triplet(ROWS, KNOWN, 0), "^0 positives of 10 rows leave no negative, or are none; choose 1 to 8"),
    (lambda: binary_triplet(ROWS, KNOWN, 9), "^9 positives of 10 rows leave no negative, or are none; choose 1 to 8"),
    (lambda: log_ratio(ROWS, KNOWN, "squared"), "has no 'squared'; choose from paper, official"),
    (lambda: log_ratio(ROWS, KNOWN, reduction="max"), "has no 'max'; choose from mean, sum"),
    (lambda: log_ratio(np.ones((2, 3)), np.ones(1)), r"shape \(2, 3\); triplets need an anchor and two neighbors"),
    (lambda: log_ratio(np.ones((4, 3)), np.ones(5)), r"of shape \(1, 5\)|of shape \(5,\) do not fit 4 embeddings; give \(3,\) for the anchor"),
    (lambda: log_ratio(np.ones((4, 3)), np.ones((5, 4))), r"shape \(5, 4\) do not fit 4 embeddings"),
    (lambda: log_ratio(np.ones((4, 3)), np.array([1.0, -2.0, 1.0])), "rows 0 and 2 is -2; distances are finite and not negative"),
    (lambda: log_ratio(np.ones((4, 3)), np.array([1.0, np.nan, 1.0])), "label distance of rows 0 and 2 is nan"),
    (lambda: language_match(SIX, np.eye(3)), r"shapes \(6, 6\) and \(3, 3\); give two square matrices"),
    (lambda: language_match(SIX, SIX, [0, 1]), r"labels of shape \(2,\) for 6 images"),
    (lambda: language_match(SIX, SIX, direction="both"), "no direction 'both'; choose from image..language"),
    (lambda: language_match(SIX, SIX, matching="columns"), "no matching 'columns'"),
    (lambda: language_match(SIX, SIX, temperature=0), "temperature is 0, but it must be above 0"),
    (lambda: multisimilarity(torch.eye(5), torch.arange(5), variant="ours"), "no multisimilarity 'ours'"),
    (lambda: make_objective("dense-triplet", beta=1.0), "The objective 'dense-triplet' has no option 'beta'; it has margin"),
    (lambda: make_objective("logratio"), "There is no objective 'logratio'; near it are log-ratio"),
    (lambda: make_objective("binary-triplet", positives=0), r"objective\.options\.positives is 0; choose a whole number of at least 1"),
    (lambda: make_objective("log-ratio")(torch.eye(20), torch.arange(20)), "fit 20 embeddings"),
    (lambda: DiVA(make_objective("margin", 4, 4), 18), "4 parts of equal size, but the embedding has 18 dimensions; choose a multiple of 4"),
    (lambda: diva(momentum=1.5), r"diva\.momentum is 1\.5; choose a number from 0 to 1"),
    (lambda: diva(temperature=0.0), r"diva\.temperature is 0\.0; choose a number of at least 0\.0001"),
    (lambda: diva(queue_batches=0), r"diva\.queue_batches is 0; choose a whole number of at least 1"),
    (lambda: diva(hidden=2.5), r"diva\.hidden is 2\.5; choose a whole number of at least 1"),
    (lambda: diva(shared_weight=float("nan")), r"diva\.shared_weight is nan; choose a number of at least 0"),
    (lambda: diva(official_margin=True), "official_margin learns a beta for each class; say how many classes train"),
    (lambda: diva(random_labels=1), r"diva\.random_labels is 1; choose true or false"),
    (lambda: diva()(torch.randn(16, 16), torch.arange(16) // 4, torch.randn(16, 10)), "no momentum copy yet; call follow"),
    (lambda: S2SD([total], 6, [4, 5]), "2 branches need 3 objectives"),
    (lambda: S2SD([total] * 2, 6, [4], pooling="max"), "no pooling 'max'"),
    (lambda: UniformPrior(torch.nn.Identity(), 4, weight=-0.1), r"uniform_prior\.weight is -0\.1; choose a number of at least 0"),
    (lambda: UniformPrior(torch.nn.Identity(), 4, hidden=0), r"uniform_prior\.hidden is 0; choose a whole number of at least 1"),
]


@pytest.mark.parametrize(("call", "message"), BAD, ids=[message[:50] for _, message in BAD])
def test_bad_input_is_named(call: Callable[[], object], message: str) -> None:
    with pytest.raises(InputError, match=message):
        call()
