"""Parquet and Arrow files with images inside, as pyarrow, polars and `datasets` write them."""

from pathlib import Path
from typing import Any

import datasets
import polars as pl
import pyarrow as pa
import pyarrow.feather as feather
import pyarrow.parquet as pq
import pytest

import likeness as lk
from likeness.errors import InputError
from numbered_pictures import encoded, numbers, picture, write_pictures

FEATURES = datasets.Features({"image": datasets.Image(), "label": datasets.ClassLabel(names=["cat", "dog"]), "words": [datasets.Value("string")]})


def rows(first: int, count: int) -> datasets.Dataset:
    numbers = range(first, first + count)
    columns = {"image": [picture(number) for number in numbers], "label": [number % 2 for number in numbers], "words": [["a", "b"]] * count}
    return datasets.Dataset.from_dict(columns, features=FEATURES)


@pytest.mark.parametrize("name", ["x.parquet", "x.arrow", "x.feather"])
@pytest.mark.parametrize("kind", ["bytes", "structs"])
def test_images_in_one_file(tmp_path: Path, name: str, kind: str) -> None:
    cells: list[Any] = [encoded(number) if kind == "bytes" else {"bytes": encoded(number), "path": f"{number}.png"} for number in range(5)]
    table = pa.table({"label": list("abcde"), "photo": cells, "other": [b"\xff" * 2000] * 5})
    if name.endswith("parquet"):
        pq.write_table(table, tmp_path / name, row_group_size=2)
    elif name.endswith("feather"):
        feather.write_feather(table, str(tmp_path / name))
    else:
        with pa.ipc.new_stream(str(tmp_path / name), table.schema) as writer:  # as the cache of `datasets`
            writer.write_table(table, 2)
    found = lk.read(tmp_path / name)
    assert numbers(found) == [0, 1, 2, 3, 4]
    assert found.attributes == ["label"]
    assert found.frame["path"][3] == f"{name}#column=photo&row=3"
    assert lk.read(tmp_path / name, path_column="photo").frame.equals(found.frame)
    assert len(lk.embed(found, "cars-small")) == 5


def test_polars_writes_them(tmp_path: Path) -> None:
    pl.DataFrame({"image": [encoded(0), encoded(1)], "label": ["a", "b"]}).write_parquet(tmp_path / "x.parquet")
    found = lk.read(tmp_path / "x.parquet")
    assert (numbers(found), found.frame["label"].tolist()) == ([0, 1], ["a", "b"])
    pl.DataFrame({"image": [encoded(0), encoded(1)], "label": ["a", "b"]}).write_ipc(tmp_path / "y.arrow")
    assert numbers(lk.read(tmp_path / "y.arrow")) == [0, 1]


def test_paths_beside_them_count_if_they_are_there(tmp_path: Path) -> None:
    folder = write_pictures(tmp_path, "7.png", "8.png")
    file = tmp_path / "x.parquet"
    for names, expected in ((["7.png", "8.png"], ["7.png", "8.png"]), (["x.png", "y.png"], [f"x.parquet#column=image&row={row}" for row in (0, 1)])):
        pq.write_table(pa.table({"image": [encoded(1), encoded(0)], "file_name": names}), file)
        assert lk.read(file).frame["path"].tolist() == expected
    structs = [{"bytes": None, "path": "8.png"}, {"bytes": encoded(3), "path": None}]
    pq.write_table(pa.table({"image": structs}), file)
    assert numbers(lk.read(file)) == [1, 3]
    assert folder == tmp_path


def test_labels_of_datasets_are_names(tmp_path: Path) -> None:
    rows(0, 3).to_parquet(tmp_path / "x.parquet")
    found = lk.read(tmp_path / "x.parquet")
    assert (numbers(found), found.frame["label"].tolist()) == ([0, 1, 2], ["cat", "dog", "cat"])
    assert found.frame["words"].tolist() == ['["a", "b"]'] * 3


def test_a_folder_as_the_hub_has_it(tmp_path: Path) -> None:
    (tmp_path / "hub" / "data").mkdir(parents=True)
    for name, first in (("train-00000-of-00002", 0), ("train-00001-of-00002", 2), ("test-00000-of-00001", 4)):
        rows(first, 2).to_parquet(tmp_path / "hub" / "data" / f"{name}.parquet")
    found = lk.read(tmp_path / "hub")
    assert numbers(found) == [4, 5, 0, 1, 2, 3]
    assert found.frame["split"].tolist() == ["test"] * 2 + ["train"] * 4
    assert found.frame["label"].tolist() == ["cat", "dog"] * 3
    assert not found.notes


def test_what_datasets_saved(tmp_path: Path) -> None:
    rows(0, 5).save_to_disk(tmp_path / "one", num_shards=2)
    datasets.load_from_disk(tmp_path / "one").map(lambda row: {"more": 1})  # which leaves a file in the folder
    assert numbers(lk.read(tmp_path / "one")) == [0, 1, 2, 3, 4]
    both = datasets.DatasetDict(train=rows(0, 3), test=rows(3, 2).select([1, 0]))
    both.save_to_disk(tmp_path / "both")
    found = lk.read(tmp_path / "both")
    assert (numbers(found), found.frame["split"].tolist()) == ([4, 3, 0, 1, 2], ["test"] * 2 + ["train"] * 3)
    assert found.frame["label"].tolist() == ["cat", "dog", "cat", "dog", "cat"]


def test_sound_is_no_image(tmp_path: Path) -> None:
    pq.write_table(pa.table({"audio": [{"bytes": b"RIFX" * 500, "path": "a.wav"}], "label": ["x"]}), tmp_path / "x.parquet")
    with pytest.raises(InputError, match=r"'x\.parquet' has no column of image paths among 'label'"):
        lk.read(tmp_path / "x.parquet")


@pytest.mark.parametrize("name", ["x.parquet", "x.arrow"])
def test_damaged_files(tmp_path: Path, name: str) -> None:
    (tmp_path / name).write_bytes(b"ARROW1\0\0 and no more")
    with pytest.raises(InputError, match=rf"The table '{name}' cannot be parsed"):
        lk.read(tmp_path / name)
