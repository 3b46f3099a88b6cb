from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pandas as pd
import pytest
from tests.search.conftest import D, N

import worlds
from likeness.errors import InputError
from likeness.notions import InDiReCT
from likeness.search import IVFIndex, LanceIndex, NotionSearch, build_index, nearest, write_lance


@pytest.fixture(scope="module", autouse=True)
def lancedb() -> Any:
    """Imported for these tests alone: it takes seconds."""
    return pytest.importorskip("lancedb", reason="lancedb is an extra")


@pytest.fixture(scope="module")
def frame() -> pd.DataFrame:
    return worlds.few_images({"color": np.where(np.arange(N) % 5 == 0, "red", "o'blue"), "year": np.arange(N)}, N).table.frame


@pytest.fixture(scope="module")
def lance(index: IVFIndex, frame: pd.DataFrame, tmp_path_factory: pytest.TempPathFactory) -> LanceIndex:
    folder = tmp_path_factory.mktemp("lance")
    write_lance(index, frame, folder)
    write_lance(index, frame, folder)  # a second time replaces
    return LanceIndex(folder)


@pytest.mark.parametrize("dim", [None, 2, 6])
@pytest.mark.parametrize("probes", [1, 3, 25])
def test_same_neighbors_as_from_the_files(index: IVFIndex, lance: LanceIndex, dim: int | None, probes: int) -> None:
    U = None if dim is None else InDiReCT(dim=dim).fit(np.random.default_rng(1).standard_normal((30, D))).U
    search = NotionSearch(index, U)
    codes = search.view.codes(np.asarray(index.vectors[:6]))[0]
    found, expected = lance.nearest(codes, 5, U, probes=probes), search.nearest(codes, 5, probes=probes)
    np.testing.assert_allclose(found.similarities, expected.similarities, atol=1e-6)
    np.testing.assert_array_equal(found.rows, expected.rows)


def test_what_else_lies_in_the_folder_stays(tmp_path: Path) -> None:
    (tmp_path / "photo.jpg").write_bytes(b"x")
    rows = np.eye(8, dtype=np.float32)
    for engine in ("lance", "ivf"):
        with pytest.raises(InputError, match=r"contains other files, such as 'photo.jpg', but an index needs its own folder"):
            build_index(rows, tmp_path, engine=engine, cells=2)
    for engine in ("lance", "ivf", "ivf", "lance", "lance"):
        build_index(rows, tmp_path / "own", engine=engine, cells=2)
    assert (tmp_path / "photo.jpg").read_bytes() == b"x"


def test_filter(vectors: np.ndarray, lance: LanceIndex) -> None:
    red = np.flatnonzero(np.arange(N) % 5 == 0)
    found = lance.nearest(vectors[:3], 4, where="color = 'red'", probes=25)
    np.testing.assert_array_equal(found.rows, red[nearest(vectors[:3], vectors[red], 4).rows])
    # more than the first cell holds: all of them are looked through
    few = lance.nearest(vectors[:1], 4, where="color = 'red' OR year < 3", probes=1)
    assert (few.rows % 5 == 0).sum() + (few.rows < 3).sum() >= 4
    nothing = lance.nearest(vectors[:1], 2, where="year > 9999 AND color = 'o''blue'")
    assert nothing.rows.tolist() == [[-1, -1]]
    assert np.isnan(nothing.similarities).all()


NO_SQL = ("colour = 'red'", "x = ", "1; drop table images")  # codespell:ignore


@pytest.mark.parametrize(
    ("call", "message"),
    [
        *[(lambda self, where=where: self.lance.nearest(np.ones((1, D)), 3, where=where), "condition .* failed") for where in NO_SQL],
        (lambda self: self.lance.nearest(np.ones((1, 15)), 3), "The queries have 15 dimensions, the space 24"),
        (lambda self: write_lance(self.index, self.frame.iloc[1:], self.place), "The table of attributes has 899 rows for 900 vectors"),
        (lambda self: write_lance(self.index, self.frame.assign(cell=1), self.place), "a column 'cell', which the index uses itself"),
        (lambda self: write_lance(self.index, self.frame, __file__ + "/below"), "cannot be written to"),
        (lambda self: LanceIndex(self.place / "new"), "There is no index in"),
    ],
)
def test_bad_input(call: Callable[[Any], object], message: str, index: IVFIndex, lance: LanceIndex, frame: pd.DataFrame, tmp_path: Path) -> None:
    with pytest.raises(InputError, match=message):
        call(SimpleNamespace(index=index, lance=lance, frame=frame, place=tmp_path))
    assert not list(tmp_path.iterdir())


def test_without_lancedb(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setitem(__import__("sys").modules, "lancedb", None)
    with pytest.raises(InputError, match=r'pip install "likeness\[lance\]"'):
        LanceIndex(tmp_path)
