"""Vector stores: what is written into LanceDB and faiss is found and read back there, and an interrupted export goes on."""

import shutil
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pandas as pd
import pytest

import likeness as lk
from likeness.errors import InputError
from likeness.exports import TARGETS
from likeness.exports.material import Material
from likeness.space import Space

STORES = ("lancedb", "faiss")


@pytest.fixture
def small_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("likeness.exports.material.MOST_PART_ROWS", 5)


@pytest.mark.parametrize("target", STORES)
def test_a_space_comes_back_whole(target: str, space: Space, tmp_path: Path, small_parts: None) -> None:
    where = tmp_path / "store"
    written = lk.export(space, target, where)
    assert written.n == 12
    found = lk.load(f"{target}:{where}")
    assert isinstance(found, Space)
    np.testing.assert_allclose(found.vectors, space.vectors, atol=1e-6)
    assert found.name == "Five numbers"
    assert found.table.paths() == [path.resolve() for path in space.table.paths()]
    assert found.table.attributes == space.table.attributes
    for name in ("breed", "note"):
        assert found.table.frame[name].fillna("").tolist() == space.table.frame[name].astype(object).fillna("").tolist()
    assert found.table.frame["good"].tolist() == space.table.frame["good"].tolist()
    assert found.table.frame["count"].tolist() == list(range(12))
    np.testing.assert_array_equal(found.table.frame["weight"].astype(float), space.table.frame["weight"])
    assert str(found.table.frame["taken"][0]).startswith("2024-05-01")


@pytest.mark.parametrize("target", STORES)
def test_some_rows_vectors_without_images_and_zero_rows_of_a_notions_space_come_back(target: str, space: Space, tmp_path: Path) -> None:
    drop = SimpleNamespace(fit=lambda text: None, transform=lambda images: np.asarray(images)[:, :2])
    seen = lk.Space(np.array([[1.0, 2, 0], [0, 0, 1], [2, 1, 1]])).project(drop, "two of three")
    plain, bare = lk.Space(np.eye(3) + 0.1, labels=[1, 2, 3]), lk.Space(np.eye(3) + 0.1)
    for number, (source, rows) in enumerate(((space, [8, 1, 5]), (plain, None), (bare, None), (seen, None))):
        where = str(tmp_path / str(number))
        lk.export(source, target, where, rows=rows, columns=["count"] if rows else None)
        vectors = source.vectors if rows is None else source.vectors[rows]
        np.testing.assert_allclose(TARGETS[target].read(where, None).vectors, vectors, atol=1e-6)  # type: ignore[misc]
        if source is not seen:
            table = lk.load(f"{target}:{where}").table
            assert table.has_images == (source is space)
            assert table.frame[table.attributes].to_dict("list") == ({"count": rows} if rows else {} if source is bare else {"label": [1, 2, 3]})


def _nearest(space: Space, row: int, k: int) -> list[int]:
    return np.argsort(-(space.vectors @ space.vectors[row]), kind="stable")[:k].tolist()


def test_lancedb_itself_finds_what_is_nearest(space: Space, tmp_path: Path) -> None:
    import lancedb

    where = tmp_path / "db"
    lk.export(space, "lancedb", where, name="mine")
    table = lancedb.connect(where).open_table("mine")
    found = table.search(space.vectors[3]).distance_type("cosine").limit(4).to_arrow()
    assert found["row"].to_pylist() == _nearest(space, 3, 4)
    assert table.search(space.vectors[3]).where("breed = 'pug'").to_arrow()["row"].to_pylist() in ([5, 7], [7, 5])


def test_faiss_itself_finds_what_is_nearest(space: Space, tmp_path: Path) -> None:
    import faiss

    where = tmp_path / "index"
    lk.export(space, "faiss", where)
    similarities, rows = faiss.read_index(f"{where}/index.faiss").search(space.vectors[[3]], 4)
    assert rows[0].tolist() == _nearest(space, 3, 4)
    np.testing.assert_allclose(similarities[0], np.sort(space.vectors @ space.vectors[3])[::-1][:4], atol=1e-6)
    assert pd.read_parquet(f"{where}/rows.parquet")["path"].tolist() == space.table.frame["path"].tolist()


