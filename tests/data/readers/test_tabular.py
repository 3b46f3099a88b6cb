"""CSV and Parquet files that list images."""

from pathlib import Path

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from likeness.data import ImageTable, read_table
from likeness.errors import InputError


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name in ("images/1.png", "images/2.png", "007"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).touch()
    return tmp_path


def read(folder: Path, content: str | bytes, name: str = "labels.csv", **options) -> ImageTable:
    path = folder / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return read_table(path, **options)


def test_columns_become_attributes(folder: Path) -> None:
    table = read(folder, "color,path,yaw,sold\nred,images/1.png,1.5,True\nblue,images/2.png,2.0,False\n")
    assert table.name == "labels"
    assert table.root == folder
    assert table.attributes == ["color", "yaw", "sold"]
    assert table.paths() == [folder / "images" / "1.png", folder / "images" / "2.png"]
    assert list(table.frame["yaw"]) == [1.5, 2.0]
    assert table.frame["sold"].dtype == bool


@pytest.mark.parametrize("column", ["path", "file", "filename", "image", "image_path", "File", " PATH "])
def test_the_column_of_paths_is_found(folder: Path, column: str) -> None:
    table = read(folder, f"label,{column}\n1,images/1.png\n")
    assert list(table.frame["path"]) == ["images/1.png"]
    assert table.attributes == ["label"]


def test_a_named_column_comes_first_then_path_then_the_other_names(folder: Path) -> None:
    table = read(folder, "path,where\nsomething,images/1.png\n", path_column="where")
    assert list(table.frame["path"]) == ["images/1.png"]
    assert list(table.frame["path (attribute)"]) == ["something"]
    assert read(folder, "image,path\na cat,images/1.png\n").attributes == ["image"]
    assert read(folder, ",path\n7,images/1.png\n").attributes == ["Unnamed: 0"]


def test_paths_as_they_are_written(folder: Path, tmp_path_factory: pytest.TempPathFactory) -> None:
    table = read(folder, '\ufeffpath;label\r\n"images/1.png";"a, b"\r\nimages\\2.png;c\r\n007;d\r\nimages/3.png;e\r\n', "a.CSV")
    assert list(table.frame["path"]) == ["images/1.png", "images/2.png", "007", "images/3.png"]  # what is missing stays for embedding to list
    assert list(table.frame["label"]) == ["a, b", "c", "d", "e"]
    elsewhere = tmp_path_factory.mktemp("lists")
    assert read(elsewhere, f"path\tlabel\n{folder}/images/1.png\tx\n", "a.tsv").paths() == [folder / "images" / "1.png"]


def test_parquet(folder: Path) -> None:
    images = ["images/1.png", "images/2.png"]
    frame = pd.DataFrame({"image": images, "label": pd.Categorical(["a", "b"]), "tags": [["x"], ["y", "z"]], "5": [1, 2]}, index=[4, 9])
    frame.to_parquet(folder / "labels.parquet")
    table = read_table(folder / "labels.parquet", name="Mine")
    assert table.name == "Mine"
    assert table.attributes == ["label", "tags", "5"]
    assert list(table.frame["path"]) == ["images/1.png", "images/2.png"]
    assert table.frame["tags"].nunique() == 2  # countable, though lists are not


def test_numbers_as_they_are_in_parquet(folder: Path) -> None:
    columns = {"path": ["images/1.png"] * 3, "upload": [7706992903151817196, 7706992903151817197, None], "tags": [["x", "ü"], [], None]}
    pq.write_table(pa.table(columns), folder / "labels.parquet")
    table = read_table(folder / "labels.parquet")
    assert table.frame["upload"].dropna().tolist() == columns["upload"][:2]
    assert table.frame["tags"].tolist()[:2] == ['["x", "ü"]', "[]"]


PICTURES = [{"bytes": b"\x89PNG" * 1_000, "path": "images/1.png"}, {"bytes": None, "path": "images/2.png"}]


class TestBytes:
    """Columns of bytes in Parquet files, as programs write images or texts into them."""

    def write(self, folder: Path, **columns: object) -> Path:
        pq.write_table(pa.table(columns), folder / "labels.parquet")
        return folder / "labels.parquet"

    def test_beside_a_column_of_paths_they_are_left_out(self, folder: Path) -> None:
        names = ["images/1.png", "images/2.png"]
        raw = [b"\xff" * 2_000, None]
        table = read_table(self.write(folder, image=PICTURES, raw=raw, several=[raw, []], file_name=names, label=[0, 1]))
        assert table.frame["path"].tolist() == names
        assert table.attributes == ["label"]

    @pytest.mark.parametrize(("column", "path_column"), [("image", None), ("jpg", None), ("picture", "picture")])
    def test_without_such_a_column_their_cells_are_the_images(self, folder: Path, column: str, path_column: str | None) -> None:
        table = read_table(self.write(folder, **{column: PICTURES, "label": [0, 1]}), path_column)
        assert table.frame["path"].tolist() == [f"labels.parquet#column={column}&row={row}" for row in (0, 1)]
        assert table.attributes == ["label"]
        with pytest.raises(InputError, match="has no column 'file'"):
            read_table(self.write(folder, raw=[b"\xff" * 2_000], path=["images/1.png"]), "file")

    def test_bytes_that_are_short_texts_are_texts(self, folder: Path) -> None:
        table = read_table(self.write(folder, path=[b"images/1.png", b"images/2.png"], label=["Käfer".encode(), b"\xff\xfe"]))
        assert table.frame["path"].tolist() == ["images/1.png", "images/2.png"]
        assert table.frame["label"].tolist() == ["Käfer", "2 bytes"]


@pytest.mark.parametrize(
    ("content", "name", "column", "message"),
    [
        ("", "labels.csv", None, r"'labels\.csv' is empty; it needs a header"),
        ("path,label\n", "labels.csv", None, r"'labels\.csv' has no rows; add one per image"),
        ("name,label\na,b\n", "labels.csv", None, "no column of image paths among 'name', 'label'; rename it to 'path'"),
        (b"\x00\x01\x02", "labels.csv", None, "no column of image paths|cannot be parsed"),
        ("path,label\nimages/1.png,a\n ,b\n,c\n", "labels.csv", None, r"column 'path' .* 2 entries that are not paths \(rows 2, 3\); fill"),
        ("path\nimages/3.png\nimages/4.png\n", "labels.csv", None, r"None of the 2 images that .* lists exists \(the first are 'images/3\.png', '"),
        ("path,label\na,b\n", "labels.csv", "picture", r"'labels\.csv' has no column 'picture'; its columns are 'path', 'label'"),
        (None, "none.csv", None, r"There is no file '.*none\.csv'"),
        (None, "images", None, "is a folder, not a table"),
        ("", "labels.xlsx", None, r"'labels\.xlsx' is not one of \.csv, \.tsv, \.parquet, \.arrow, \.feather; save the table as"),
        ("no parquet", "labels.parquet", None, r"'labels\.parquet' cannot be parsed"),
    ],
)
def test_what_is_no_table(folder: Path, content: str | bytes | None, name: str, column: str | None, message: str) -> None:
    with pytest.raises(InputError, match=message) as caught:
        read_table(folder / name, column) if content is None else read(folder, content, name, path_column=column)
    assert len(str(caught.value).splitlines()) == 1
