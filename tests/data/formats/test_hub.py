"""Datasets of the Hub, served by a hub on this machine (`fake_hub`)."""

from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import likeness as lk
from likeness.data import absolute_source
from likeness.errors import InputError
from likeness.io import confine
from numbered_pictures import encoded, numbers


@pytest.fixture
def repository(tmp_path: Path, hub: Any) -> Path:
    folder = tmp_path / "served"
    folder.mkdir()
    for split, first in (("train", 0), ("test", 2)):
        images = [{"bytes": encoded(first + row), "path": None} for row in range(2)]
        pq.write_table(pa.table({"image": images, "label": ["a", "b"]}), folder / f"{split}-00000-of-00001.parquet")
    (folder / "README.md").write_text("not fetched")
    hub.repositories["datasets/anna/pets"] = folder
    return folder


def test_only_parquet_files_are_fetched_and_only_once(repository: Path, hub: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    table = lk.read("hf://datasets/anna/pets")
    assert (table.name, numbers(table), table.frame["split"].tolist()) == ("anna/pets", [2, 3, 0, 1], ["test"] * 2 + ["train"] * 2)
    assert len(hub.ranges) == 2
    assert not [*table.root.rglob("README.md")]
    assert absolute_source("hf://datasets/anna/pets") == "hf://datasets/anna/pets"
    from huggingface_hub import constants

    monkeypatch.setattr(constants, "HF_HUB_OFFLINE", True)
    assert numbers(lk.read("hf://datasets/anna/pets")) == [2, 3, 0, 1]
    assert len(hub.ranges) == 2


def test_a_part_of_it(repository: Path) -> None:
    assert numbers(lk.read("hf://datasets/anna/pets/train-*.parquet")) == [0, 1]


def test_what_cannot_be_had_is_one_sentence(repository: Path, hub: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(InputError, match=r"'anna/none' is not on this machine, and cannot be fetched \(.*\); check the name and the network"):
        lk.read("hf://datasets/anna/none")
    with pytest.raises(InputError, match=r"names no dataset of the Hub; write hf://datasets/ORG/NAME"):
        lk.read("hf://models/anna")
    (repository / "train-00000-of-00001.parquet").unlink()
    (repository / "test-00000-of-00001.parquet").unlink()
    with pytest.raises(InputError, match=r"'anna/pets' has no Parquet files '\*\.parquet'"):
        lk.read("hf://datasets/anna/pets")
    from huggingface_hub import constants

    monkeypatch.setattr(constants, "HF_HUB_OFFLINE", True)
    with pytest.raises(InputError, match=r"^'anna/cars' is not on this machine[^\n]*$"):
        lk.read("hf://datasets/anna/cars")
    confine([tmp_path])
    with pytest.raises(InputError, match="cannot be read here: URLs are disabled"):
        lk.read("hf://datasets/anna/pets")
