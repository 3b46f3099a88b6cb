"""An index finds what comparing all finds, says how exact it is, and belongs to its own vectors."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.search.conftest import D

from likeness.errors import InputError
from likeness.search import build_index, nearest, open_index, scan
from made_rows import unit

N = 400


@pytest.fixture(scope="module")
def vectors(vectors: np.ndarray) -> np.ndarray:
    return vectors[:N]


@pytest.mark.parametrize("notion", [False, True])
def test_it_finds_what_comparing_all_finds(vectors: np.ndarray, tmp_path: Path, notion: bool) -> None:
    """With a single cell nothing can be missed."""
    U = np.random.default_rng(1).standard_normal((D, 3)).astype(np.float32) if notion else None
    codes = vectors if U is None else unit(vectors @ U)
    index = build_index(vectors, tmp_path / "index", cells=1)
    search = index.search(codes, U).wait()
    found, expected = search.nearest(codes[:9], 5), nearest(codes[:9], codes, 5)
    np.testing.assert_array_equal(found.rows, expected.rows)
    np.testing.assert_allclose(found.similarities, expected.similarities, atol=1e-6)
    assert search.message.startswith("Exact" if search.exact else "Approximate")
    assert index.summary.startswith(f"{N} images, {D} dimensions, 1 cells")


def test_what_is_excluded_or_not_allowed_is_not_found_and_a_row_that_the_mask_hides_anyhow_costs_no_other(
    vectors: np.ndarray, tmp_path: Path
) -> None:
    """As many as each query can find, and all of them where more are asked for."""
    search = build_index(vectors, tmp_path / "index", cells=4).search(vectors).wait()
    allowed = np.arange(N) % 3 == 0
    found = search.nearest(vectors[:6], 4, exclude=np.arange(6), allowed=allowed).rows
    assert allowed[found].all()
    assert not (found == np.arange(6)[:, None]).any()
    allowed = np.isin(np.arange(N), [3, 50, 51, 200])
    assert sorted(search.nearest(vectors[[7]], 9, exclude=[7], allowed=allowed).rows[0]) == [3, 50, 51, 200]
    assert sorted(search.nearest(vectors[[3]], 9, exclude=[3], allowed=allowed).rows[0]) == [50, 51, 200]
    assert search.nearest(vectors[[7, 3]], 9, exclude=[7, 3], allowed=allowed).rows.shape == (2, 3)
    assert search.nearest(vectors[[7]], 9, exclude=[-1], allowed=allowed).rows.shape == (1, 4)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"allowed": np.zeros(N, bool)}, "No image is left to search; remove a filter"),
        ({"allowed": np.arange(N) == 7, "exclude": [7]}, "No image is left"),
        ({"allowed": np.array([1, 2])}, f"allowed must hold True or False for each of {N} rows; got shape \\(2,\\), int64"),
        ({"allowed": np.ones(N, int)}, "got shape .*, int64"),
        ({"exclude": [0, 1]}, "exclude must hold a row, -1 to 399, for each of the 1 queries"),
        ({"exclude": [N]}, "exclude must hold a row"),
        ({"exclude": [0.5]}, "exclude must hold a row"),
    ],
)
def test_what_cannot_be_left_out_is_said(vectors: np.ndarray, tmp_path: Path, options: dict[str, Any], message: str) -> None:
    search = build_index(vectors, tmp_path / "index", cells=4).search(vectors).wait()
    for found in (search.nearest, lambda queries, k, **given: scan(vectors, queries, k, **given)):
        with pytest.raises(InputError, match=message):
            found(vectors[[7]], 2, **options)


def test_it_is_opened_again_for_its_own_vectors_alone(vectors: np.ndarray, tmp_path: Path) -> None:
    built = build_index(vectors, tmp_path / "index", cells=4)
    assert open_index(tmp_path / "index", vectors).summary == built.summary
    for others in (vectors[1:], vectors[::-1]):
        with pytest.raises(InputError, match=f"The index in .* belongs to other vectors than these {len(others)} x {D}; build it again"):
            open_index(tmp_path / "index", others)
