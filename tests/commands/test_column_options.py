"""Every command that reads images can be told which column of a table holds the paths, and which the captions."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import typer
from PIL import Image

import likeness as lk
from likeness.commands.cli import command_line
from likeness.data import TableColumns, named_columns, read_captions
from likeness.errors import InputError
from likeness.training.config import DataConfig
from likeness.training.data.run_images import run_table
from worlds import Run

IMAGES = {"source", "sources", "images", "old"}


def _commands(group: Any, before: str = "") -> Iterator[tuple[str, Any]]:
    for name, command in group.commands.items():
        if hasattr(command, "commands"):
            yield from _commands(command, f"{before}{name} ")
        else:
            yield f"{before}{name}", command


COMMANDS = dict(_commands(typer.main.get_command(command_line())))
READS_IMAGES = [
    name for name, command in COMMANDS.items() if any(param.name in IMAGES and param.param_type_name == "argument" for param in command.params)
]


@pytest.fixture
def listed(tmp_path: Path) -> Path:
    """A table whose column "path" names masks, and "where" the images."""
    rows = ["path,where,says,all\n"]
    for row in range(4):
        Image.new("RGB", (32, 32), (60 * row, 20, 200)).save(tmp_path / f"{row}.png")
        Image.new("L", (32, 32), 255).save(tmp_path / f"mask{row}.png")
        both = json.dumps([f"car {row}", "a car"]).replace('"', '""')
        rows.append(f'mask{row}.png,{row}.png,car {row},"{both}"\n')
    (tmp_path / "listed.csv").write_text("".join(rows))
    return tmp_path / "listed.csv"


@pytest.mark.parametrize("name", READS_IMAGES)
def test_both_columns_can_be_named(name: str) -> None:
    flags = {flag for param in COMMANDS[name].params for flag in param.opts}
    assert {"--path-column", "--caption-column"} <= flags


def test_the_column_is_the_one_that_is_read(run: Run, listed: Path) -> None:
    status, _, error = run("tags", "set", str(listed), "good", "--path", "1.png", "--who", "ada")
    assert (status, "has no such image" in error) == (2, True)
    status, out, error = run("tags", "set", str(listed), "good", "--path", "1.png", "--who", "ada", "--path-column", "where")
    assert (status, out.splitlines()[0]) == (0, "add 'good': 1 images"), error


def test_reading_takes_both_columns_and_one_of_that_name_makes_room(listed: Path) -> None:
    table = lk.read(listed, path_column="where", caption_column="says")
    assert table.frame["path"].tolist() == [f"{row}.png" for row in range(4)]
    assert read_captions(table) == [[f"car {row}"] for row in range(4)]
    assert table.attributes == ["path (attribute)", "caption", "all"]
    several = lk.read(listed, caption_column="all")
    assert read_captions(several)[1] == ["car 1", "a car"]
    assert several.attributes == ["where", "says", "captions"]
    run_reads = run_table(DataConfig(source=str(listed), path_column="where", caption_column="says"))
    assert (run_reads.frame["path"][0], read_captions(run_reads)[0]) == ("0.png", ["car 0"])
    listed.write_text("path,caption,captions,says\n0.png,old,older,new\n")
    table = lk.read(listed, caption_column="says")
    assert read_captions(table) == [["new"]]
    assert table.attributes == ["caption (attribute)", "captions (attribute)", "caption"]


def test_named_columns_end_with_what_they_are_named_for(listed: Path) -> None:
    with named_columns(TableColumns("where", None)):
        assert lk.read(listed).frame["path"][0] == "0.png"
        assert lk.read(listed, path_column="path").frame["path"][0] == "mask0.png"
    assert lk.read(listed).frame["path"][0] == "mask0.png"
    with pytest.raises(InputError, match="is not a CSV, Parquet or ZIP file"):
        lk.read("cars", path_column="where")
