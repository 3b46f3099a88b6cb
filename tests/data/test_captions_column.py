"""Captions in a table's column: there and back over a CSV file, rows that are gathered, errors."""

import re
from pathlib import Path

import pandas as pd
import pytest
from PIL import Image

from likeness.data import ImageTable, read_table
from likeness.data.captions_column import captions_cell, read_captions
from likeness.errors import InputError

SENTENCES = [["A red car.", 'He said "go", twice'], ["Ein Café; zwei Stühle"]]


def table(folder: Path, **columns: list[object]) -> ImageTable:
    return ImageTable("Cars", folder, pd.DataFrame({"path": [f"{i}.png" for i in range(len(next(iter(columns.values()))))], **columns}))


def test_over_a_csv_file(tmp_path: Path) -> None:
    for name in ("0.png", "1.png"):
        Image.new("RGB", (4, 4)).save(tmp_path / name)
    plain = table(tmp_path, captions=[captions_cell(each) for each in SENTENCES])
    assert read_captions(plain) == SENTENCES
    plain.frame.to_csv(tmp_path / "cars.csv", index=False)
    assert read_captions(read_table(tmp_path / "cars.csv")) == SENTENCES
    assert read_captions(table(tmp_path, caption=[" a car ", "a bus"])) == [["a car"], ["a bus"]]


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        ({"color": ["red"]}, "'Cars' has no captions, only the columns color; add a column 'captions'"),
        ({"captions": ["a red car"]}, "The captions of '0.png' in 'Cars' are 'a red car', expected a JSON list"),
        ({"captions": ['["a"]', '{"a": 1}']}, "The captions of '1.png' in 'Cars' are"),
        ({"captions": ["[1]"]}, "expected a JSON list of sentences"),
        ({"captions": [float("nan")]}, "are 'nan', expected a JSON list"),
        ({"captions": ['["a"]', '[" "]']}, "The image '1.png' of 'Cars' has no caption"),
        ({"caption": ["a", None]}, "The image '1.png' of 'Cars' has no caption"),
    ],
)
def test_wrong_columns_are_told(tmp_path: Path, columns: dict[str, list[object]], message: str) -> None:
    with pytest.raises(InputError, match=re.escape(message)):
        read_captions(table(tmp_path, **columns))
