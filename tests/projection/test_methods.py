import functools
import inspect
import subprocess
import sys
from collections.abc import Callable

import numpy as np
import pytest
from sklearn.manifold import trustworthiness
from threadpoolctl import threadpool_limits

from likeness.errors import InputError
from likeness.projection import METHODS, differing, pca_map
from likeness.projection.methods import method_named

PARAMETERS = [(method, name) for method, described in METHODS.items() for name in described.parameters]


@pytest.mark.parametrize(("method", "name"), PARAMETERS)
def test_defaults_are_those_of_the_function_within_a_range_both_ends_of_which_give_a_map(method: str, name: str, vectors: np.ndarray) -> None:
    described = METHODS[method].parameters[name]
    assert inspect.signature(METHODS[method].function).parameters[name].default == described.default
    assert described.least <= described.default <= described.most
    steps = (described.default - described.least) / described.step
    assert steps == pytest.approx(round(steps))
    assert {type(each) for each in (described.default, described.least, described.most, described.step)} == {type(described.default)}
    for value in (described.least, described.most):
        found = METHODS[method].function(vectors[::4], 0, init=None, **{name: value})
        assert (found.shape, np.isfinite(found).all()) == ((50, 2), True)


@pytest.mark.parametrize("method", METHODS)
def test_every_method_takes_a_seed_and_a_start(method: str, vectors: np.ndarray) -> None:
    function = METHODS[method].function
    first, second = (function(vectors[::4], seed, init=pca_map(vectors[::4])) for seed in (0, 1))
    assert (first.shape, first.dtype) == ((50, 2), np.float32)
    assert np.array_equal(first, second) != METHODS[method].seeded
    with pytest.raises(InputError, match=r"init has shape \(3, 2\)"):
        function(vectors, 0, init=np.zeros((3, 2)))


def test_only_what_differs_from_the_default_is_kept_of_a_known_method() -> None:
    assert differing("umap", {"neighbors": 15, "min_distance": 0.1, "seed": 0}) == {}
    assert differing("umap", {"neighbors": 30, "seed": 2, "epochs": 9}) == {"neighbors": 30, "seed": 2, "epochs": 9}
    assert differing("tsne", {"perplexity": 30}) == {}
    with pytest.raises(InputError, match=r"no layout method 'mds'; choose from umap, tsne, pacmap, trimap, pca"):
        method_named("mds")
    with pytest.raises(InputError, match="no layout method 'mds'"):
        differing("mds", {})


def test_no_library_is_imported_before_it_is_needed() -> None:
    heavy = {"umap", "openTSNE", "pacmap", "numba", "sklearn", "torch", "plotly"}
    code = f"import sys, likeness.evaluation, likeness.projection; print(sorted({heavy} & set(sys.modules)))"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "[]\n"


# what every method but PCA holds: with how many steps where the result is not looked at, and how far a map may move that starts from an old one
NONLINEAR = [name for name in METHODS if name != "pca"]
FEW = {"umap": {"epochs": 20}, "tsne": {"epochs": 20}}
LEAST_QUALITY = {"umap": 0.93, "tsne": 0.95, "pacmap": 0.93, "trimap": 0.93}
MOST_MOVED = {"umap": (0.2, 0.5), "tsne": (0.1, 1), "pacmap": (0.1, 0.5), "trimap": (0.2, 1)}


def quality(vectors: np.ndarray, positions: np.ndarray) -> float:
    return float(trustworthiness(vectors, positions, n_neighbors=10, metric="cosine"))


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("method", NONLINEAR)
def test_neighborhoods_survive_better_than_under_pca(method: str, vectors: np.ndarray, seed: int) -> None:
    found = quality(vectors, METHODS[method].function(vectors, seed))
    assert found > LEAST_QUALITY[method]
    assert found > quality(vectors, pca_map(vectors)) + 0.02


