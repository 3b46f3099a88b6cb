"""Small worlds that tests begin with, each made in one line: images, datasets, spaces, runs, and servers with their visitors."""

import contextlib
import functools
import json
import re
import shlex
import shutil
import subprocess
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from PIL import Image

from likeness.clusters import ClusterName, ClusterNames, Clusters
from likeness.data import DatasetEntry, ImageTable, add_dataset, new_entry, read_cars
from likeness.embedding import embed
from likeness.space import Space
from likeness.tagging import TagStore, tag_store
from likeness.training.config import read_config, with_changes
from likeness.training.runs.run_folder import RunFolder, Status

Run = Callable[..., tuple[int, str, str]]  # what the fixture `run` gives: exit status, stdout, stderr
ADA, BEN = "a" * 32, "b" * 32  # visitors, by what their browsers keep


def draw(folder: Path, count: int, classes: Sequence[str] = (), size: int = 20) -> Path:
    """Writes plain images, no two alike, as `0.png` and so on; those of `classes` in turn, each class in its folder."""
    for number in range(count):
        file = folder / (classes[number % len(classes)] if classes else "") / f"{number}.png"
        file.parent.mkdir(parents=True, exist_ok=True)
        Image.new("RGB", (size, size), (20 * number % 256, 90, 60 + number // 12)).save(file)
    return folder


def draw_noise(folder: Path, count: int, size: int = 32) -> Path:
    """Writes images in which there is nothing to see."""
    folder.mkdir(parents=True, exist_ok=True)
    for number in range(count):
        pixels = np.random.default_rng(number).integers(0, 256, (size, size, 3), dtype=np.uint8)
        Image.fromarray(pixels).save(folder / f"{number:02}.png")
    return folder


def copy_cars(folder: Path, rows: Iterable[int], classes: Sequence[str] = ()) -> Path:
    """Copies some of the shipped cars, as `00.webp` and so on; those of `classes` in turn, each class in its folder."""
    paths = read_cars().paths()
    for number, row in enumerate(rows):
        file = folder / (classes[number % len(classes)] if classes else "") / f"{number:02}.webp"
        file.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(paths[row], file)
    return folder


def draw_collages(folder: Path, rows: Sequence[int]) -> Path:
    """Puts the shipped cars of these rows by fours into collages without loss, and writes a table of their boxes: car n of `rows` is row n."""
    folder.mkdir(parents=True, exist_ok=True)
    cars, listed = read_cars(), []
    for number, row in enumerate(rows):
        file, place = folder / f"street {number // 4}.png", number % 4
        with Image.open(cars.file(row)) as opened:
            car = opened.convert("RGB")
        street = Image.open(file) if place else Image.new("RGB", (2 * car.width + 30, 2 * car.height + 30), "gray")
        left, top = 10 + place % 2 * (car.width + 10), 10 + place // 2 * (car.height + 10)
        street.paste(car, (left, top))
        street.save(file)
        listed.append({"path": file.name, "x": left, "y": top, "w": car.width, "h": car.height, **cars.frame.iloc[row][cars.attributes]})
    pd.DataFrame(listed).to_csv(folder / "boxes.csv", index=False)
    return folder / "boxes.csv"


def dataset(source: Path, encoder: str = "cars", name: str = "") -> DatasetEntry:
    """Puts these images into the catalog, under the name of their folder."""
    entry = new_entry(name or source.name.title(), str(source.resolve()), encoder)
    add_dataset(entry)
    return entry


@functools.cache
def cars() -> Space:
    """The shipped cars in the space of their encoder, read once a process; not to be changed."""
    return embed(read_cars())


@functools.cache
def car_paths() -> list[str]:
    """Of the shipped cars."""
    return [str(path) for path in read_cars().frame["path"]]


def cars_store() -> TagStore:
    """The labels by hand of the shipped cars, as the command line finds them."""
    return tag_store("cars", read_cars())


def few_images(columns: dict[str, Any], n: int = 8, root: Path = Path(".")) -> Space:
    """A space of `n` images at random places, with these columns."""
    frame = pd.DataFrame({"path": [f"{number}.png" for number in range(n)], **columns})
    vectors = np.random.default_rng(0).normal(size=(n, 4)).astype(np.float32)
    space = Space(vectors / np.linalg.norm(vectors, axis=1, keepdims=True), ImageTable("few", root, frame), name="Raw encoder")
    return space.replace(encoder="cars")


def show_instead(monkeypatch: pytest.MonkeyPatch, space: Space) -> Space:
    """Makes the app show these images in place of any others."""
    import streamlit as st

    from parts import cached

    st.cache_resource.clear()
    monkeypatch.setattr(cached, "base", lambda _: space)
    return space


def make_run(folder: Path, status: Status | None = None, evaluations: int = 0, changes: dict[str, Any] | None = None) -> RunFolder:
    """A run in this folder as its training leaves it, with that many evaluations, each half an epoch after a mere step."""
    run = RunFolder(folder)
    run.create(with_changes(read_config("shipped-cars-elg"), {"name": folder.name} | (changes or {})))
    if status:
        run.report_status(status)
    for number in range(1, 2 * evaluations + 1):
        best = {"best_of": 0.5 + number / 100}
        row = {"step": number, "epoch": number / 2, "loss": 3 / number, "loss_objective": 2 / number, "loss_guidance": 0.2}
        found = {"recall_at_1": 0.5 + number / 100, "map_at_1000": 0.4, "map_at_r": 0.3, "nmi": 0.9, "f1": 0.7}
        run.append_metrics(row | (found | best if number % 2 == 0 else {}))
    return run


def halves(space: Any) -> Clusters:
    """Two clusters: the first half of the rows, and the rest."""
    half = (np.arange(len(space)) >= len(space) // 2).astype(np.int64)
    return Clusters(half[:, None], np.ones((len(space), 1), bool), (np.array([-1, -1]),))


def names_of(*words: str) -> ClusterNames:
    """Of clusters, each called by one of these words."""
    return ClusterNames((tuple(ClusterName(word, 0.9, (word,)) for word in words),), "words")


def serve(monkeypatch: pytest.MonkeyPatch, **settings: Any) -> Any:
    """Makes this process a server with these settings; returns them."""
    from server.settings import settings_from

    made = settings_from(settings)
    monkeypatch.setenv("LIKENESS_SERVER", made.as_text())
    return made


def put_in_place(backup: Path) -> None:
    """A copy of a server in the folders that the environment names, by the commands of docs/serving.md."""
    (commands,) = re.findall(
        r"^```sh\n(mkdir .*?)^```$", (Path(__file__).parents[1] / "docs" / "serving.md").read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL
    )
    assert commands.count("server.tar") == 2
    subprocess.run(["sh", "-ec", commands.replace("server.tar", shlex.quote(str(backup)))], check=True)


def visit(monkeypatch: pytest.MonkeyPatch, who: str = ADA) -> None:
    """From now on this visitor asks."""
    monkeypatch.setattr("server.visitors.browser", lambda: who)


def sign_in(monkeypatch: pytest.MonkeyPatch, name: str | None, *modules: str) -> None:
    """From now on this account asks, wherever these modules look for one."""
    for module in ("server.access", "server.visitors", *modules):
        monkeypatch.setattr(f"{module}.account", lambda: name)


def kept_files(cache: Path) -> list[str]:
    """What people keep in a cache folder, as opposed to what is computed."""
    kept = ("visitors", "uploads", "drafts", "notions", "splits", "runs", "datasets.json")
    files = (path.relative_to(cache) for path in cache.rglob("*") if path.is_file())
    return sorted(str(path) for path in files if path.parts[0] in kept)


def cheap_hashes(monkeypatch: pytest.MonkeyPatch) -> None:
    """Makes Argon2 take the least that it can, so that tests do not wait."""
    from argon2 import PasswordHasher

    monkeypatch.setattr("server.passwords._hasher", lambda: PasswordHasher(time_cost=1, memory_cost=8, parallelism=1))


def api_routes(settings: Any) -> list[Any]:
    """The routes of the API by these settings, without what surrounds them on a server."""
    from api.programs_routes import programs

    return list(programs(settings)[0])


PEER = "127.0.0.1:8501"  # by which clients of doors know the server
OWN_PAGE = {"Origin": f"http://{PEER}"}  # what a page of its own sends
STREAM = f"ws://{PEER}/_stcore/stream"


def client_behind(door: Callable[[Any], Any], echo: Callable[[Any], str], base: str = f"http://{PEER}", **options: Any) -> Any:
    """A client of what lies behind a door, where each address and the WebSocket answer with what `echo` says of the connection."""
    from starlette.applications import Starlette
    from starlette.responses import PlainTextResponse
    from starlette.routing import Route, WebSocketRoute
    from starlette.testclient import TestClient
    from starlette.websockets import WebSocketDisconnect

    async def answer(request: Any) -> PlainTextResponse:
        return PlainTextResponse(echo(request), headers={"Access-Control-Allow-Origin": "*"})

    async def stream(websocket: Any) -> None:
        await websocket.accept()
        with contextlib.suppress(WebSocketDisconnect):
            while True:
                await websocket.receive_text()
                await websocket.send_text(echo(websocket))

    inside = Starlette(routes=[WebSocketRoute("/_stcore/stream", stream), Route("/{path:path}", answer, methods=["GET", "PUT", "POST", "DELETE"])])
    return TestClient(door(inside), base_url=base, follow_redirects=False, **options)


def answer_of_stream(client: Any, way: str = "", **headers: str) -> str | int:
    """What the WebSocket behind a door, below a path, says, or the status that it is refused with."""
    from starlette.testclient import WebSocketDenialResponse

    try:
        with client.websocket_connect(STREAM.replace("/_stcore", f"{way}/_stcore"), headers=headers) as websocket:
            websocket.send_text("who")
            return str(websocket.receive_text())
    except WebSocketDenialResponse as refused:
        return refused.status_code


def in_own_loop(work: Any) -> Any:
    """What `work` gives on a loop in a thread of its own: beside a browser's tests this thread may have one already."""
    import asyncio
    from concurrent.futures import ThreadPoolExecutor

    with ThreadPoolExecutor(1) as thread:
        return thread.submit(asyncio.run, work).result(600)


class Clock:
    """Seconds that pass when a test says so."""

    def __init__(self, now: float = 0.0) -> None:
        self.now = now

    def __call__(self) -> float:
        return self.now


def audit_log(cache: Path) -> list[dict[str, str]]:
    """What a server has noted."""
    file = cache / "audit.jsonl"
    return [json.loads(line) for line in file.read_text().splitlines()] if file.exists() else []
