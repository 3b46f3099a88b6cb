"""Vector stores: what is written into Qdrant, pgvector, LanceDB and faiss is found and read back there, and an interrupted export goes on."""

import json
import shutil
import warnings
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pandas as pd
import psycopg
import pytest

import likeness as lk
from likeness.errors import InputError
from likeness.exports import TARGETS, import_space
from likeness.exports.material import Material
from likeness.space import Space

PGVECTOR = pytest.param("pgvector", marks=pytest.mark.long)  # for a server of its own
STORES = ("qdrant", PGVECTOR, "lancedb", "faiss")
RESUMED = ("qdrant", PGVECTOR, "lancedb")


@pytest.fixture(scope="session")
def postgres(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of a PostgreSQL with pgvector in a folder, for these tests alone."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # on a variable that is not set
        pgserver = pytest.importorskip("pgserver")  # has no wheels from Python 3.13 on

    folder = Path(tmp_path_factory.mktemp("pg"))
    for each in (folder, *folder.parents[:3]):
        each.chmod(0o755)  # as root, the server runs as a user of its own
    server = pgserver.get_server(folder / "data", cleanup_mode="stop")
    yield server.get_uri()
    server.cleanup()


@pytest.fixture
def place(request: pytest.FixtureRequest, tmp_path: Path) -> Any:
    """A fresh place of a target."""

    def of(target: str) -> str:
        if target != "pgvector":
            return str(tmp_path / f"{target}-store")
        address = str(request.getfixturevalue("postgres"))
        with psycopg.connect(address, autocommit=True) as connection:
            connection.execute("DROP SCHEMA public CASCADE")
            connection.execute("CREATE SCHEMA public")
        return address

    return of


@pytest.fixture
def small_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("likeness.exports.material.MOST_PART_ROWS", 5)
    monkeypatch.setattr("likeness.exports.qdrant.MOST_PART_ROWS", 5)


@pytest.mark.parametrize("target", STORES)
def test_a_space_comes_back_whole(target: str, space: Space, place: Any, small_parts: None) -> None:
    where = place(target)
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
def test_some_rows_vectors_without_images_and_zero_rows_of_a_notions_space_come_back(target: str, space: Space, place: Any) -> None:
    drop = SimpleNamespace(fit=lambda text: None, transform=lambda images: np.asarray(images)[:, :2])
    seen = lk.Space(np.array([[1.0, 2, 0], [0, 0, 1], [2, 1, 1]])).project(drop, "two of three")
    plain, bare = lk.Space(np.eye(3) + 0.1, labels=[1, 2, 3]), lk.Space(np.eye(3) + 0.1)
    for number, (source, rows) in enumerate(((space, [8, 1, 5]), (plain, None), (bare, None), (seen, None))):
        where = place(target) + (str(number) if target != "pgvector" else "")
        lk.export(source, target, where, rows=rows, columns=["count"] if rows else None)
        vectors = source.vectors if rows is None else source.vectors[rows]
        np.testing.assert_allclose(TARGETS[target].read(where, None).vectors, vectors, atol=1e-6)  # type: ignore[misc]
        if source is not seen:
            table = import_space(target, where).table
            assert table.has_images == (source is space)
            assert table.frame[table.attributes].to_dict("list") == ({"count": rows} if rows else {} if source is bare else {"label": [1, 2, 3]})


def _nearest(space: Space, row: int, k: int) -> list[int]:
    return np.argsort(-(space.vectors @ space.vectors[row]), kind="stable")[:k].tolist()


def test_qdrant_itself_finds_what_is_nearest_under_a_filter(space: Space, place: Any) -> None:
    from qdrant_client import QdrantClient, models

    where = place("qdrant")
    lk.export(space, "qdrant", where, name="Mine")
    client = QdrantClient(path=where)
    try:
        found = client.query_points("Mine", query=space.vectors[3].tolist(), limit=4, with_payload=True).points
        assert [point.id for point in found] == _nearest(space, 3, 4)
        assert found[0].payload is not None
        assert found[0].payload["path"] == "one/3.png"
        assert found[0].score == pytest.approx(1, abs=1e-5)
        pugs = models.Filter(must=[models.FieldCondition(key="breed", match=models.MatchValue(value="pug"))])
        assert {point.id for point in client.query_points("Mine", query=space.vectors[3].tolist(), query_filter=pugs, limit=9).points} == {5, 7}
    finally:
        client.close()


@pytest.mark.long
def test_pgvector_itself_finds_what_is_nearest(space: Space, place: Any) -> None:
    where = place("pgvector")
    lk.export(space, "pgvector", where)
    text = json.dumps(space.vectors[3].tolist())
    with psycopg.connect(where) as connection:
        rows = connection.execute("SELECT row, path, weight FROM my_photos ORDER BY vector <=> %s::vector LIMIT 4", (text,)).fetchall()
        assert [row for row, _, _ in rows] == _nearest(space, 3, 4)
        assert rows[0][1:] == ("one/3.png", 1.0)
        assert connection.execute("SELECT count(*) FROM my_photos WHERE good AND breed = '..'").fetchone() == (1,)


def test_lancedb_itself_finds_what_is_nearest(space: Space, place: Any) -> None:
    import lancedb

    where = place("lancedb")
    lk.export(space, "lancedb", where, name="mine")
    table = lancedb.connect(where).open_table("mine")
    found = table.search(space.vectors[3]).distance_type("cosine").limit(4).to_arrow()
    assert found["row"].to_pylist() == _nearest(space, 3, 4)
    assert table.search(space.vectors[3]).where("breed = 'pug'").to_arrow()["row"].to_pylist() in ([5, 7], [7, 5])


def test_faiss_itself_finds_what_is_nearest(space: Space, place: Any) -> None:
    import faiss

    where = place("faiss")
    lk.export(space, "faiss", where)
    similarities, rows = faiss.read_index(f"{where}/index.faiss").search(space.vectors[[3]], 4)
    assert rows[0].tolist() == _nearest(space, 3, 4)
    np.testing.assert_allclose(similarities[0], np.sort(space.vectors @ space.vectors[3])[::-1][:4], atol=1e-6)
    assert pd.read_parquet(f"{where}/rows.parquet")["path"].tolist() == space.table.frame["path"].tolist()


def test_smaller_vectors_go_to_faiss(space: Space, place: Any, small_parts: None) -> None:
    import faiss

    lk.export(space, "faiss", place("int8"), precision="int8")
    index = faiss.read_index(f"{place('int8')}/index.faiss")
    assert (index.ntotal, index.code_size) == (12, 5)
    similarities, rows = index.search(space.vectors[[3]], 4)
    assert rows[0].tolist() == _nearest(space, 3, 4)
    np.testing.assert_allclose(similarities[0], np.sort(space.vectors @ space.vectors[3])[::-1][:4], atol=0.02)
    np.testing.assert_allclose(lk.load(f"faiss:{place('int8')}").vectors, space.vectors, atol=0.01)  # type: ignore[union-attr]
    lk.export(space, "faiss", place("binary"), precision="binary")
    signs = faiss.read_index_binary(f"{place('binary')}/signs.faiss")
    differing, rows = signs.search(np.packbits(space.vectors[[3]] > 0, axis=1), 12)
    np.testing.assert_array_equal(differing[0], ((space.vectors > 0) != (space.vectors[3] > 0)).sum(axis=1)[rows[0]])
    with pytest.raises(InputError, match=r"There is no index in .*; pass a folder with index.faiss"):
        lk.load(f"faiss:{place('binary')}")
    with pytest.raises(InputError, match="There is no precision 'int4'; choose from float32, int8, binary"):
        lk.export(space, "faiss", place("other"), precision="int4")
    with pytest.raises(InputError, match="The target 'qdrant' has no option 'precision'"):
        lk.export(space, "qdrant", place("other"), precision="int8")


class Stopped(BaseException):
    """As Ctrl-C is."""


@pytest.mark.parametrize("target", RESUMED)
def test_an_interrupted_export_goes_on(target: str, space: Space, place: Any, small_parts: None) -> None:
    where = place(target)

    def stop(done: int, total: int, stage: str = "") -> None:
        if done >= 5:
            raise Stopped

    with pytest.raises(Stopped):
        lk.export(space, target, where, name="mine", progress=stop)
    with pytest.raises(InputError, match="5 of 12 rows, because the export was interrupted; finish it with resume"):
        import_space(target, where)
    with pytest.raises(InputError, match=r"'mine' exists already in .*; choose another name, or resume"):
        lk.export(space, target, where, name="mine")
    with pytest.raises(InputError, match=r"'mine' in .* holds other images, attributes or vectors"):
        lk.export(space, target, where, name="mine", resume=True, rows=range(11))
    done: list[int] = []
    written = lk.export(space, target, where, name="mine", resume=True, progress=lambda n, total, stage="": done.append(n))
    assert written.note == ("" if target == "qdrant" else "5 of them existed already.")
    assert done[0] == (0 if target == "qdrant" else 5)
    np.testing.assert_allclose(import_space(target, where).vectors, space.vectors, atol=1e-6)
    assert lk.export(space, target, where, name="mine", resume=True).note == "12 of them existed already."


def test_of_vectors_alone_the_rows_tell_which_export_goes_on() -> None:
    space = lk.Space(np.eye(4, dtype=np.float32))
    assert Material(space, [0, 1]).digest != Material(space, [2, 3]).digest


@pytest.mark.parametrize("target", RESUMED)
def test_several_collections_are_told_apart(target: str, space: Space, place: Any) -> None:
    where = place(target)
    lk.export(space, target, where, name="a")
    lk.export(space, target, where, name="b", rows=[1, 2])
    with pytest.raises(InputError, match="holds 'a', 'b'; pass the name of one"):
        lk.load(f"{target}:{where}")
    with pytest.raises(InputError, match=r"There is no 'c' in .*; there is 'a', 'b'\."):
        lk.load(f"{target}:{where}", "c")
    assert len(lk.load(f"{target}:{where}", "b")) == 2  # type: ignore[arg-type]


@pytest.mark.parametrize("target", STORES)
def test_memory_is_bounded_by_parts(target: str, place: Any, small_parts: None, monkeypatch: pytest.MonkeyPatch) -> None:
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
    lk.export(space, target, place(target))
    assert sum(taken) == 23
    assert max(taken) <= 5


def test_what_stands_in_a_folder_stays_and_nothing_is_made_by_reading(space: Space, tmp_path: Path) -> None:
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "file").write_text("mine")
    for place, message in ((tmp_path / "mine", "exists already"), (tmp_path / "mine" / "file", "is not a folder|cannot be written")):
        with pytest.raises(InputError, match=message):
            lk.export(space, "qdrant", place)
    assert [each.name for each in (tmp_path / "mine").iterdir()] == ["file"]
    for target in ("qdrant", "lancedb", "faiss"):
        with pytest.raises(InputError, match="There is no"):
            import_space(target, str(tmp_path / "nope"))
        assert not (tmp_path / "nope").exists()


