"""The table of methods: each is what it says, and its parameters are those of its function."""

import inspect
import subprocess
import sys

import numpy as np
import pytest

from likeness.errors import InputError
from likeness.projection import METHODS, differing, pca_map
from likeness.projection.methods import method_named

PARAMETERS = [(method, name) for method, described in METHODS.items() for name in described.parameters]


@pytest.mark.parametrize(("method", "name"), PARAMETERS)
def test_defaults_are_those_of_the_function_and_within_the_range(method: str, name: str) -> None:
    described = METHODS[method].parameters[name]
    assert inspect.signature(METHODS[method].function).parameters[name].default == described.default
    assert described.least <= described.default <= described.most
    steps = (described.default - described.least) / described.step
    assert steps == pytest.approx(round(steps))
    assert {type(each) for each in (described.default, described.least, described.most, described.step)} == {type(described.default)}


@pytest.mark.parametrize(("method", "name"), PARAMETERS)
def test_both_ends_of_a_range_give_a_map(method: str, name: str, vectors: np.ndarray) -> None:
    described = METHODS[method].parameters[name]
    for value in (described.least, described.most):
        found = METHODS[method].function(vectors[::4], 0, init=None, **{name: value})
        assert found.shape == (50, 2)
        assert np.isfinite(found).all()


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
    code = "import sys, likeness.projection; print(sorted({'umap', 'openTSNE', 'pacmap', 'numba', 'sklearn'} & set(sys.modules)))"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "[]\n"
