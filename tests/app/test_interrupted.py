"""Embeddings whose process was killed before anything of them could be shown."""

import json
import signal
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import asdict, replace
from pathlib import Path

import pytest

from app_page import Page
from likeness.data import DatasetEntry, add_dataset, list_datasets, new_entry
from parts import growing, interrupted
from server.jobs import jobs
from worlds import draw

APP = Path(growing.__file__).parents[1]
PROGRAM = f"""
import sys, time
sys.path.insert(0, {str(APP)!r})
from likeness.data import DatasetEntry
from parts import interrupted
with interrupted.noted(DatasetEntry(**eval(sys.argv[1]))):
    print("begun", flush=True)
    time.sleep(600)
"""


@pytest.fixture
def entry(tmp_path: Path) -> DatasetEntry:
    folder = draw(tmp_path / "Zebras *of* Ada", 8, size=24)
    return new_entry(folder.name, str(folder), "cars-small")


@pytest.fixture
def process(entry: DatasetEntry, cache: Path) -> Iterator["subprocess.Popen[str]"]:
    """Another server that has begun to embed the dataset."""
    process = subprocess.Popen([sys.executable, "-c", PROGRAM, repr(asdict(entry))], stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    assert process.stdout.readline() == "begun\n"
    yield process
    for job in jobs().all(growing.KIND):
        jobs().forget(job)
    process.kill()
    process.wait()
    process.stdout.close()


def test_each_visitor_is_told_of_his_own_and_of_nothing_that_was_removed(
    app: Page, entry: DatasetEntry, process: "subprocess.Popen[str]", cache: Path
) -> None:
    process.kill()
    process.wait()
    of_ada = replace(entry, id="of-ada", owner="ada")
    (cache / "embedding" / "of-ada.json").write_text(json.dumps(asdict(of_ada)))
    (cache / "embedding" / "damaged.json").write_text("{")
    assert interrupted.entries("ben") == [entry]
    assert sorted(each.id for each in interrupted.entries("ada")) == sorted([entry.id, "of-ada"])
    add_dataset(entry)  # its first images were shown before
    app.open("images").click(f"remove_{entry.id}")
    assert entry.id not in [each.id for each in list_datasets()]
    assert interrupted.entries("ben") == []


def test_what_a_killed_process_left_is_found_and_the_page_says_so_and_goes_on(
    app: Page, entry: DatasetEntry, process: "subprocess.Popen[str]"
) -> None:
    assert interrupted.entries() == []  # under way
    process.send_signal(signal.SIGKILL)
    process.wait()
    assert interrupted.entries() == [entry]
    said = "Zebras *of* Ada: the app was closed"
    assert any(each.startswith(said) for each in app.open("images").infos)
    app.click(f"go_on_{entry.id}").wait(growing.KIND)
    assert said not in app.alerts
    assert entry.id in [each.id for each in list_datasets()]
    assert interrupted.entries() == []
