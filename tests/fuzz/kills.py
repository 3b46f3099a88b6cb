"""Processes killed at random moments: `python tests/fuzz/kills.py --kills 100`. What was finished before must be there after, byte for byte."""

import argparse
import hashlib
import json
import multiprocessing
import os
import random
import shutil
import signal
import sys
import tempfile
import time
from collections.abc import Callable, Iterable
from functools import partial
from multiprocessing import forkserver
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

_PATIENCE_SECONDS = 600


class Kind(NamedTuple):
    """What is killed."""

    work: Callable[[Path], None]  # (folder) in a process of its own; called again, it goes on
    check: Callable[[Path, Path, bool], list[str]]  # (folder, one that was never disturbed, ended well) -> what is wrong
    modules: tuple[str, ...]  # imported once, before the processes are forked
    prepare: Callable[[Path], None] = lambda photos: None  # (photos, beside the folder) writes what the work begins with
    beside: tuple[Callable[[Path], None], ...] = ()  # each in a process of its own at the same time, which is not killed and comes to its end


class Result(NamedTuple):
    """How often processes were begun and killed, how long that took, and what was wrong after them."""

    runs: int
    kills: int
    seconds: float
    faults: list[str]


def preload(names: Iterable[str]) -> None:
    """Imports what these kinds need once, in the process from which theirs are forked, unless it runs already."""
    forkserver.set_forkserver_preload([module for name in names for module in KINDS[name].modules])
    forkserver.ensure_running()


def attack(name: str, folder: Path, kills: int, seed: int = 0) -> Result:
    """Kills processes of one kind until as many are killed as wanted; work that comes to its end is begun anew."""
    kind, draw, begin, faults = KINDS[name], random.Random(seed), time.monotonic(), list[str]()
    reference, runs, killed = folder / "reference", 1, 0
    kind.prepare(folder / "photos")
    reference.mkdir()
    seconds, code = _run(kind, reference, None)
    if code != 0:
        return Result(1, 0, seconds, [f"{name}: undisturbed it ended with {code}"])
    place = folder / "work"
    while killed < kills and not faults:
        place.mkdir(exist_ok=True)
        _, code = _run(kind, place, draw.uniform(0, seconds))
        runs, killed = runs + 1, killed + (code == -signal.SIGKILL)
        if code not in (0, -signal.SIGKILL):
            faults.append(f"after {killed} kills it ended with {code}")
        faults += kind.check(place, reference, code == 0)
        if code == 0:
            shutil.rmtree(place)
    if not faults:  # what the last kill left comes to its end, too
        place.mkdir(exist_ok=True)
        _, code = _run(kind, place, None)
        faults += kind.check(place, reference, True) if code == 0 else [f"after the last kill it ended with {code}"]
        runs += 1
    return Result(runs, killed, time.monotonic() - begin, [f"{name}: {fault}" for fault in faults])


def _run(kind: Kind, folder: Path, moment: float | None) -> tuple[float, int]:
    """Runs the work, and kills it so many seconds after it began; returns how long it took and the exit status, or that of one that ran beside it."""
    others = [_begin(work, folder) for work in kind.beside]
    process, ready = _begin(kind.work, folder)
    if ready.poll(_PATIENCE_SECONDS):
        ready.recv_bytes()
    begin = time.monotonic()
    process.join(_PATIENCE_SECONDS if moment is None else moment)
    process.kill()
    process.join()
    seconds = time.monotonic() - begin
    for other, _ in others:
        other.join(_PATIENCE_SECONDS)
        other.kill()
        other.join()
    failed = any(other.exitcode for other, _ in others)
    return seconds, 1 if failed else int(process.exitcode or 0)


def _begin(work: Callable[[Path], None], folder: Path) -> tuple[Any, Connection]:
    """A process that does some work, and where it says that it is about to begin."""
    context = multiprocessing.get_context("forkserver")
    ours, theirs = context.Pipe(duplex=False)
    process = context.Process(target=_child, args=(work, folder, theirs))
    process.start()
    theirs.close()
    return process, ours