def test_smaller_vectors_go_to_faiss(space: Space, tmp_path: Path, small_parts: None) -> None:
    import faiss

    lk.export(space, "faiss", tmp_path / "int8", precision="int8")
    index = faiss.read_index(f"{tmp_path}/int8/index.faiss")
    assert (index.ntotal, index.code_size) == (12, 5)
    similarities, rows = index.search(space.vectors[[3]], 4)
    assert rows[0].tolist() == _nearest(space, 3, 4)
    np.testing.assert_allclose(similarities[0], np.sort(space.vectors @ space.vectors[3])[::-1][:4], atol=0.02)
    np.testing.assert_allclose(lk.load(f"faiss:{tmp_path}/int8").vectors, space.vectors, atol=0.01)  # type: ignore[union-attr]
    lk.export(space, "faiss", tmp_path / "binary", precision="binary")
    signs = faiss.read_index_binary(f"{tmp_path}/binary/signs.faiss")
    differing, rows = signs.search(np.packbits(space.vectors[[3]] > 0, axis=1), 12)
    np.testing.assert_array_equal(differing[0], ((space.vectors > 0) != (space.vectors[3] > 0)).sum(axis=1)[rows[0]])
    with pytest.raises(InputError, match=r"There is no index in .*; pass a folder with index.faiss"):
        lk.load(f"faiss:{tmp_path}/binary")
    with pytest.raises(InputError, match="There is no precision 'int4'; choose from float32, int8, binary"):
        lk.export(space, "faiss", tmp_path / "other", precision="int4")
    with pytest.raises(InputError, match="The target 'lancedb' has no option 'precision'"):
        lk.export(space, "lancedb", tmp_path / "other", precision="int8")


class Stopped(BaseException):
    """As Ctrl-C is."""


def test_an_interrupted_export_goes_on(space: Space, tmp_path: Path, small_parts: None) -> None:
    where = str(tmp_path / "db")

    def stop(done: int, total: int, stage: str = "") -> None:
        if done >= 5:
            raise Stopped

    with pytest.raises(Stopped):
        lk.export(space, "lancedb", where, name="mine", progress=stop)
    with pytest.raises(InputError, match="5 of 12 rows, because the export was interrupted; finish it with resume"):
        lk.load(f"lancedb:{where}")
    with pytest.raises(InputError, match=r"'mine' exists already in .*; choose another name, or resume"):
        lk.export(space, "lancedb", where, name="mine")
    with pytest.raises(InputError, match=r"'mine' in .* holds other images, attributes or vectors"):
        lk.export(space, "lancedb", where, name="mine", resume=True, rows=range(11))
    done: list[int] = []
    written = lk.export(space, "lancedb", where, name="mine", resume=True, progress=lambda n, total, stage="": done.append(n))
    assert written.note == "5 of them existed already."
    assert done[0] == 5
    np.testing.assert_allclose(lk.load(f"lancedb:{where}").vectors, space.vectors, atol=1e-6)
    assert lk.export(space, "lancedb", where, name="mine", resume=True).note == "12 of them existed already."


def test_of_vectors_alone_the_rows_tell_which_export_goes_on() -> None:
    space = lk.Space(np.eye(4, dtype=np.float32))
    assert Material(space, [0, 1]).digest != Material(space, [2, 3]).digest


def test_several_tables_are_told_apart(space: Space, tmp_path: Path) -> None:
    where = tmp_path / "db"
    lk.export(space, "lancedb", where, name="a")
    lk.export(space, "lancedb", where, name="b", rows=[1, 2])
    with pytest.raises(InputError, match="holds 'a', 'b'; pass the name of one"):
        lk.load(f"lancedb:{where}")
    with pytest.raises(InputError, match=r"There is no 'c' in .*; there is 'a', 'b'\."):
        lk.load(f"lancedb:{where}", "c")
    assert len(lk.load(f"lancedb:{where}", "b")) == 2


@pytest.mark.parametrize("target", STORES)
def test_memory_is_bounded_by_parts(target: str, tmp_path: Path, small_parts: None, monkeypatch: pytest.MonkeyPatch) -> None:
    """No call takes more than a part of the vectors out of their file."""
    taken: list[int] = []

    class Watched(np.ndarray):
        def __getitem__(self, key: Any) -> Any:
            found = super().__getitem__(key)
            taken.append(np.shape(found)[0] if np.ndim(found) == 2 else 1)
            return found

    space = lk.Space(np.eye(23, dtype=np.float32))
    space.vectors = space.vectors.view(Watched)
    space.__dict__["key"] = "known"
    lk.export(space, target, tmp_path / "store")
    assert sum(taken) == 23
    assert max(taken) <= 5