@pytest.mark.parametrize("method", NONLINEAR)
def test_the_same_seed_gives_the_same_map_also_in_another_process(
    method: str, vectors: np.ndarray, in_another_process: Callable[[str], np.ndarray]
) -> None:
    function, few = METHODS[method].function, FEW.get(method, {})
    with threadpool_limits(limits=1, user_api="blas"):
        first = function(vectors, 3, **few)
        np.testing.assert_array_equal(function(vectors, 3, **few), first)
    if method != "umap":
        np.testing.assert_array_equal(in_another_process(f"{method}_map(vectors, 3, **{few})"), first)


@pytest.mark.parametrize("method", NONLINEAR)
def test_a_start_from_a_map_stays_close_and_still_shows_what_is_new(
    method: str, vectors: np.ndarray, moved: Callable[[np.ndarray, np.ndarray], float]
) -> None:
    """After a small change of the vectors: closer to the old map than a new start; of other clusters: about as good as one from scratch."""
    function, (most, share) = METHODS[method].function, MOST_MOVED[method]
    old, changed = function(vectors), vectors + 0.02 * np.random.default_rng(1).standard_normal(vectors.shape)
    assert moved(function(changed, init=old), old) < min(most, share * moved(function(changed, 5), old))
    other = np.random.default_rng(2).permutation(vectors)
    assert quality(other, function(other, init=old)) > quality(other, function(other)) - 0.02


@pytest.mark.parametrize("count", [1, 2, 3, 4, 5, 6, 7, 8, 9, 12, 14, 16, 31, 32])
@pytest.mark.parametrize("method", NONLINEAR)
def test_few_items(method: str, vectors: np.ndarray, count: int) -> None:
    function, few = METHODS[method].function, FEW.get(method, {})
    found = function(vectors[:count], **few)
    assert found.shape == (count, 2)
    assert np.isfinite(found).all()
    if count < 4:
        np.testing.assert_array_equal(found, pca_map(vectors[:count]))
        if method != "umap":
            np.testing.assert_array_equal(function(vectors[:count], init=found + 1), found + 1)


@pytest.mark.parametrize("method", NONLINEAR)
def test_lengths_do_not_matter_and_degenerate_vectors_give_a_finite_map(method: str, vectors: np.ndarray) -> None:
    laid_out = functools.partial(METHODS[method].function, **FEW.get(method, {}))
    np.testing.assert_array_equal(laid_out(vectors * np.exp2(np.arange(200) % 5)[:, None]), laid_out(vectors))
    # all equal, duplicates, one dimension
    for degenerate in (np.ones((40, 3)), np.repeat(np.eye(3), 30, axis=0), np.linspace(1, 2, 40)[:, None]):
        assert np.isfinite(laid_out(degenerate)).all()


@pytest.mark.parametrize(
    ("method", "name", "value"),
    [
        *[("umap", *each) for each in (("neighbors", 1), ("min_distance", -0.1), ("min_distance", 1.5))],
        *[("tsne", *each) for each in (("perplexity", 1.5), ("perplexity", np.nan), ("exaggeration", 0.5))],
        *[("pacmap", *each) for each in (("neighbors", 0), ("mid_near_ratio", -1), ("further_ratio", 0), ("further_ratio", np.nan))],
        *[("trimap", *each) for each in (("neighbors", 0), ("outliers", 0), ("random", -1))],
    ],
)
def test_bad_keywords_are_named(method: str, name: str, value: float, vectors: np.ndarray) -> None:
    with pytest.raises(InputError, match=f"{name} is {value}"):
        METHODS[method].function(vectors, **{name: value})


@pytest.mark.parametrize("method", METHODS)
def test_vectors_and_starts_that_are_not_finite_are_named(method: str, vectors: np.ndarray) -> None:
    with pytest.raises(InputError, match="The vectors row 1 holds NaN"):
        METHODS[method].function(np.array([[1.0, 0.0], [np.nan, 1.0]]))
    if method != "pca":
        with pytest.raises(InputError, match="finite"):
            METHODS[method].function(vectors, init=np.full((200, 2), np.nan))