def test_a_damaged_index_is_answered(space: Space, tmp_path: Path) -> None:
    lk.export(space, "faiss", tmp_path / "a")
    content = (tmp_path / "a" / "index.faiss").read_bytes()
    for name, bad in (("cut", content[:-9]), ("head", b"nope" + content[4:]), ("empty", b"")):
        shutil.copytree(tmp_path / "a", tmp_path / name)
        (tmp_path / name / "index.faiss").write_bytes(bad)
        with pytest.raises(InputError, match="cannot be read"):
            import_space("faiss", str(tmp_path / name))
    lk.export(space, "faiss", tmp_path / "b", rows=[1, 2])
    shutil.copy(tmp_path / "b" / "rows.parquet", tmp_path / "a" / "rows.parquet")
    with pytest.raises(InputError, match="has 12 vectors for 2 rows"):
        import_space("faiss", str(tmp_path / "a"))
    with pytest.raises(InputError, match="holds one index"):
        import_space("faiss", str(tmp_path / "b"), "mine")


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
            import_space("faiss", str(tmp_path / "a"))
    else:  # as vectors of others
        assert len(import_space("faiss", str(tmp_path / "a"))) == 12


@pytest.mark.long
def test_vectors_of_others_are_read(space: Space, place: Any) -> None:
    import lancedb
    from qdrant_client import QdrantClient, models

    vectors, paths = space.vectors, [str(path) for path in space.table.paths()]
    where = place("qdrant")
    client = QdrantClient(path=where)
    client.create_collection("theirs", vectors_config=models.VectorParams(size=5, distance=models.Distance.DOT))
    points = [
        models.PointStruct(id=f"00000000-0000-0000-0000-{row:012}", vector=each.tolist(), payload={"path": paths[row]})
        for row, each in enumerate(vectors)
    ]
    client.upsert("theirs", points)
    client.close()
    lancedb.connect(place("lancedb")).create_table("theirs", [{"vector": each, "path": paths[row]} for row, each in enumerate(vectors)])
    database = place("pgvector")
    with psycopg.connect(database, autocommit=True) as connection:
        connection.execute("CREATE EXTENSION IF NOT EXISTS vector")
        connection.execute("CREATE TABLE theirs (embedding vector(5), path text)")
        connection.cursor().executemany(
            "INSERT INTO theirs VALUES (%s, %s)", [(json.dumps(each.tolist()), paths[row]) for row, each in enumerate(vectors)]
        )
    for target, address in (("qdrant", where), ("lancedb", place("lancedb")), ("pgvector", database)):
        found = import_space(target, address)
        np.testing.assert_allclose(found.vectors, vectors, atol=1e-6)
        assert found.table.paths() == space.table.paths()


