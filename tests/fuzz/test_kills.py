"""Kills at random moments, a few of each kind; `kills.py` tries as many as one likes."""

import contextlib
import itertools
import json
import os
import random
import sqlite3
import sys
import threading
import time
import urllib.request
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))

from app_server import AppServer
from kills import KINDS, attack, preload

from likeness.data import read_cars
from likeness.tagging import TagStore
from server.accounts import write_token
from server.passwords import set_password

pytestmark = [pytest.mark.long, pytest.mark.skipif(os.name == "nt", reason="Windows has no SIGKILL")]
_HERE = [name for name in KINDS if name != "train"]  # runs are killed in tests/training/loop/test_train.py
_PEOPLE = ("ben", "dan")
_ROWS = 2_000  # of the shipped cars
_PATIENCE_SECONDS = 120.0


@pytest.mark.parametrize("name", _HERE)
def test_nothing_finished_is_lost_however_often_it_is_killed(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OMP_NUM_THREADS", "1")
    preload(_HERE)
    result = attack(name, tmp_path, kills=2)
    assert not result.faults, "\n".join(result.faults)
    assert result.kills == 2


def _label(url: str, name: str, token: str, first: int, answered: dict[int, str]) -> None:
    """Gives one image after the other a value of an attribute of one's own, and each tenth one to an attribute of both, until the server is gone."""
    headers = {"Authorization": f"Bearer {token}", "Content-Type": "application/json"}
    with contextlib.suppress(OSError):
        for number in itertools.count(first):
            for attribute, value in [(f"of {name}", f"{number}"), ("of both", name)][: 2 if number % 10 == 0 else 1]:
                content = json.dumps({"rows": [number % _ROWS], "attribute": attribute, "value": value}).encode()
                asked = urllib.request.Request(f"{url}/api/v1/datasets/cars/labels", content, headers)
                with urllib.request.urlopen(asked, timeout=_PATIENCE_SECONDS) as answer:
                    assert json.load(answer)["edit"] > 0
                if attribute != "of both":
                    answered[number % _ROWS] = value


def test_what_was_answered_to_two_people_who_label_is_there_after_their_server_is_killed(tmp_path: Path) -> None:
    draw, known, paths = random.Random(0), {name: dict[int, str]() for name in _PEOPLE}, read_cars().frame["path"].tolist()
    for name in _PEOPLE:
        set_password(tmp_path / "people.txt", name, "as long as it has to be", "edit")
    tokens = {name: write_token(tmp_path / "tokens.txt", name) for name in _PEOPLE}
    (tmp_path / "settings.yaml").write_text("api_requests: 10000\n", encoding="utf-8")
    files = {"auth": "people.txt", "program-tokens": "tokens.txt", "settings": "settings.yaml"}
    options = ["--shared", "--api", *(part for option, file in files.items() for part in (f"--{option}", str(tmp_path / file)))]
    for _ in range(2):
        told = {name: dict[int, str]() for name in _PEOPLE}
        with AppServer(tmp_path, *options) as server:
            first = {name: 1 + max(map(int, known[name].values()), default=-1) for name in _PEOPLE}
            threads = [
                threading.Thread(target=_label, args=(server.url, name, tokens[name], first[name], told[name]), daemon=True) for name in _PEOPLE
            ]
            for thread in threads:
                thread.start()
            begun = time.monotonic()
            while not all(told.values()) and time.monotonic() - begun < _PATIENCE_SECONDS:
                time.sleep(0.01)
            time.sleep(draw.uniform(0, 1))
            server.kill()
            for thread in threads:
                thread.join(_PATIENCE_SECONDS)
            assert all(told.values()), server.log()[-500:]
        for name in _PEOPLE:
            known[name] |= told[name]
        _check(tmp_path, paths, known)


def _check(folder: Path, paths: list[str], known: dict[str, dict[int, str]]) -> None:
    """All that was answered is there, and the file is sound."""
    (file,) = (folder / "cache" / "tags").glob("*.sqlite")
    found = TagStore(file).columns(paths)
    for name, values in known.items():
        column = found[f"of {name}"]
        assert [column.iloc[row] for row in values] == list(values.values())
        there = {row: str(column.iloc[row]) for row in column.notna().to_numpy().nonzero()[0].tolist()}
        assert len(there) - len(values) <= 1  # the last edit may be there without its answer
        known[name] |= there
    with contextlib.closing(sqlite3.connect(file)) as connection:
        assert connection.execute("PRAGMA integrity_check").fetchone() == ("ok",)
