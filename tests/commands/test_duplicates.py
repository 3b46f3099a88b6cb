"""`likeness duplicates` as a person meets it."""

import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from PIL import Image

from experiments.renders.cars import render_scenes, sample_scenes
from likeness.commands.duplicates import _write
from likeness.data import ImageTable, keep_listed, read_dataset


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Twelve rendered cars in two folders; one is there as a file twice, one in half its size, one is no image."""
    for part, numbers in (("train", range(8)), ("test", range(8, 12))):
        (tmp_path / "cars" / part).mkdir(parents=True)
        for number in numbers:
            Image.fromarray(render_scenes(sample_scenes(1, seed=number))[0]).save(tmp_path / "cars" / part / f"{number}.png")
    shutil.copy(tmp_path / "cars/train/2.png", tmp_path / "cars/train/copy.png")
    image = Image.open(tmp_path / "cars/train/5.png")
    image.resize((image.width // 2, image.height // 2)).save(tmp_path / "cars/test/small.png")
    (tmp_path / "cars/test/broken.png").write_text("no picture")
    return tmp_path / "cars"


def test_groups_and_lists_are_written(ok: Any, folder: Path, tmp_path: Path) -> None:
    out, keep, drop = (tmp_path / name for name in ("groups.csv", "keep.txt", "drop.txt"))
    printed, err = ok("duplicates", folder, "-e", "cars", "-t", "0.95", "--out", out, "--keep-list", keep, "--drop-list", drop)
    assert "2 groups from a similarity of 0.9500 on, 4 of 14 images; 2 may go. Exact: every pair" in err
    found = pd.read_csv(out)
    groups = [set(paths) for _, paths in found.groupby("group")["path"]]
    assert sorted(groups, key=min) == [{"train/5.png", "test/small.png"}, {"train/2.png", "train/copy.png"}]
    assert "small.png" in printed
    assert set(drop.read_text().split()) == {"train/copy.png", "test/small.png"}
    _, err = ok("duplicates", folder, "-e", "cars", "-t", "0.95", "--only", keep)
    assert "0 groups" in err
    assert len(keep_listed(read_dataset(folder), keep)) == 12


def test_of_an_image_that_goes_no_row_stays(tmp_path: Path) -> None:
    table = ImageTable("pets", tmp_path, pd.DataFrame({"path": ["a.png", "b.png", "a.png"], "label": ["cat", "cat", "dog"]}))
    _write(table, table.frame, np.array([0]), (None, tmp_path / "keep.txt", None))
    assert (tmp_path / "keep.txt").read_text().split() == ["b.png"]


def test_a_threshold_is_suggested_and_equal_files_are_found_without_an_encoder(ok: Any, folder: Path) -> None:
    printed, err = ok("duplicates", folder, "-e", "cars", "--format", "csv")
    assert "altered copies (saved again, halved, cropped, brightened)" in err
    assert "copy.png" in printed
    printed, err = ok("duplicates", folder, "--exact", "--format", "csv")
    assert [line.split(",")[-1] for line in printed.splitlines()[1:]] == ["train/2.png", "train/copy.png"]
    assert "1 groups of equal files, 2 of 15 images; 1 may go" in err
    (folder / "test" / "empty.png").touch()
    assert "'test/empty.png' cannot be read: the file is empty" in ok("duplicates", folder, "--exact")[1]


def test_copies_across_two_sources_and_the_values_of_an_attribute(ok: Any, folder: Path, tmp_path: Path) -> None:
    keep = tmp_path / "keep.txt"
    printed, err = ok(*f"duplicates {folder / 'test'} --between {folder / 'train'} -e cars -t 0.95 --format csv --keep-list {keep}".split())
    assert [line.split(",")[-2:] for line in printed.splitlines()[1:]] == [["small.png", "5.png"]]
    assert "1 of 5 images have copies" in err
    assert "small.png" not in keep.read_text()
    attribute = read_dataset(folder).attributes[0]
    printed, err = ok("duplicates", folder, "--between", attribute, "-e", "cars", "-t", "0.95", "--format", "csv")
    assert {tuple(line.split(",")[-3:-1]) for line in printed.splitlines()[1:]} == {
        ("test/small.png", "train/5.png"),
        ("train/5.png", "test/small.png"),
    }
    assert "2 of 14 images have copies from a similarity of 0.9500 on under another" in err
    assert "; 1 may go" in err


def test_a_notion_says_what_is_the_same(ok: Any, tmp_path: Path) -> None:
    out = tmp_path / "groups.csv"
    ok("duplicates", "cars", "--notion", "car-color", "-t", "0.999", "--out", out)
    found = pd.read_csv(out)
    colors = read_dataset("cars").frame["car_color"].to_numpy()[found["row"]]
    same = np.mean([len(set(colors[found["group"] == group])) == 1 for group in found["group"].unique()])
    assert same > 0.5  # of groups by the raw encoder hardly any differ in nothing but the color