def _child(work: Callable[[Path], None], folder: Path, ready: Connection) -> None:
    os.environ["LIKENESS_CACHE"] = str(folder / "cache")
    ready.send_bytes(b"ready")
    work(folder)


def _content(folder: Path, pattern: str = "**/*") -> dict[str, str]:
    """Digest of each file by its name; what a killed process was writing is hidden, and no part of it."""
    files = (file for file in folder.glob(pattern) if file.is_file() and not file.name.startswith("."))
    return {str(file.relative_to(folder)): hashlib.sha256(file.read_bytes()).hexdigest() for file in files}


def _note(folder: Path, line: str, file: str = "finished.log") -> None:
    """Notes on the disk that something is finished."""
    with (folder / file).open("a") as log:
        log.write(f"{line}\n")
        log.flush()
        os.fsync(log.fileno())


def _noted(folder: Path, name: str = "finished.log") -> list[str]:
    file = folder / name
    return [line for line in file.read_text().splitlines() if line] if file.is_file() else []


def _remembered(folder: Path, now: Any, begin: Any) -> Any:
    """What the check before this one has found; `now` is for the next."""
    memory = folder / ".content.json"
    before = json.loads(memory.read_text()) if memory.is_file() else begin
    memory.write_text(json.dumps(now))
    return before


class _Encoder:
    """Mean colors, slowly."""

    name, identity, dim, has_text = "slow", "slow-1", 3, False

    def encode_images(self, images: list[Any]) -> Any:
        time.sleep(0.004)
        colors = np.array([np.asarray(image, dtype=np.float32).mean((0, 1)) + 1 for image in images])
        return colors / np.linalg.norm(colors, axis=1, keepdims=True)

    def encode_texts(self, texts: list[str]) -> Any:
        raise NotImplementedError

    def unknown_words(self, text: str) -> list[str]:
        return []


def _plain_photos(photos: Path) -> None:
    from PIL import Image

    photos.mkdir(parents=True)
    for number, color in enumerate(np.random.default_rng(0).integers(0, 256, (240, 3))):
        Image.new("RGB", (8, 8), tuple(map(int, color))).save(photos / f"{number:03d}.png")


def _embed(folder: Path) -> None:
    from likeness.data import read_folder
    from likeness.encoders import embed_images

    found = embed_images(read_folder(folder.parent / "photos"), _Encoder(), batch_size=4, shard_size=8, shard_seconds=1e9)
    np.save(folder / "vectors.npy", found.vectors)


def _check_embedding(folder: Path, reference: Path, ended: bool) -> list[str]:
    """A shard that a killed process finished stays; the images of others are cut into shards anew, so that only the vectors are compared."""
    from likeness.encoders.store.shard_folder import LocalFolder
    from likeness.encoders.store.shards import read_shard

    now = _content(folder, "cache/**/*.npz")
    before = _remembered(folder, now, {})
    faults = [f"the shard {name} is lost or changed" for name, digest in before.items() if now.get(name) != digest]
    faults += [f"the shard {name} is damaged" for name in now if read_shard(LocalFolder((folder / name).parent), Path(name).name) is None]
    same = not ended or (folder / "vectors.npy").read_bytes() == (reference / "vectors.npy").read_bytes()
    return faults if same else [*faults, "the vectors are others"]


_CELLS = (5, 8)
_BUILDS = 12


def _rows() -> Any:
    rows = np.random.default_rng(0).normal(size=(3000, 32)).astype(np.float32)
    return rows / np.linalg.norm(rows, axis=1, keepdims=True)


def _index(folder: Path) -> None:
    """One index after the other in the same place, with other cells."""
    from likeness.search import build_index

    for number in range(len(_noted(folder)), _BUILDS):
        cells = _CELLS[number % 2]
        build_index(_rows(), folder / "index", cells=cells)
        for_reference = folder / f"cells{cells}"
        if folder.name == "reference" and not for_reference.exists():
            shutil.copytree(folder / "index", for_reference)
        _note(folder, str(cells))


