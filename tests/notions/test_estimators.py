import inspect
from typing import Any

import numpy as np
import pytest
import torch
from tests.notions.conftest import material

import likeness.notions
from likeness.errors import InputError
from likeness.notions import METHODS, AspectProbabilities, AspectSimilarities, Identity, Oracle, RandomEmbedding, RandomTransform, ScaledPCA
from made_rows import unit

ESTIMATORS = [
    estimator
    for estimator in (getattr(likeness.notions, name) for name in dir(likeness.notions))
    if inspect.isclass(estimator) and hasattr(estimator, "fit") and estimator is not likeness.notions.Estimator
]
LEARNING = [estimator for estimator in ESTIMATORS if estimator not in (Identity, RandomEmbedding)]
RANDOM = ("RandomEmbedding", "RandomTransform", "LinearAutoencoder", "Autoencoder", "Oracle")
WIDTHS = {Identity: 8, ScaledPCA: 8, AspectSimilarities: 9, AspectProbabilities: 9}  # of what has no dimensions to choose
DIM = 3


def make(estimator: type, **options: Any) -> Any:
    return estimator() if estimator in WIDTHS else estimator(**{"dim": DIM, "seed": 0} | options)


def fitted(estimator: type, rows: Any, **options: Any) -> Any:
    learns_from = next((method.learns_from for method in METHODS.values() if method.make is estimator), "text")
    made = make(estimator, **options)
    assert made.fit(rows, *material("labels" if estimator is Oracle else learns_from, rows)) is made
    return made


@pytest.fixture(scope="module")
def rows() -> np.ndarray:
    rng = np.random.default_rng(1)
    return 1 + rng.standard_normal((9, 8))


@pytest.fixture(scope="module")
def images() -> np.ndarray:
    return np.random.default_rng(2).standard_normal((5, 8))


@pytest.mark.parametrize("estimator", ESTIMATORS)
def test_the_constructor_only_stores(estimator: type) -> None:
    parameters = inspect.signature(estimator).parameters
    assert vars(estimator()) == {name: parameter.default for name, parameter in parameters.items()}
    if estimator not in WIDTHS:
        assert (parameters["dim"].default, parameters["seed"].default) == (128, 0)
        # what can't be is told by fit, which knows more
        assert vars(estimator(dim=-1, seed=7))["dim"] == -1


@pytest.mark.parametrize("estimator", ESTIMATORS)
def test_fit_returns_itself_transform_changes_nothing_and_the_seed_fixes_the_result(estimator: type, rows: np.ndarray, images: np.ndarray) -> None:
    fit, again, other = (fitted(estimator, rows, seed=seed) for seed in (0, 0, 1))
    before, given = dict(vars(fit)), images.copy()
    first = fit.transform(images)
    assert vars(fit).keys() == before.keys()
    assert all(vars(fit)[name] is value for name, value in before.items())
    assert np.array_equal(images, given)
    assert np.array_equal(fit.transform(images), first)
    assert np.array_equal(again.transform(images), first)
    assert np.array_equal(other.transform(images), first) == (estimator.__name__ not in RANDOM)


@pytest.mark.parametrize("estimator", ESTIMATORS)
def test_what_comes_out_is_of_the_kind_that_went_in(estimator: type, rows: np.ndarray, images: np.ndarray) -> None:
    plain = fitted(estimator, rows)
    expected = plain.transform(images)
    assert expected.shape == (5, WIDTHS.get(estimator, DIM))
    for dtype in (np.float32, np.float64):
        found = plain.transform(images.astype(dtype))
        assert found.dtype == dtype
        assert found == pytest.approx(expected, abs=1e-5)
    for kind in (torch.float32, torch.float64):
        found = plain.transform(torch.as_tensor(images, dtype=kind))
        assert isinstance(found, torch.Tensor)
        assert found.dtype == kind
        assert found.numpy() == pytest.approx(expected, abs=1e-5)
    assert plain.transform(torch.as_tensor(images).bfloat16()).dtype == torch.float32
    for value in (np.nan, np.inf):
        with pytest.raises(InputError, match="image embeddings row 2 holds NaN"):
            plain.transform(np.where(np.arange(40).reshape(5, 8) == 17, value, images))


@pytest.mark.parametrize("estimator", [estimator for estimator in ESTIMATORS if getattr(estimator, "transform_tensor", None)])
def test_tensors_go_where_images_go_and_carry_gradients(estimator: type, rows: np.ndarray, images: np.ndarray) -> None:
    fit = fitted(estimator, rows)
    tensor = torch.nn.functional.normalize(torch.as_tensor(images)).requires_grad_()
    assert fit.transform_tensor(tensor).detach().numpy() == pytest.approx(fit.transform(images), abs=1e-9)
    assert fit.transform_tensor(tensor.float()).dtype == torch.float32
    assert torch.autograd.gradcheck(fit.transform_tensor, tensor)


