import os
import subprocess
import sys
from collections.abc import Callable

import numpy as np
import pytest
from scipy.spatial.distance import cdist
from sklearn.manifold import trustworthiness

from likeness.projection import pacmap_map, pca_map
from likeness.projection.pacmap_map import PHASES, _optimized, _Pairs, _pairs
from made_rows import unit


@pytest.fixture(scope="module", autouse=True)
def compiled() -> None:
    """The package imported as the map does it, which keeps its warnings from the user."""
    pacmap_map(np.eye(4))


def test_near_pairs_equal_a_plain_loop(vectors: np.ndarray) -> None:
    """Section 3.2 of the paper: neighbors by the squared distance over the two items' distances to their 4th to 6th neighbors."""
    rows = unit(vectors).astype(np.float32)
    distances = cdist(rows.astype(float), rows.astype(float))
    order = distances.argsort(axis=1)[:, 1:]
    local = np.array([distances[i, order[i, 3:6]].mean() for i in range(len(rows))])
    found = _pairs(rows, 10, 0.5, 2.0, 0).near.reshape(200, 10, 2)
    for i in range(200):
        spare = order[i, :60]
        expected = spare[(distances[i, spare] ** 2 / local[i] / local[spare]).argsort()[:10]]
        assert set(found[i, :, 0]) == {i}
        assert set(found[i, :, 1]) == set(expected)


def test_pairs_are_of_the_numbers_and_kinds_asked_for_and_differ_by_seed(vectors: np.ndarray) -> None:
    rows = unit(vectors).astype(np.float32)
    pairs = _pairs(rows, 12, 0.5, 2.0, 0)
    near, mid, far = (kind.reshape(200, -1, 2) for kind in pairs)
    assert (near.shape[1], mid.shape[1], far.shape[1]) == (12, 6, 24)
    for i in range(200):
        assert i not in {*near[i, :, 1], *mid[i, :, 1], *far[i, :, 1]}
        assert len(set(far[i, :, 1]) | set(near[i, :, 1])) == 36
    means = [(rows @ rows.T)[kind[:, 0], kind[:, 1]].mean() for kind in pairs]
    assert means[0] > means[1] > means[2]
    # The package adds row numbers to the seed, so that neighboring seeds would share their draws, one row on.
    first, second = (_pairs(unit(vectors).astype(np.float32), 10, 0.5, 2.0, seed).far.reshape(200, 20, 2)[:, :, 1] for seed in (0, 1))
    assert (first[1:] == second[:-1]).mean() < 0.1


def test_the_optimiser_equals_the_packages_class(vectors: np.ndarray, monkeypatch: pytest.MonkeyPatch) -> None:
    """The same pairs and the same start: the class shrinks what it is given to a spread of 0.0001 along each axis."""
    from pacmap import PaCMAP

    rows = unit(vectors).astype(np.float32)
    pairs = _pairs(rows, 10, 0.5, 2.0, 7)
    start = pca_map(rows)
    theirs = PaCMAP(n_neighbors=10, apply_pca=False, pair_neighbors=pairs.near, pair_MN=pairs.mid, pair_FP=pairs.far).fit_transform(rows, init=start)
    shrunk = (1e-4 * (start - start.mean(axis=0)) / start.std(axis=0)).astype(np.float32)
    ours = _optimized(_Pairs(*pairs), shrunk, PHASES)
    np.testing.assert_allclose(ours, theirs, atol=0.05 * np.ptp(theirs))
    quality, expected = (trustworthiness(vectors, each, n_neighbors=10, metric="cosine") for each in (ours, theirs))
    assert quality == pytest.approx(expected, abs=0.005)


@pytest.mark.parametrize("changed", [{"neighbors": 20}, {"mid_near_ratio": 1.5}])
def test_numbers_of_pairs_change_the_map(vectors: np.ndarray, changed: dict, moved: Callable[[np.ndarray, np.ndarray], float]) -> None:
    assert moved(pacmap_map(vectors, **changed), pacmap_map(vectors)) > 0.05
    extreme = {"neighbors": 500, "further_ratio": 0.1} if "neighbors" in changed else {"neighbors": 1, "mid_near_ratio": 300, "further_ratio": 500}
    assert np.isfinite(pacmap_map(vectors, **extreme)).all()


def test_the_callers_threads_stay_as_they_were(vectors: np.ndarray) -> None:
    import numba

    before = numba.get_num_threads()
    pacmap_map(vectors[:20])
    assert numba.get_num_threads() == before


@pytest.mark.long
def test_torch_keeps_its_number_of_threads_where_numba_begins_its_own() -> None:
    code = "import numpy, torch\nfrom likeness.projection import pacmap_map\npacmap_map(numpy.random.default_rng(0).normal(size=(20, 4)))\n"
    threads = {"OMP_NUM_THREADS": "1", "NUMBA_NUM_THREADS": "2"}
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", code + "print(torch.get_num_threads())"], env=os.environ | threads, stdout=-1, check=True
    )
    assert done.stdout.split() == [b"1"]


def test_more_further_pairs_push_the_map_apart(vectors: np.ndarray) -> None:
    assert np.ptp(pacmap_map(vectors, further_ratio=4.0), axis=0).max() > 1.1 * np.ptp(pacmap_map(vectors), axis=0).max()