def _check_index(folder: Path, reference: Path, ended: bool) -> list[str]:
    """The index is the last one that was noted or the one after, and the same as that of the undisturbed work."""
    from likeness.search import open_index
    from likeness.search.index_folder import whole_folder

    noted = _noted(folder)
    try:
        found = open_index(folder / "index", _rows())
    except ValueError as error:
        return [f"of {len(noted)} finished indexes none is left: {error}"] if noted else []
    cells = len(found.centers)
    wrong = [] if cells in (_CELLS[(len(noted) - 1) % 2], _CELLS[len(noted) % 2]) else [f"the index has {cells} cells"]
    same = _content(whole_folder(folder / "index")) == _content(reference / f"cells{cells}")
    return wrong if same else [*wrong, "the index has other content"]


def _photos_of_classes(photos: Path) -> None:
    from PIL import Image

    draw = np.random.default_rng(0)
    for number in range(36):
        (photos / f"class {number % 6}").mkdir(parents=True, exist_ok=True)
        pixels = np.clip(40 * (number % 6) + draw.normal(0, 20, (20, 20, 3)), 0, 255).astype(np.uint8)
        Image.fromarray(pixels).save(photos / f"class {number % 6}" / f"{number}.png")


def _train(folder: Path) -> None:
    import torch

    from likeness.training import config_from
    from likeness.training.loop.train import train

    torch.set_num_threads(1)
    content = {
        "name": "small",
        "data": {"source": str(folder.parent / "photos"), "attribute": "class", "image_size": 16},
        "backbone": {"name": "test_resnet", "weights": "none", "dim": 8, "freeze_batch_norm": False},
        "objective": {"name": "margin"},
        "batch": {"size": 6, "per_class": 2},
        "epochs": 30,
        "evaluate_every": 4,
        "checkpoint_every": 2,
        "device": "cpu",
    }
    train(config_from(content), folder / "run")


def _check_training(folder: Path, reference: Path, ended: bool) -> list[str]:
    from likeness.errors import InputError
    from likeness.io import CheckpointFile, read_weights
    from likeness.training import RunFolder

    run, whole = RunFolder(folder / "run"), RunFolder(reference / "run")
    faults, step = [], 0
    if CheckpointFile(run.checkpoint).is_there():
        try:
            checkpoints = CheckpointFile(run.checkpoint)
            step = checkpoints.read()["global_step"]
            faults += [checkpoints.note] if checkpoints.note else []
            if run.best.is_file():
                read_weights(run.best)
        except InputError as error:
            faults.append(str(error))
    before = _remembered(folder, step, 0)
    if step < before:
        faults.append(f"the checkpoint of step {before} is lost; the newest is of step {step}")
    measured = [row for row in run.metrics().drop(columns="seconds", errors="ignore").to_dict("records") if row["step"] <= step]
    expected = whole.metrics().drop(columns="seconds").to_dict("records")
    fitting = [{name: row[name] for name in own} for row, own in zip(expected, measured, strict=False)]
    if json.dumps(measured) != json.dumps(fitting):
        faults.append("what was measured up to the checkpoint is not what the undisturbed run measured")
    if ended and (run.status().state != "finished" or run.best.read_bytes() != whole.best.read_bytes() or _weights(run) != _weights(whole)):
        faults.append("it ended with other weights than the undisturbed run")
    return faults


def _weights(run: Any) -> list[tuple[str, bytes]]:
    from likeness.io import CheckpointFile

    state = CheckpointFile(run.checkpoint).read()["state_dict"]
    return [(name, value.numpy().tobytes()) for name, value in state.items()]


def _sweep(folder: Path) -> None:
    import torch

    from likeness.studies import SweepConfig, sweep

    torch.set_num_threads(1)
    base = {
        "data": {"source": str(folder.parent / "photos"), "image_size": 16, "train_classes": 0.7, "validation": 2},
        "backbone": {"name": "test_resnet", "weights": "none", "dim": 8},
        "batch": {"size": 4, "per_class": 2},
        "epochs": 3,
        "checkpoint_every": 1,
        "device": "cpu",
    }
    space = {"optimizer.rate": {"low": 1e-6, "high": 1.0, "log": True}, "objective.name": ["margin", "contrastive"]}
    sweep(SweepConfig.model_validate({"base": base, "space": space, "trials": 5, "startup": 2}), folder / "sweep")


