import numpy as np
import pytest
import torch

from likeness.errors import InputError
from likeness.evaluation import retrieval_metrics
from likeness.notions import Oracle
from likeness.notions.oracle import fit_oracle, random_start, softmax_loss


@pytest.fixture(scope="module")
def classes() -> tuple[np.ndarray, list[str]]:
    """(60, 20) rows, whose class shows in three faint directions among strong ones that have nothing to do with it."""
    rng = np.random.default_rng(3)
    labels = [("sedan", "van", "truck")[i % 3] for i in range(60)]
    rows = rng.standard_normal((60, 20)) * np.r_[np.full(3, 0.3), np.full(17, 1.0)]
    rows[np.arange(60), np.arange(60) % 3] += 1.5
    return rows, labels


def test_loss_and_gradients_equal_the_authors(baselines: dict) -> None:
    rows = torch.nn.functional.normalize(torch.as_tensor(baselines["inputs"]).double())
    parameters = [torch.as_tensor(baselines["oracle_U"].T.astype(float)), torch.as_tensor(baselines["oracle_prototypes"]).double()]
    gradients = [torch.full_like(value, torch.nan) for value in parameters]
    loss = softmax_loss(rows, torch.as_tensor(baselines["labels"])[:, None], parameters, gradients)
    assert float(loss) == pytest.approx(float(baselines["oracle_loss"]), rel=1e-9)
    assert gradients[0].numpy() == pytest.approx(baselines["oracle_grad_U"].T, abs=1e-12)
    assert gradients[1].numpy() == pytest.approx(baselines["oracle_grad_prototypes"], abs=1e-12)


def test_ends_where_the_authors_fit_ends(baselines: dict) -> None:
    fits = [fit_oracle(baselines["inputs"], baselines["labels"], *random_start(64, 16, 6, seed)) for seed in range(5)]
    # one seeded fit of theirs; where ours stop, start and rounding decide, so that the middle one of five is compared
    assert np.median([fit.loss for fit in fits]) == pytest.approx(float(baselines["oracle_fit_best_loss_rounded"]), abs=2e-4)
    assert max(fit.loss for fit in fits) < float(baselines["oracle_fit_best_loss_rounded"]) + 5e-4
    assert np.median([fit.n_iter for fit in fits]) == pytest.approx(int(baselines["oracle_fit_iterations"]), rel=0.5)


def test_reports_the_loss_of_what_it_learnt(classes: tuple[np.ndarray, list[str]]) -> None:
    rows, labels = classes
    fit = Oracle(4).fit(rows, labels)
    assert fit.classes_ == ["sedan", "van", "truck"]
    assert fit.U.shape == (20, 4)
    assert np.linalg.norm(fit.prototypes_, axis=1) == pytest.approx(np.ones(3))
    logits, codes = torch.as_tensor(fit.transform(rows) @ fit.prototypes_.T), [fit.classes_.index(label) for label in labels]
    assert fit.loss_ == pytest.approx(float(torch.nn.functional.cross_entropy(logits, torch.tensor(codes))), abs=1e-5)
    assert fit.n_iter_ > 100
    assert retrieval_metrics(fit.transform(rows), labels)["map_at_r"] > 0.95 > 0.6 > retrieval_metrics(rows, labels)["map_at_r"]


def test_labels_may_be_of_any_kind(classes: tuple[np.ndarray, list[str]]) -> None:
    rows, labels = classes
    numbers = [{"sedan": 7, "van": -1, "truck": 3}[label] for label in labels]
    plain = Oracle(2).fit(rows, labels)
    for other in (np.array(labels), numbers, torch.tensor(numbers), pairs := [(label, 1) for label in labels]):
        assert np.array_equal(Oracle(2).fit(rows, other).U, plain.U), other
    assert Oracle(2).fit(rows, pairs).classes_ == [("sedan", 1), ("van", 1), ("truck", 1)]


@pytest.mark.parametrize(
    ("labels", "message"),
    [
        (None, r"needs labels; call fit\(images, labels\)"),
        (["a", "b"], "There are 2 labels for 3 images; pass one label per image"),
        ([None, float("nan"), "(unlabeled)"], "No image has a label, but the Oracle needs at least two classes"),
        (["van"] * 3, "All 3 images have the label 'van', but the Oracle needs at least two classes"),
    ],
)
def test_unusable_labels_are_refused(labels: list | None, message: str) -> None:
    with pytest.raises(InputError, match=message):
        Oracle(2).fit(np.eye(3), labels)