@pytest.mark.parametrize("target", RESUMED)
def test_own_columns_and_names_are_refused(target: str, space: Space, place: Any) -> None:
    where = place(target)
    if target != "qdrant":
        with pytest.raises(InputError, match="The attribute 'Row' has the name of an added column"):
            lk.export(Space(space.vectors, space.table, {"Row": range(12)}), target, where)
    for name in ("", " ", "a\nb", "x" * 64):
        with pytest.raises(InputError, match="is not a valid name of a collection or table"):
            lk.export(space, target, where, name=name)


@pytest.mark.long
def test_a_table_of_others_is_not_touched(space: Space, place: Any) -> None:
    where = place("pgvector")
    with psycopg.connect(where, autocommit=True) as connection:
        connection.execute("CREATE TABLE my_photos (a int)")
        for resume in (False, True):
            with pytest.raises(InputError, match=r"already|holds other images"):
                lk.export(space, "pgvector", where, resume=resume)
        assert connection.execute("SELECT count(*) FROM my_photos").fetchone() == (0,)


@pytest.mark.long
def test_odd_names_and_texts_pass_through_pgvector(space: Space, place: Any) -> None:
    where, odd = place("pgvector"), 'a "b"; DROP TABLE x; --%s\\'
    labels = {odd: ["\\N", "", "tab\there", "new\nline", "%s", "'", '"', "\\", "é😀", "NULL", "{", "\\."]}
    lk.export(Space(space.vectors, space.table, labels), "pgvector", where, name=odd, columns=[odd])
    assert import_space("pgvector", where).table.frame[odd].tolist() == labels[odd]
    with pytest.raises(InputError, match="NUL character"):
        lk.export(Space(space.vectors, space.table, {"x": ["a\0b"] * 12}), "pgvector", where, name="z")
    with pytest.raises(InputError, match="is not a valid PostgreSQL column name"):
        lk.export(Space(space.vectors, space.table, {"x" * 64: [1] * 12}), "pgvector", where, name="z")


