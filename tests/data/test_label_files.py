from pathlib import Path

import pandas as pd
import pytest

from likeness.data import ImageTable, add_label_files, keep_listed
from likeness.errors import InputError


@pytest.fixture
def table(tmp_path: Path) -> ImageTable:
    return ImageTable("photos", tmp_path, pd.DataFrame({"path": ["a.jpg", "b,c.jpg", "d.jpg"], "dog": ["black", "white", "black"]}))


def _file(folder: Path, name: str, content: str) -> Path:
    file = folder / f"{name}.csv"
    file.write_text(content, encoding="utf-8")
    return file


def test_each_file_is_an_attribute_of_its_name(table: ImageTable, tmp_path: Path) -> None:
    setting = _file(tmp_path, "setting", 'path,label\n"b,c.jpg",beach\na.jpg,NA\ngone.jpg,snow\n')
    found = add_label_files(table, [setting, str(_file(tmp_path, "year", "label,path\n2020,d.jpg\n"))])
    assert found.attributes == ["dog", "setting", "year"]
    assert found.frame["setting"].tolist()[:2] == ["NA", "beach"]
    assert found.frame["setting"].isna().tolist() == [False, False, True]
    assert found.frame["year"].tolist()[2] == "2020"
    assert table.attributes == ["dog"]
    # what the table has stays, and what fits no image adds nothing
    files = [_file(tmp_path, "dog", "path,label\na.jpg,red\n"), _file(tmp_path, "other", "path,label\nx.jpg,red\n")]
    assert add_label_files(table, files).frame.equals(table.frame)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("name,label\na.jpg,red\n", "has the columns name, label; give one with path and label"),
        ("path,label\na.jpg,red\na.jpg,blue\n", "names 'a.jpg' twice"),
        ("", "'setting.csv' is empty"),
    ],
)
def test_other_files_are_named(table: ImageTable, tmp_path: Path, content: str, message: str) -> None:
    with pytest.raises(InputError, match=message):
        add_label_files(table, [_file(tmp_path, "setting", content)])


def test_a_file_that_is_gone_and_rows_without_images_are_named(table: ImageTable, tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"setting.csv' cannot be read \(no such file"):
        add_label_files(table, [tmp_path / "setting.csv"])
    rows = ImageTable("rows", tmp_path, pd.DataFrame({"dog": ["black"]}), has_images=False)
    with pytest.raises(InputError, match="have no images"):
        add_label_files(rows, [_file(tmp_path, "setting", "path,label\na.jpg,x\n")])


def test_images_are_kept_in_the_order_of_the_table_and_a_path_stands_for_one_also_where_others_have_its_name(tmp_path: Path) -> None:
    table = ImageTable("photos", tmp_path, pd.DataFrame({"path": ["0.png", "a/2.png", "b/0.png", "b/1.png", "c/1.png"]}, index=[5, 6, 7, 8, 9]))
    file = tmp_path / "some.txt"
    for text, paths in (("1.png\n\n0.png \n", ["0.png", "b/1.png", "c/1.png"]), ("b/0.png", ["b/0.png"])):
        file.write_text(text)
        kept = keep_listed(table, file)
        assert (kept.frame["path"].tolist(), list(kept.frame.index), kept.name) == (paths, list(range(len(paths))), "photos")
    file.write_text("2.png\n")
    assert keep_listed(table, file).frame["path"].tolist() == ["a/2.png"]
    for text, message in (
        ("0.png\n9.png\n8.png\n", r"'photos' lacks 2 of the 3 images listed in '.*some\.txt', first '8\.png'; remove them from the list"),
        ("\n", "lists no images; write one path or file name per line"),
    ):
        file.write_text(text)
        with pytest.raises(InputError, match=message):
            keep_listed(table, file)