def _check_sweep(folder: Path, reference: Path, ended: bool) -> list[str]:
    """Trials that began are those of the undisturbed sweep, with its settings; those that ended have its figures."""
    from likeness.studies import SweepFolder

    now, whole = (SweepFolder(place / "sweep") for place in (folder, reference))
    if not (now.path / "trials.db").is_file():
        return []
    trials, expected = now.history.trials(), whole.history.trials()
    faults = [f"trial {own.number} is {own}" for own, each in zip(trials, expected, strict=False) if own.params != each.params]
    faults += [f"trial {own.number} is {own}" for own, each in zip(trials, expected, strict=False) if own.state != "running" and own != each]
    if sum(trial.state == "running" for trial in trials) > 1:
        faults.append("two trials are under way")
    same = not ended or (trials == expected and now.figures().drop(columns="seconds").equals(whole.figures().drop(columns="seconds")))
    return faults if same else [*faults, "it ended with other trials or figures"]


_TABLES = 30


def _write_tables(folder: Path) -> None:
    """What the cache and the user keep: maps, texts, spaces, datasets, reports; each is noted once it is finished."""
    from likeness.data import add_dataset, new_entry
    from likeness.encoders.store.texts import TextCache
    from likeness.projection import save_map
    from likeness.training import RunFolder

    for number in range(len(_noted(folder)), _TABLES):
        save_map(f"map{number}", np.full((500, 2), number))
        TextCache(folder / "cache" / "texts" / "x.sqlite").put({f"text {number}": np.full(400, number, np.float32)})
        _space(number).save(folder / "space.parquet")
        add_dataset(new_entry(f"set {number}", "cars", f"encoder {number}"))
        run = RunFolder(folder / "run")
        run.path.mkdir(exist_ok=True)
        run.write_report({"number": number})
        _note(folder, str(number))


def _space(number: int) -> Any:
    from likeness.space import Space

    return Space(np.eye(40, dtype=np.float32), labels=[f"{number} {row}" for row in range(40)], name="tables")


def _check_tables(folder: Path, reference: Path, ended: bool) -> list[str]:
    from likeness.data import list_datasets
    from likeness.embedding import load_space
    from likeness.encoders.store.texts import TextCache
    from likeness.projection import load_map
    from likeness.training import RunFolder

    os.environ["LIKENESS_CACHE"] = str(folder / "cache")
    done, faults = len(_noted(folder)), list[str]()
    texts = TextCache(folder / "cache" / "texts" / "x.sqlite").get([f"text {number}" for number in range(done)])
    names = [entry.name for entry in list_datasets()]
    for number in range(done):
        positions = load_map(f"map{number}")
        if positions is None or not (positions == number).all():
            faults.append(f"map {number} is lost or changed")
        if not np.array_equal(texts.get(f"text {number}", np.zeros(0)), np.full(400, number)):
            faults.append(f"text {number} is lost or changed")
        if f"set {number}" not in names:
            faults.append(f"dataset {number} is lost")
    if done:
        labels = load_space(folder / "space.parquet").table.frame["label"].tolist()
        if labels not in ([f"{number} {row}" for row in range(40)] for number in (done - 1, done)):
            faults.append("the space is lost or changed")
        if (RunFolder(folder / "run").report() or {}).get("number") not in (done - 1, done):
            faults.append("the report is lost or changed")
    return faults


_EDITS = 25
_LABELED = [f"folder {number % 7}/{number}.jpg" for number in range(300)]


def _label(folder: Path, who: str = "ada", more: int | None = None) -> None:
    """A person's edits, each of them noted when the call has returned; every fifth is taken back. Called again, it goes on, by so many steps."""
    from likeness.tagging import TagStore

    store = TagStore(folder / "tags.sqlite", wait_seconds=60)
    done = len(_noted(folder, f"{who}.log"))
    for step in range(done, 2 * _EDITS if more is None else done + more):
        number, is_undo = divmod(step, 2)
        if not is_undo:
            store.set_value(_LABELED, f"of {who}", f"{number}", who)  # again after a kill, it finds the value there and changes nothing
        elif number % 5 == 4 and not store.log(1, who)["undone"].any() and store.log(1, who)["action"].item() == "set":
            store.undo(who)
        _note(folder, f"{step}", f"{who}.log")