@pytest.mark.parametrize(
    ("target", "address"),
    [
        ("pgvector", "postgresql://ada:secret@127.0.0.1:1/photos"),
        ("pgvector", "postgresql://ada:secret@127.0.0.1:notaport/photos"),
        ("pgvector", "postgresql://ada:secret@[::1/photos"),
        ("pgvector", "postgresql://127.0.0.1:1/photos?password=secret"),
        ("pgvector", "postgresql://127.0.0.1:1/photos?nope=secret"),
        ("pgvector", "host=127.0.0.1 password=secret"),
        ("pgvector", "mysql://ada:secret@127.0.0.1:1/photos"),
        ("pgvector", "folder"),
        ("qdrant", "http://ada:secret@127.0.0.1:1"),
        ("qdrant", "http://127.0.0.1:1/?api_key=secret"),
        ("lancedb", "nope://ada:secret@127.0.0.1:1/x"),
    ],
)
def test_addresses_are_answered_without_their_passwords(target: str, address: str, space: Space) -> None:
    for call in (lambda: lk.export(space, target, address), lambda: import_space(target, address)):
        with pytest.raises(InputError) as caught:
            call()
        assert "secret" not in str(caught.value)
        assert "ada" not in str(caught.value)


@pytest.mark.parametrize(
    ("target", "module", "extra"), [("qdrant", "qdrant_client", "qdrant"), ("pgvector", "psycopg", "pgvector"), ("lancedb", "lancedb", "lance")]
)
def test_a_client_that_is_missing_is_named(
    target: str, module: str, extra: str, space: Space, place: Any, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    where = "postgresql://127.0.0.1:1/x" if target == "pgvector" else str(tmp_path / "new")
    monkeypatch.setitem(__import__("sys").modules, module, None)
    with pytest.raises(InputError, match=rf'pip install "likeness\[{extra}\]"'):
        lk.export(space, target, where)


def test_only_stores_are_read(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="The target 'csv' cannot be imported; spaces are read from qdrant, pgvector, lancedb, faiss"):
        import_space("csv", str(tmp_path))
    with pytest.raises(InputError, match="needs vectors; pass a Space"):
        lk.export(lk.read("cars"), "faiss", tmp_path / "x")