@pytest.mark.parametrize("estimator", LEARNING)
def test_what_is_learnt_is_of_the_kind_of_the_text(estimator: type, rows: np.ndarray, images: np.ndarray) -> None:
    by_numpy = fitted(estimator, rows.astype(np.float32))
    by_torch = fitted(estimator, torch.as_tensor(rows, dtype=torch.float32))
    one, other = by_numpy.transform(images), by_torch.transform(images)
    assert isinstance(other, np.ndarray)
    assert other == pytest.approx(one, abs=1e-4)
    for name, value in vars(by_torch).items():
        if isinstance(value, torch.Tensor):
            assert isinstance(vars(by_numpy)[name], np.ndarray), name
    learnt = by_torch.encoder_[0].weight if hasattr(by_torch, "encoder_") else by_torch.U
    assert isinstance(learnt, torch.Tensor)
    assert learnt.dtype == torch.float32


@pytest.mark.parametrize("transform", ["transform", "transform_tensor"])
@pytest.mark.parametrize("estimator", LEARNING)
def test_images_before_fit_or_of_another_width_are_refused(estimator: type, rows: np.ndarray, images: np.ndarray, transform: str) -> None:
    if not hasattr(estimator, transform):
        return
    given = images if transform == "transform" else torch.as_tensor(images)
    with pytest.raises(InputError, match=rf"{estimator.__name__} is not fitted yet; call fit\("):
        getattr(make(estimator), transform)(given)
    with pytest.raises(InputError, match="have 6 dimensions, but the notion was fitted in 8; use the same encoder for both"):
        getattr(fitted(estimator, rows), transform)(given[:, :6])


@pytest.mark.parametrize("estimator", [estimator for estimator in LEARNING if estimator not in (RandomTransform, Oracle)])
@pytest.mark.parametrize(
    ("text", "message"),
    [
        (np.ones((1, 8)), "only one prompt"),
        (np.ones((3, 8)), "All 3 prompts have the same embedding"),
        (np.diag([1.0, np.nan, *[1] * 6]), "prompt embeddings row 1 holds NaN"),
        (np.diag([1.0, 0, *[1] * 6]), "prompt embeddings row 1 is all zeros"),
    ],
)
def test_prompts_that_say_nothing_are_refused(estimator: type, text: np.ndarray, message: str) -> None:
    with pytest.raises(InputError, match=message):
        fitted(estimator, text)


@pytest.mark.parametrize("estimator", [estimator for estimator in ESTIMATORS if estimator not in WIDTHS])
@pytest.mark.parametrize("dim", [0, 2.5, -1, 9])
def test_an_impossible_dim_is_refused(estimator: type, rows: np.ndarray, dim: float) -> None:
    if dim == 9 and estimator in (RandomEmbedding, RandomTransform):
        return
    with pytest.raises(InputError, match=f"dim is {dim}"):
        fitted(estimator, rows, dim=dim)


TEXT = np.eye(6)[:3]


def test_identity_keeps_directions() -> None:
    assert Identity().fit(TEXT).transform(np.array([[3.0, 4], [0, 2]])) == pytest.approx(np.array([[0.6, 0.8], [0, 1]]))


def test_random_embeddings_are_uniform_on_the_sphere_and_follow_the_seed_alone() -> None:
    rows = RandomEmbedding(3, seed=1).fit(TEXT).transform(np.ones((4000, 6)))
    assert np.linalg.norm(rows, axis=1) == pytest.approx(np.ones(4000))
    assert np.abs(rows.mean(axis=0)).max() < 0.03
    # Archimedes: on the sphere in space, each coordinate is uniform in -1..1
    assert np.quantile(rows[:, 0], [0.25, 0.5, 0.75]) == pytest.approx([-0.5, 0, 0.5], abs=0.04)
    space = RandomEmbedding(4, seed=2).fit(TEXT)
    assert np.array_equal(space.transform(np.ones((5, 6))), space.transform(np.arange(1.0, 31).reshape(5, 6)))
    assert not np.array_equal(space.transform(np.ones((5, 6))), RandomEmbedding(4, seed=3).transform(np.ones((5, 6))))


def test_random_transform_is_the_papers_start() -> None:
    fit = RandomTransform(64, seed=0).fit(np.ones((2, 300)))
    assert fit.U.shape == (300, 64)
    assert fit.U.std() == pytest.approx(0.1, rel=0.02)
    images = np.random.default_rng(0).standard_normal((5, 300))
    assert fit.transform(images) == pytest.approx(unit(images @ fit.U))
