"""Two people label at once while their server is killed: `python tests/fuzz/label_kills.py --kills 20`. What was answered must be there after."""

import argparse
import json
import random
import sqlite3
import sys
import tempfile
import threading
import time
import urllib.request
from contextlib import closing
from pathlib import Path
from typing import NamedTuple

sys.path.insert(0, str(Path(__file__).parent))
sys.path.insert(0, str(Path(__file__).parents[2] / "app"))

from app_server import AppServer

from accounts import set_password
from likeness.data import read_cars
from likeness.tagging import TagStore
from program_tokens import write_token

PEOPLE = ("ben", "dan")
_ROWS = 2_000  # of the shipped cars
_PATIENCE_SECONDS = 120.0


class Result(NamedTuple):
    """How often the server was killed, how many edits were answered, and what was wrong after."""

    kills: int
    answered: int
    faults: list[str]


class Person(threading.Thread):
    """Gives one image after the other a value of an attribute of his own, and each tenth one to an attribute of both, until the server is gone."""

    def __init__(self, url: str, name: str, token: str, first: int) -> None:
        super().__init__(daemon=True)
        self.url, self.attribute, self.token, self.next = url, f"of {name}", token, first
        self.answered: dict[int, str] = {}

    def run(self) -> None:
        try:
            while True:
                row, value = self.next % _ROWS, str(self.next)
                self._give(row, self.attribute, value)
                self.answered[row] = value
                if self.next % 10 == 0:
                    self._give(row, "of both", self.attribute)
                self.next += 1
        except OSError:  # the server was killed
            return

    def _give(self, row: int, attribute: str, value: str) -> None:
        content = json.dumps({"rows": [row], "attribute": attribute, "value": value}).encode()
        headers = {"Authorization": f"Bearer {self.token}", "Content-Type": "application/json"}
        asked = urllib.request.Request(f"{self.url}/api/v1/datasets/cars/labels", content, headers)
        with urllib.request.urlopen(asked, timeout=_PATIENCE_SECONDS) as answer:
            assert json.load(answer)["edit"] > 0


def attack(folder: Path, kills: int, seed: int = 0) -> Result:
    """Kills servers of the same files one after the other, each at a random moment while both label."""
    draw, known = random.Random(seed), {name: dict[int, str]() for name in PEOPLE}
    folder.mkdir(parents=True, exist_ok=True)
    tokens = {}
    for name in PEOPLE:
        set_password(folder / "people.txt", name, "as long as it has to be", "edit")
        tokens[name] = write_token(folder / "tokens.txt", name)
    options = ("--shared", "--auth", str(folder / "people.txt"), "--api", "--program-tokens", str(folder / "tokens.txt"))
    settings = folder / "settings.yaml"
    settings.write_text("api_requests: 10000\n", encoding="utf-8")
    paths = [str(path) for path in read_cars().frame["path"]]
    answered, faults = 0, list[str]()
    for kill in range(kills):
        with AppServer(folder, *options, "--settings", str(settings)) as server:
            people = [Person(server.url, name, tokens[name], first=1 + max(map(int, known[name].values()), default=-1)) for name in PEOPLE]
            for person in people:
                person.start()
            begun = time.monotonic()
            while not all(person.answered for person in people) and time.monotonic() - begun < _PATIENCE_SECONDS:
                time.sleep(0.01)
            time.sleep(draw.uniform(0, 1))
            server.kill()
            for person in people:
                person.join(_PATIENCE_SECONDS)
                if not person.answered:
                    faults.append(f"kill {kill}: {person.attribute} got no answer: {server.log()[-500:]}")
        for name, person in zip(PEOPLE, people, strict=True):
            answered += len(person.answered)
            known[name] |= person.answered
        faults += _check(folder, paths, known)
        if faults:
            break
    return Result(kill + 1, answered, faults)


def _check(folder: Path, paths: list[str], known: dict[str, dict[int, str]]) -> list[str]:
    """What is not there of what was answered, and whether the file is sound."""
    (file,) = (folder / "cache" / "tags").glob("*.sqlite")
    found = TagStore(file).columns(paths)
    faults = []
    for name, values in known.items():
        column = found[f"of {name}"]
        faults += [f"row {row}: {column.iloc[row]!r} in place of {value!r}" for row, value in values.items() if column.iloc[row] != value]
        more = int(column.notna().sum()) - len(values)
        if not 0 <= more <= 1:  # the last edit may be there without its answer
            faults.append(f"of {name}: {more} values more than were answered")
        known[name] |= {row: str(column.iloc[row]) for row in column.notna().to_numpy().nonzero()[0].tolist()}
    with closing(sqlite3.connect(file)) as connection:
        sound = connection.execute("PRAGMA integrity_check").fetchone()[0]
    return faults if sound == "ok" else [*faults, f"the file is not sound: {sound}"]


def main() -> None:
    """Kills as often as asked, and ends with status 1 where something was lost."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--kills", type=int, default=20)
    parser.add_argument("--seed", type=int, default=0)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        result = attack(Path(folder), given.kills, given.seed)
    print(f"{result.kills} kills, {result.answered:,} edits by two people answered, {len(result.faults)} faults", *result.faults, sep="\n")
    sys.exit(bool(result.faults))


if __name__ == "__main__":
    main()
