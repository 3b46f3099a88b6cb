"""An index that is replaced: whoever is killed meanwhile, at every moment there is a whole one."""

import shutil
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from likeness.search import LanceIndex, build_index, index_folder, open_index, write_lance


class KilledError(BaseException):
    """What no handler expects."""


@pytest.mark.parametrize("engine", ["ivf", "lance"])
@pytest.mark.parametrize("renames", [0, 1, 2])
def test_killed_between_two_renames_the_index_before_or_the_new_one_is_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, vectors: np.ndarray, engine: str, renames: int
) -> None:
    if engine == "lance":
        pytest.importorskip("lancedb")
    rows, place = vectors[:200], tmp_path / "index"
    build_index(rows, place, engine=engine, cells=4)
    replace, remove, done = Path.replace, shutil.rmtree, []

    def killed(self: Path, target: Path) -> Path:
        if Path(target).parent == tmp_path:
            if len(done) == renames:
                raise KilledError
            done.append(target)
        return replace(self, target)

    def left(path: Path, *_: object, **options: object) -> None:
        if len(done) == renames == 2:
            raise KilledError
        remove(path, **options)

    with monkeypatch.context() as patch:
        patch.setattr(Path, "replace", killed)
        patch.setattr(index_folder.shutil, "rmtree", left)
        with pytest.raises(KilledError):
            build_index(rows, place, engine=engine, cells=9)
    found = open_index(place, rows)
    assert (4 if renames < 2 else 9) == len(found.centers)  # type: ignore[attr-defined]
    np.testing.assert_array_equal(found.search(rows).nearest(rows[:5], 1).rows[:, 0], np.arange(5))
    build_index(rows, place, engine=engine, cells=5)
    assert len(open_index(place, rows).centers) == 5  # type: ignore[attr-defined]
    assert [path.name for path in tmp_path.iterdir() if not path.name.endswith(".partial")] == ["index"]


def test_images_in_lance_are_read_with_the_centers_that_they_belong_to(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, vectors: np.ndarray) -> None:
    lancedb = pytest.importorskip("lancedb")
    rows, frame = vectors[:200], pd.DataFrame({"color": ["red", "blue"] * 100})
    first, second = (build_index(rows, tmp_path / str(cells), cells=cells) for cells in (4, 9))
    write_lance(first, frame, tmp_path / "lance")
    expected = LanceIndex(tmp_path / "lance").nearest(rows[:20], 5, probes=1)
    create = lancedb.db.LanceDBConnection.create_table

    def killed(self: object, name: str, *given: object, **options: object) -> object:
        if name == "centers":
            raise KilledError
        return create(self, name, *given, **options)

    with monkeypatch.context() as patch:
        patch.setattr(lancedb.db.LanceDBConnection, "create_table", killed)
        with pytest.raises(KilledError):
            write_lance(second, frame, tmp_path / "lance")
    found = LanceIndex(tmp_path / "lance")
    assert len(found.centers) == 4
    np.testing.assert_array_equal(found.nearest(rows[:20], 5, probes=1).rows, expected.rows)
    write_lance(second, frame, tmp_path / "lance")
    assert len(LanceIndex(tmp_path / "lance").centers) == 9
