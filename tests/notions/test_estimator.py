"""Estimators keep scikit-learn's contract: its own checks, clones and pipelines."""

import pickle
import warnings
from typing import Any

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.model_selection import GridSearchCV
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.utils.estimator_checks import parametrize_with_checks

from likeness.errors import InputError
from likeness.notions import (
    METHODS,
    PCA,
    AlignedTangents,
    AspectProbabilities,
    AspectSimilarities,
    Autoencoder,
    Identity,
    InDiReCT,
    LinearAutoencoder,
    Oracle,
    RandomEmbedding,
    RandomTransform,
    ScaledPCA,
    descent,
)
from made_rows import unit

ESTIMATORS = [
    InDiReCT(dim=2),
    InDiReCT(dim=2, solver="faded"),
    PCA(dim=2),
    ScaledPCA(),
    LinearAutoencoder(dim=2),
    Autoencoder(dim=2),
    AspectSimilarities(),
    AspectProbabilities(),
    Identity(),
    RandomEmbedding(dim=2),
    RandomTransform(dim=2),
    Oracle(dim=2),
]
_WORDS = "refused with a ValueError, whose sentence is ours"
_FAILS = {
    "check_dont_overwrite_parameters": "U is the paper's name of what is learned",
    "check_estimators_dtypes": "its rows hold one of zeros, which has no direction",
    "check_complex_data": _WORDS,
    "check_estimators_empty_data_messages": _WORDS,
    "check_estimator_sparse_tag": _WORDS,
    "check_estimator_sparse_array": _WORDS,
    "check_estimator_sparse_matrix": _WORDS,
    "check_fit2d_1sample": _WORDS,
    "check_fit2d_1feature": _WORDS,
    "check_fit2d_predict1d": _WORDS,
    "check_n_features_in_after_fitting": _WORDS,
}
# what learns from no rows checks none
_NO_ROWS = ("check_n_features_in_after_fitting", "check_estimator_sparse_array", "check_estimator_sparse_matrix")
_TWO_ROWS = ("check_fit2d_1sample", "check_fit2d_1feature")


def _expected(estimator: Any) -> dict[str, str]:
    """The checks that an estimator fails, and why."""
    passes: list[str] = []
    if isinstance(estimator, LinearAutoencoder | Identity | RandomEmbedding):
        passes += ["check_dont_overwrite_parameters"]
    if isinstance(estimator, Identity | RandomEmbedding):
        passes += _NO_ROWS
    if isinstance(estimator, Identity | RandomEmbedding | RandomTransform):
        passes += _TWO_ROWS
    if isinstance(estimator, RandomEmbedding):
        passes += ["check_estimators_dtypes"]
    fails = {name: reason for name, reason in _FAILS.items() if name not in passes}
    if isinstance(estimator, RandomEmbedding):
        rows = "its rows are random and depend on their number, not on the images"
        fails |= {"check_methods_sample_order_invariance": rows, "check_methods_subset_invariance": rows}
    if isinstance(estimator, Oracle):
        fails["check_requires_y_none"] = _WORDS
        fails["check_transformer_data_not_an_array"] = "labels are iterated, since they may be of any hashable type"
    return fails


@pytest.fixture
def few_steps(monkeypatch: pytest.MonkeyPatch) -> None:
    """Gradient descent ends soon: the contract does not depend on how far it comes."""
    monkeypatch.setattr(descent, "PATIENCE", 3)
    monkeypatch.setattr(descent, "_MOST", 30)


with warnings.catch_warnings():
    # they inherit nothing of scikit-learn, whose import takes longer than that of the package
    warnings.filterwarnings("ignore", ".* does not inherit from `sklearn.base.BaseEstimator`")
    scikit_learns_checks = parametrize_with_checks(ESTIMATORS, expected_failed_checks=_expected, xfail_strict=True)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.usefixtures("few_steps")
@scikit_learns_checks
def test_scikit_learn_agrees(estimator: Any, check: Any) -> None:
    check(estimator)


def _rows(n: int, seed: int = 0) -> np.ndarray:
    return unit(np.random.default_rng(seed).standard_normal((n, 6)))


def test_clones_have_the_parameters_and_nothing_learned() -> None:
    for method in METHODS.values():
        estimator = method.make(dim=3, seed=5)
        assert repr(clone(estimator)) == repr(estimator)
    fitted = InDiReCT(dim=2).fit(_rows(5))
    with pytest.raises(NotFittedError, match="This InDiReCT is not fitted yet") as error:
        clone(fitted).transform(_rows(2))
    assert isinstance(pickle.loads(pickle.dumps(error.value)), InputError)
    assert (fitted.n_features_in_, hasattr(InDiReCT(), "n_features_in_")) == (6, False)
    assert Autoencoder().set_params(dim=4, normalize=False).get_params() == {"dim": 4, "seed": 0, "normalize": False, "weight_decay": 0.01}
    with pytest.raises(InputError, match="PCA has no parameter 'dims'; it has dim, seed, fade"):
        PCA().set_params(dims=2)


def test_they_are_steps_of_pipelines_and_searched_for() -> None:
    rows, labels = _rows(40), np.arange(40) % 2
    rows[labels == 0, 0] += 2
    steps = make_pipeline(InDiReCT(dim=2), KNeighborsClassifier(3))
    again = InDiReCT(dim=2).fit(rows).transform(rows)
    np.testing.assert_array_equal(InDiReCT(dim=2).fit_transform(rows), again)
    np.testing.assert_array_equal(steps.fit(rows, labels).predict(rows), KNeighborsClassifier(3).fit(again, labels).predict(again))
    search = GridSearchCV(steps, {"indirect__dim": [1, 3]}, cv=2).fit(rows, labels)
    assert search.best_params_["indirect__dim"] in (1, 3)
    images = _rows(9, seed=2)
    np.testing.assert_array_equal(AlignedTangents(dim=2).fit_transform(rows, images), AlignedTangents(dim=2).fit(rows, images).transform(rows))
