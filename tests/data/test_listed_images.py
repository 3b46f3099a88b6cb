from pathlib import Path

import pandas as pd
import pytest

from likeness.data import ImageTable, keep_listed, write_listed
from likeness.errors import InputError

TABLE = ImageTable("photos", Path("photos"), pd.DataFrame({"path": ["a/1.jpg", "a/2.jpg", "b/3.jpg"], "dog": ["x", "y", "z"]}))


def test_paths_and_names_in_the_order_of_the_table(tmp_path: Path) -> None:
    file = tmp_path / "some.txt"
    file.write_text("3.jpg\n\na/1.jpg \n")
    kept = keep_listed(TABLE, file)
    assert list(kept.frame["dog"]) == ["x", "z"]
    assert list(kept.frame.index) == [0, 1]
    assert kept.name == "photos"


def test_what_was_written_is_read(tmp_path: Path) -> None:
    write_listed(tmp_path / "some.txt", [Path("/elsewhere/2.jpg")])
    assert list(keep_listed(TABLE, tmp_path / "some.txt").frame["dog"]) == ["y"]


def test_what_is_not_there(tmp_path: Path) -> None:
    file = tmp_path / "some.txt"
    file.write_text("3.jpg\n9.jpg\n8.jpg\n")
    with pytest.raises(InputError, match=r"'photos' lacks 2 of the 3 images that '.*some\.txt' lists, first '8\.jpg'; name others"):
        keep_listed(TABLE, file)
    file.write_text("\n")
    with pytest.raises(InputError, match="lists no images; write one path or file name a line"):
        keep_listed(TABLE, file)


def test_a_path_stands_for_one_image_also_where_others_have_its_name(tmp_path: Path) -> None:
    table = ImageTable("x", tmp_path, pd.DataFrame({"path": ["0.png", "b/0.png", "b/1.png", "c/1.png"]}))
    (tmp_path / "some.txt").write_text("0.png\n1.png\n")
    assert keep_listed(table, tmp_path / "some.txt").frame["path"].tolist() == ["0.png", "b/1.png", "c/1.png"]