def test_what_stands_at_a_place_stays_and_nothing_is_made_by_reading(space: Space, tmp_path: Path) -> None:
    import lancedb

    (tmp_path / "file").write_text("mine")
    with pytest.raises(InputError, match=r"is not a folder|cannot be written"):
        lk.export(space, "lancedb", tmp_path / "file")
    assert (tmp_path / "file").read_text() == "mine"
    theirs = lancedb.connect(tmp_path / "db").create_table("my_photos", [{"a": 1}])
    for resume in (False, True):
        with pytest.raises(InputError, match=r"exists already|holds other images"):
            lk.export(space, "lancedb", tmp_path / "db", resume=resume)
    assert (theirs.version, theirs.to_arrow().to_pylist()) == (1, [{"a": 1}])
    with pytest.raises(InputError, match=r"The table 'my_photos' in .* has no vectors in a column 'vector'; it has a"):
        lk.load(f"lancedb:{tmp_path}/db")
    for target in STORES:
        with pytest.raises(InputError, match="There is no"):
            lk.load(f"{target}:{tmp_path}/nope")
        assert not (tmp_path / "nope").exists()


def test_a_damaged_index_is_answered(space: Space, tmp_path: Path) -> None:
    lk.export(space, "faiss", tmp_path / "a")
    content = (tmp_path / "a" / "index.faiss").read_bytes()
    for name, bad in (("cut", content[:-9]), ("head", b"nope" + content[4:]), ("empty", b"")):
        shutil.copytree(tmp_path / "a", tmp_path / name)
        (tmp_path / name / "index.faiss").write_bytes(bad)
        with pytest.raises(InputError, match="cannot be read"):
            lk.load(f"faiss:{tmp_path}/{name}")
    lk.export(space, "faiss", tmp_path / "b", rows=[1, 2])
    shutil.copy(tmp_path / "b" / "rows.parquet", tmp_path / "a" / "rows.parquet")
    with pytest.raises(InputError, match="has 12 vectors for 2 rows"):
        lk.load(f"faiss:{tmp_path}/a")
    with pytest.raises(InputError, match="holds one index"):
        lk.load(f"faiss:{tmp_path}/b", "mine")


@pytest.mark.parametrize(
    "about", ['{"likeness": {}}', '{"likeness": {"rows": "x"}}', '{"likeness": {"rows": 9, "name": 3}}', '{"likeness": [1]}', "[", ""]
)
def test_what_a_store_says_of_itself_may_be_anything(about: str, space: Space, tmp_path: Path) -> None:
    import pyarrow.parquet as parquet

    lk.export(space, "faiss", tmp_path / "a")
    table = parquet.read_table(tmp_path / "a" / "rows.parquet")
    parquet.write_table(table.replace_schema_metadata({b"likeness": about.encode()}), tmp_path / "a" / "rows.parquet")
    if "rows" in about:
        with pytest.raises(InputError, match="holds no space"):
            lk.load(f"faiss:{tmp_path}/a")
    else:  # as vectors of others
        assert len(lk.load(f"faiss:{tmp_path}/a")) == 12


def test_vectors_of_others_are_read(space: Space, tmp_path: Path) -> None:
    import lancedb

    rows = [{"vector": each, "path": str(path)} for each, path in zip(space.vectors, space.table.paths(), strict=True)]
    lancedb.connect(tmp_path / "db").create_table("theirs", rows)
    found = lk.load(f"lancedb:{tmp_path}/db")
    np.testing.assert_allclose(found.vectors, space.vectors, atol=1e-6)
    assert (found.name, found.table.paths()) == ("db", space.table.paths())


def test_own_columns_and_names_are_refused(space: Space, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="The attribute 'Row' has the name of an added column"):
        lk.export(Space(space.vectors, space.table, {"Row": range(12)}), "lancedb", tmp_path)
    for name in ("", " ", "a\nb", "x" * 64):
        with pytest.raises(InputError, match="is not a valid name of a table"):
            lk.export(space, "lancedb", tmp_path, name=name)


@pytest.mark.parametrize(
    "address", ["nope://ada:secret@127.0.0.1:1/x", "s3://ada:secret@127.0.0.1:notaport/x", "s3://ada:secret@[::1/x", "az://x/y?sig=secret&se=ada"]
)
def test_addresses_are_answered_without_their_passwords(address: str, space: Space) -> None:
    for call in (lambda: lk.export(space, "lancedb", address), lambda: lk.load(f"lancedb:{address}")):
        with pytest.raises(InputError, match=r"LanceDB at .* failed") as caught:
            call()
        assert "secret" not in str(caught.value)
        assert "ada" not in str(caught.value)


def test_a_missing_package_is_named(space: Space, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setitem(sys.modules, "lancedb", None)
    with pytest.raises(InputError, match=r'pip install "likeness\[lance\]"'):
        lk.export(space, "lancedb", tmp_path / "new")


def test_a_store_needs_vectors(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="needs vectors; pass a Space"):
        lk.export(lk.read("cars"), "faiss", tmp_path / "x")
