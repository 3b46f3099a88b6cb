"""An index that is replaced: whoever is killed meanwhile, at every moment there is a whole one."""

import shutil
from pathlib import Path

import numpy as np
import pytest

from likeness.search import build_index, index_folder, open_index


class KilledError(BaseException):
    """What no handler expects."""


@pytest.mark.parametrize("renames", [0, 1, 2])
def test_killed_between_two_renames_the_index_before_or_the_new_one_is_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, vectors: np.ndarray, renames: int
) -> None:
    rows, place = vectors[:200], tmp_path / "index"
    build_index(rows, place, cells=4)
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
            build_index(rows, place, cells=9)
    found = open_index(place, rows)
    assert (4 if renames < 2 else 9) == len(found.centers)
    np.testing.assert_array_equal(found.search(rows).nearest(rows[:5], 1).rows[:, 0], np.arange(5))
    build_index(rows, place, cells=5)
    assert len(open_index(place, rows).centers) == 5
    assert [path.name for path in tmp_path.iterdir() if not path.name.endswith(".partial")] == ["index"]