def _check_labels(folder: Path, reference: Path, ended: bool) -> list[str]:
    """Every edit that was noted is in the log once; the labels of all images are those of the newest edit that is not undone."""
    import sqlite3

    from likeness.tagging import TagStore

    store, faults = TagStore(folder / "tags.sqlite"), list[str]()
    log, labels = store.log(), store.columns(_LABELED)
    for who in ("ada", "bob", "eve"):
        steps = len(_noted(folder, f"{who}.log"))
        own = log[log["who"] == who][::-1]
        edits, undos = own[own["action"] == "set"], own[own["action"] == "undo"]
        noted = [f"{number}" for number in range((steps + 1) // 2)]
        if edits["value"].tolist() not in (noted, [*noted, f"{len(noted)}"]):
            faults.append(f"of the edits {noted} of {who}, the log has {edits['value'].tolist()}")
        finished = [value for value in noted if int(value) % 5 == 4 and 2 * int(value) + 1 < steps]
        if undos["value"].tolist()[: len(finished)] != finished or len(undos) > len(finished) + 1 or undos["value"].duplicated().any():
            faults.append(f"{who} took back {finished}, and the log has {undos['value'].tolist()}")
        if not (own["images"] == len(_LABELED)).all() or own["skipped"].any():
            faults.append(f"{who} has half an edit: {own[['images', 'skipped']].to_numpy().tolist()}")
        values = edits["value"][~edits["undone"]]
        there = labels[f"of {who}"].astype(str).unique().tolist() if f"of {who}" in labels else []
        if there != values.tolist()[-1:]:
            faults.append(f"the images have {there} of {who} and not {values.tolist()[-1:]}")
    connection = sqlite3.connect(store.path)
    sound = connection.execute("PRAGMA integrity_check").fetchall()
    connection.close()
    return faults if sound == [("ok",)] else [*faults, f"the file is damaged: {sound}"]


KINDS = {
    "embed": Kind(_embed, _check_embedding, ("likeness.encoders.store.images", "PIL.PngImagePlugin"), _plain_photos),
    "index": Kind(_index, _check_index, ("likeness.search.ivf_index", "faiss")),
    "train": Kind(_train, _check_training, ("likeness.training.loop.train", "likeness.training.loop.trainer"), _photos_of_classes),
    "sweep": Kind(_sweep, _check_sweep, ("likeness.studies.sweeps.history", "likeness.training.loop.trainer"), _photos_of_classes),
    "tags": Kind(_label, _check_labels, ("likeness.tagging", "pandas"), beside=tuple(partial(_label, who=who, more=6) for who in ("bob", "eve"))),
    "tables": Kind(_write_tables, _check_tables, ("likeness.projection.map_store", "likeness.space", "pyarrow.parquet")),
}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--kills", type=int, default=100, help="in all, the same number of each kind")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--only", choices=tuple(KINDS), help="one kind")
    asked = parser.parse_args()
    names, results = [asked.only] if asked.only else list(KINDS), []
    preload(names)
    for name in names:
        with tempfile.TemporaryDirectory() as folder:
            result = attack(name, Path(folder), -(-asked.kills // len(names)), asked.seed)
        results.append(result)
        print(f"{name:7} {result.runs:4} runs, {result.kills:4} killed, {result.seconds:5.0f} s, {len(result.faults)} faults", flush=True)
        for fault in result.faults:
            print(f"    {fault}", flush=True)
    kills, seconds, faults = (sum(each) for each in zip(*((r.kills, r.seconds, len(r.faults)) for r in results), strict=True))
    print(f"{sum(r.runs for r in results)} runs, {kills} killed, {seconds:.0f} s, {faults} faults")
    return int(faults > 0)


if __name__ == "__main__":
    os.environ["OMP_NUM_THREADS"] = "1"  # before the processes are begun: sums must not depend on their number
    sys.exit(main())
