"""What holds for every index engine: it finds what comparing all finds, says how exact it is, and is taken wherever a name is."""

import re
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from tests.search.conftest import D

import worlds
from likeness.errors import InputError
from likeness.search import ENGINES, IndexEngine, build_index, engines, nearest, open_index, scan
from likeness.search.engines import find_engine
from likeness.space import Space
from made_rows import unit

EACH = pytest.mark.parametrize("engine", ENGINES, ids=lambda engine: engine.name)
N = 400


@pytest.fixture(scope="module")
def vectors(vectors: np.ndarray) -> np.ndarray:
    return vectors[:N]


@EACH
def test_all_about_it_is_said(engine: IndexEngine) -> None:
    assert re.fullmatch(r"[a-z]+", engine.name)
    assert re.fullmatch(r"[A-Z].+\.", engine.help)
    assert find_engine(engine.name) is find_engine(engine) is engine
    assert [each.name for each in ENGINES].count(engine.name) == 1


@EACH
@pytest.mark.parametrize("notion", [False, True])
def test_it_finds_what_comparing_all_finds(engine: IndexEngine, vectors: np.ndarray, tmp_path: Path, notion: bool) -> None:
    """With a single cell nothing can be missed."""
    U = np.random.default_rng(1).standard_normal((D, 3)).astype(np.float32) if notion else None
    codes = vectors if U is None else unit(vectors @ U)
    index = engine.build(vectors, tmp_path / "index", cells=1)
    search = index.search(codes, U).wait()
    found, expected = search.nearest(codes[:9], 5), nearest(codes[:9], codes, 5)
    np.testing.assert_array_equal(found.rows, expected.rows)
    np.testing.assert_allclose(found.similarities, expected.similarities, atol=1e-6)
    assert search.message.startswith("Exact" if search.exact else "Approximate")
    assert index.summary.startswith(f"{N} images, {D} dimensions, 1 cells")


@EACH
def test_what_is_excluded_or_not_allowed_is_not_found_and_a_row_that_the_mask_hides_anyhow_costs_no_other(
    engine: IndexEngine, vectors: np.ndarray, tmp_path: Path
) -> None:
    """As many as each query can find, and all of them where more are asked for."""
    search = engine.build(vectors, tmp_path / "index", cells=4).search(vectors).wait()
    allowed = np.arange(N) % 3 == 0
    found = search.nearest(vectors[:6], 4, exclude=np.arange(6), allowed=allowed).rows
    assert allowed[found].all()
    assert not (found == np.arange(6)[:, None]).any()
    allowed = np.isin(np.arange(N), [3, 50, 51, 200])
    assert sorted(search.nearest(vectors[[7]], 9, exclude=[7], allowed=allowed).rows[0]) == [3, 50, 51, 200]
    assert sorted(search.nearest(vectors[[3]], 9, exclude=[3], allowed=allowed).rows[0]) == [50, 51, 200]
    assert search.nearest(vectors[[7, 3]], 9, exclude=[7, 3], allowed=allowed).rows.shape == (2, 3)
    assert search.nearest(vectors[[7]], 9, exclude=[-1], allowed=allowed).rows.shape == (1, 4)


@EACH
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
def test_what_cannot_be_left_out_is_said(engine: IndexEngine, vectors: np.ndarray, tmp_path: Path, options: dict[str, Any], message: str) -> None:
    search = engine.build(vectors, tmp_path / "index", cells=4).search(vectors).wait()
    for found in (search.nearest, lambda queries, k, **given: scan(vectors, queries, k, **given)):
        with pytest.raises(InputError, match=message):
            found(vectors[[7]], 2, **options)


@EACH
def test_it_is_opened_again_for_its_own_vectors_alone(engine: IndexEngine, vectors: np.ndarray, tmp_path: Path) -> None:
    assert not engine.holds(tmp_path / "index")
    engine.build(vectors, tmp_path / "index", cells=4)
    assert [each.name for each in ENGINES if each.holds(tmp_path / "index")] == [engine.name]
    assert open_index(tmp_path / "index", vectors).summary == engine.open(tmp_path / "index", vectors).summary
    for each in (*ENGINES, engine):  # one engine replaces the other
        each.build(vectors, tmp_path / "index", cells=4)
    assert [each.name for each in ENGINES if each.holds(tmp_path / "index")] == [engine.name]
    for others in (vectors[1:], vectors[::-1]):
        with pytest.raises(InputError, match=f"The index in .* belongs to other vectors than these {len(others)} x {D}; build it again"):
            open_index(tmp_path / "index", others)


def scan_engine(vectors: np.ndarray) -> Any:
    def search(codes: Any, U: Any = None) -> Any:
        found = SimpleNamespace(exact=True, message="Exact: compared one by one.", nearest=lambda queries, k, **kept: nearest(queries, codes, k))
        found.wait = lambda: found
        return found

    index = SimpleNamespace(summary=f"{len(vectors)} rows", search=search)
    build = lambda *_, **options: index  # noqa: E731
    return SimpleNamespace(name="plain", help="Compares all.", build=build, open=build, holds=lambda place: False)


def test_one_that_is_listed_is_found_and_offered_and_an_object_is_taken_where_a_name_is(
    vectors: np.ndarray, tmp_path: Path, run: Callable[..., tuple[int, str, str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(engines, "ENGINES", (*ENGINES, scan_engine(vectors)))
    monkeypatch.setenv("COLUMNS", "300")
    assert build_index(vectors, tmp_path / "index", engine="plain").summary == f"{N} rows"
    assert open_index(tmp_path, vectors, engine="plain").summary == f"{N} rows"
    assert "plain: Compares all" in run("index", "--help")[1]
    with pytest.raises(InputError, match="There is no index engine 'tree'; choose from ivf, lance, plain, or pass an object with build and open"):
        build_index(vectors, tmp_path, engine="tree")
    monkeypatch.setattr(engines, "ENGINES", ENGINES)
    space = Space(vectors, worlds.few_images({}, N).table).build_index(tmp_path / "index", engine=scan_engine(vectors))
    assert space.search is not None
    assert space.search.message == "Exact: compared one by one."
    np.testing.assert_array_equal(space.nearest(vectors[:2], 3).rows, nearest(vectors[:2], vectors, 3).rows)
