"""CSV and Parquet: what is written is read back whole, neighbors are those of all pairs."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import likeness as lk
from likeness.data import ImageTable
from likeness.errors import InputError
from likeness.exports import TARGETS, Target
from likeness.space import Space


def _nearest(vectors: np.ndarray, k: int) -> np.ndarray:
    """By all pairs."""
    products = vectors @ vectors.T
    np.fill_diagonal(products, -np.inf)
    return np.argsort(-products, axis=1, kind="stable")[:, :k]


def test_a_csv_file_is_read_back(table: ImageTable, tmp_path: Path) -> None:
    written = lk.export(table, "csv", tmp_path / "out.csv")
    assert written.n == 12
    found = pd.read_csv(tmp_path / "out.csv")
    for name in ("path", "note"):
        assert found[name].tolist() == table.frame[name].tolist()
    assert found["breed"].fillna("").tolist() == table.frame["breed"].astype(object).fillna("").tolist()
    np.testing.assert_array_equal(found["weight"], table.frame["weight"].astype(float))
    assert found["good"].dtype == bool
    assert found["taken"][0].startswith("2024-05-01")
    beside = tmp_path / "photos" / "again.csv"
    lk.export(table, "csv", beside)
    assert lk.read(beside).paths() == table.paths()


def test_rows_and_columns_are_chosen(space: Space, table: ImageTable, tmp_path: Path) -> None:
    lk.export(space, "csv", tmp_path / "a.csv", rows=[7, 2, 4], columns=["count"], neighbors=2)
    found = pd.read_csv(tmp_path / "a.csv")
    assert found["count"].tolist() == [7, 2, 4]
    assert [[int(each) for each in line.split()] for line in found["neighbors"]] == _nearest(space.vectors[[7, 2, 4]], 2).tolist()
    mask = np.zeros(12, bool)
    mask[[1, 5]] = True
    lk.export(space, "csv", tmp_path / "b.csv", rows=mask)
    assert pd.read_csv(tmp_path / "b.csv")["count"].tolist() == [1, 5]
    lk.export(space, "csv", tmp_path / "one.csv", rows=[3], neighbors=5)
    assert pd.read_csv(tmp_path / "one.csv", keep_default_na=False)["neighbors"].tolist() == [""]
    lk.export(lk.Space(np.eye(3), labels=["a", "b", "c"]), "csv", tmp_path / "bare.csv", neighbors=5)
    assert pd.read_csv(tmp_path / "bare.csv")["neighbors"].tolist() == ["1 2", "0 2", "0 1"]
    lk.export(table, "parquet", tmp_path / "table.parquet", columns=["good"])
    assert list(pd.read_parquet(tmp_path / "table.parquet").columns) == ["path", "good"]


def test_parquet_with_vectors_is_a_space(space: Space, tmp_path: Path) -> None:
    lk.export(space, "parquet", tmp_path / "out.parquet", vectors=True, neighbors=4)
    found = lk.load(tmp_path / "out.parquet")
    assert isinstance(found, Space)
    np.testing.assert_array_equal(found.vectors, space.vectors)
    assert found.table.paths() == space.table.paths()
    assert found.name == space.name
    frame = pd.read_parquet(tmp_path / "out.parquet")
    assert np.stack(frame["neighbors"].to_list()).tolist() == _nearest(space.vectors, 4).tolist()
    products = (space.vectors @ space.vectors.T)[np.arange(12)[:, None], _nearest(space.vectors, 4)]
    np.testing.assert_allclose(np.stack(frame["neighbor_similarities"].to_list()), products, atol=1e-6)
    assert frame["breed"].tolist()[:2] == ["cat/dog", ".."]


def test_in_parts_it_is_the_same_file(space: Space, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    lk.export(space, "csv", tmp_path / "whole.csv", neighbors=3)
    lk.export(space, "parquet", tmp_path / "whole.parquet", neighbors=3, vectors=True)
    monkeypatch.setattr("likeness.exports.material.MOST_PART_ROWS", 5)
    lk.export(space, "csv", tmp_path / "parts.csv", neighbors=3)
    lk.export(space, "parquet", tmp_path / "parts.parquet", neighbors=3, vectors=True)
    assert (tmp_path / "parts.csv").read_bytes() == (tmp_path / "whole.csv").read_bytes()
    pd.testing.assert_frame_equal(pd.read_parquet(tmp_path / "parts.parquet"), pd.read_parquet(tmp_path / "whole.parquet"))


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"target": "cvs"}, "There is no target 'cvs'; choose from csv, parquet"),
        ({"place": "out.txt"}, "does not end in .csv"),
        ({"columns": ["nope"]}, "'My photos' has no attribute 'nope'; it has breed, good"),
        ({"rows": [3, 12]}, "There is no row 12; the last is 11"),
        ({"rows": [-1]}, "There is no row -1"),
        ({"rows": []}, "pass at least one row number"),
        ({"rows": [1, 1]}, "given twice"),
        ({"link": "copy"}, "The target 'csv' has no option 'link'; it has neighbors"),
        ({"nope": 1}, "has no option 'nope'"),
        ({"neighbors": -1}, "-1 neighbors is invalid"),
        ({"neighbors": 2}, "needs vectors; pass a Space"),
    ],
)
def test_wrong_input_is_answered(changes: dict[str, object], message: str, table: ImageTable, tmp_path: Path) -> None:
    given = {"target": "csv", "place": "out.csv"} | changes
    place = tmp_path / str(given.pop("place"))
    with pytest.raises(InputError, match=message):
        lk.export(table, str(given.pop("target")), place, **given)  # type: ignore[arg-type]
    assert not place.exists()


@pytest.mark.parametrize("target", [target for target in TARGETS.values() if target.check_address is None], ids=lambda target: target.name)
def test_what_stands_at_a_place_stays(target: Target, tmp_path: Path) -> None:
    """Be it a dangling link; before what is to be exported is looked at."""
    taken, dangling = (tmp_path / f"{name}{target.ending}" for name in ("taken", "dangling"))
    dangling.symlink_to(tmp_path / "nowhere")
    file = taken if target.ending else taken / "file"
    file.parent.mkdir(exist_ok=True)
    file.write_text("mine")
    for place in (taken, dangling):
        with pytest.raises(InputError, match="exists already"):
            lk.export("nothing", target.name, place)
    assert (file.read_text(), dangling.is_symlink(), {*tmp_path.iterdir()} - {tmp_path / "cache"}) == ("mine", True, {dangling, taken})


def test_names_that_are_taken_and_infinity_are_refused(space: Space, tmp_path: Path) -> None:
    taken = Space(space.vectors, space.table, {"Neighbors": range(12)})
    with pytest.raises(InputError, match="The attribute 'Neighbors' has the name of an added column"):
        lk.export(taken, "csv", tmp_path / "other.csv", neighbors=1)
    with pytest.raises(InputError, match="The attribute 'size' contains infinity"):
        lk.export(Space(space.vectors, space.table, {"size": [np.inf] * 12}), "csv", tmp_path / "other.csv")
    assert not (tmp_path / "other.csv").exists()


def test_a_space_is_saved_and_exported_with_whatever_its_columns_hold(tmp_path: Path) -> None:
    space = Space(np.eye(4), pd.DataFrame({"path": list("abcd"), "label": [["a"], "b", 10**30, Path("d")]}))
    space.save(tmp_path / "saved.parquet")
    lk.export(space, "parquet", tmp_path / "exported.parquet", vectors=True)
    saved, exported = (lk.load(tmp_path / f"{each}.parquet") for each in ("saved", "exported"))
    assert saved.table.frame["label"].tolist() == exported.table.frame["label"].tolist() == [str(value) for value in space.table.frame["label"]]
    np.testing.assert_array_equal(saved.vectors, space.vectors)


@pytest.mark.parametrize("target", ["csv", "parquet"])
def test_what_is_exported_is_read_again(target: str, table: ImageTable) -> None:
    """Missing values stay missing, and words, whole numbers, numbers and truths what they are; more of this in tests/io."""
    odd = {"words": ["None", None, "01"] * 4, "long": [7706992903151817197, None, 3] * 4, "truth": [True, False, True] * 4}
    frame = table.frame[["path", "weight"]].assign(**{name: pd.Series(cells, dtype=object) for name, cells in odd.items()})
    lk.export(ImageTable("odd", table.root, frame), target, table.root / f"out.{target}")
    found = lk.read(table.root / f"out.{target}").frame
    for name in frame:
        pairs = zip(found[name].astype(object), frame[name].astype(object), strict=True)
        assert all((pd.isna(read) and pd.isna(cell)) or read == cell for read, cell in pairs), name
