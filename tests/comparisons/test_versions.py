"""Two versions of a dataset: what became of each image."""

import shutil
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from PIL import Image

import likeness as lk
from likeness.comparisons import version_changes
from likeness.data import ImageTable
from likeness.errors import InputError
from likeness.space import Space


def _picture(file: Path, shade: int) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    Image.new("RGB", (8, 8), (shade, 0, 0)).save(file)


@pytest.fixture
def versions(tmp_path: Path) -> tuple[ImageTable, ImageTable]:
    """Eight images in two classes; of the new version one changed, one renamed into the other class, one came, two went."""
    for number in range(8):
        _picture(tmp_path / "old" / "ab"[number % 2] / f"{number}.png", 10 * number)
    shutil.copytree(tmp_path / "old", tmp_path / "new")
    _picture(tmp_path / "new" / "a" / "0.png", 255)
    (tmp_path / "new" / "a" / "2.png").rename(tmp_path / "new" / "b" / "two.png")
    (tmp_path / "new" / "a" / "4.png").unlink()
    (tmp_path / "new" / "b" / "5.png").unlink()
    _picture(tmp_path / "new" / "b" / "9.png", 99)
    return lk.read(tmp_path / "old"), lk.read(tmp_path / "new")


def test_each_image_is_found_again_by_path_and_content(versions: tuple[ImageTable, ImageTable]) -> None:
    old, new = versions
    found = version_changes(old, new)
    counts = found.counts().set_index("change")["images"].to_dict()
    assert counts == {"same": 4, "changed": 1, "renamed": 1, "came": 1, "went": 2, "relabeled: class": 1}
    frame = found.frame(old, new)
    lines = {(row.change, row.old_path, row.new_path, row.relabeled) for row in frame.itertuples()}
    assert lines == {
        ("changed", "a/0.png", "a/0.png", ""),
        ("renamed", "a/2.png", "b/two.png", "class"),
        ("went", "a/4.png", "", ""),
        ("went", "b/5.png", "", ""),
        ("came", "", "b/9.png", ""),
    }
    for row in frame.itertuples():
        assert row.old_row == (-1 if not row.old_path else old.frame["path"].tolist().index(row.old_path))
        assert row.new_row == (-1 if not row.new_path else new.frame["path"].tolist().index(row.new_path))
    assert sorted(found.old[found.old >= 0]) == list(range(len(old)))
    assert sorted(found.new[found.new >= 0]) == list(range(len(new)))
    back = version_changes(new, old).counts().set_index("change")["images"]
    assert (back["came"], back["went"], back["changed"], back["renamed"]) == (2, 1, 1, 1)


def test_copies_and_frames_under_new_names_are_each_taken_once(tmp_path: Path) -> None:
    for version, names in {"old": ["a", "b"], "new": ["c", "d", "e"]}.items():
        for name in names:
            _picture(tmp_path / version / f"{name}.png", 7)
    found = version_changes(lk.read(tmp_path / "old"), lk.read(tmp_path / "new"))
    pairs = list(zip(found.old.tolist(), found.new.tolist(), found.state.tolist(), strict=True))
    assert pairs == [(0, 0, "renamed"), (1, 1, "renamed"), (-1, 2, "came")]
    for name in ("before.mp4", "after.mp4"):
        (tmp_path / name).write_bytes(b"a film")
    paths = [f"before.mp4#t={second}" for second in (0, 1, 2)], [f"after.mp4#t={second}" for second in (2, 0)]
    found = version_changes(*(ImageTable("film", tmp_path, pd.DataFrame({"path": each})) for each in paths))
    assert list(zip(found.old, found.new, found.state, strict=True)) == [(0, 1, "renamed"), (1, -1, "went"), (2, 0, "renamed")]


def test_what_is_no_version_is_refused(tmp_path: Path) -> None:
    _picture(tmp_path / "a.png", 1)
    twice = ImageTable("t", tmp_path, pd.DataFrame({"path": ["a.png", "a.png"]}))
    with pytest.raises(InputError, match=r"lists 'a\.png' twice"):
        version_changes(twice, twice)
    gone = ImageTable("t", tmp_path, pd.DataFrame({"path": ["a.png", "gone.png"]}))
    with pytest.raises(InputError, match=r"gone\.png"):
        version_changes(gone, gone)
    rows = Space([[1.0, 0.0], [0.0, 1.0]]).table
    with pytest.raises(InputError, match="have no images"):
        version_changes(rows, rows)


def _labeled(folder: Path, values: object) -> ImageTable:
    """Four images and an attribute."""
    for number in range(4):
        _picture(folder / f"{number}.png", number)
    column = pd.Series(values) if not isinstance(values, list) else pd.Series([*values, 0], dtype=object)[:4]
    return ImageTable(folder.name, folder, pd.DataFrame({"path": [f"{number}.png" for number in range(4)], "it": column}))


@pytest.mark.parametrize(
    ("before", "after", "relabeled"),
    [
        ([[1, 2], [1, 2], None, [[1], [2, 3]]], [[1, 2], [1, 3], None, [[1], [2, 3]]], [1]),
        ([np.array([1, 2]), np.array([1]), np.array(1), None], [np.array([1, 2]), np.array([1, 2]), 1, float("nan")], [1]),
        ([{"a": np.array([1])}, {"a": 1}, {}, None], [{"a": np.array([1])}, {"a": 2}, None, None], [1, 2]),
        (pd.array(["a", None, "c", None], dtype="string"), ["a", None, "d", "e"], [2, 3]),
        (pd.array([1, None, 3, 4], dtype="Int64"), [1.0, float("nan"), None, 4], [2]),
        (pd.Categorical(["a", None, "c", "d"]), pd.array(["a", None, "c", None], dtype="string"), [3]),
        (pd.to_datetime(["2020-01-01", None, "2020-01-03", None]), pd.to_datetime(["2020-01-01", None, "2020-01-04", None]), [2]),
        (["a", 1, 2.5, None], ["a", "1", 2.25, float("nan")], [2]),
        ([1, 2, 3, 4], [1.0, 2.0, 3.5, float("nan")], [2, 3]),
        ([1, 2, 3, 4], ["1", "2", "unknown", "4"], [2]),
    ],
)
def test_values_of_any_kind_are_compared(tmp_path: Path, before: object, after: object, relabeled: list[int]) -> None:
    old, new = _labeled(tmp_path / "old", before), _labeled(tmp_path / "new", after)
    found = version_changes(old, new)
    assert np.flatnonzero(found.relabeled["it"]).tolist() == relabeled
    assert found.frame(old, new)["old_row"].tolist() == relabeled


def test_without_common_attributes_nothing_is_relabeled(tmp_path: Path) -> None:
    old, new = _labeled(tmp_path / "old", ["a"] * 4), _labeled(tmp_path / "new", ["a"] * 4)
    other = ImageTable("new", new.root, new.frame.rename(columns={"it": "other"}).iloc[:3])
    found = version_changes(old, other)
    assert found.relabeled == {}
    assert found.frame(old, other)[["change", "old_path", "new_row", "relabeled"]].to_numpy().tolist() == [["went", "3.png", -1, ""]]
    assert found.frame(old, other).columns.tolist() == version_changes(old, old).frame(old, old).columns.tolist()
