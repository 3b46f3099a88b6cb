"""Reads damaged files: the only answers allowed are a result and an InputError of one short line, within seconds and little memory."""

import os
import random
import shutil
import signal
import time
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import psutil
from mutation import damaged

from likeness.errors import InputError

SECONDS = 5.0  # of processors' time, for one file; the sound ones take milliseconds
PATIENCE = 120.0  # seconds on the clock: longer than any process for images may take
_LONGEST = 900


@dataclass(frozen=True)
class Case:
    """A reader under test.

    Attributes:
        name: for people.
        write: writes a sound input into an empty folder.
        read: reads it; called with the folder.
        damage: patterns of the files that are damaged.
        allowed: other exceptions that its callers answer.
        covers: modules whose readers this reaches.
    """

    name: str
    write: Callable[[Path], Any]
    read: Callable[[Path], Any]
    damage: tuple[str, ...]
    covers: tuple[str, ...]
    allowed: tuple[type[BaseException], ...] = ()


class Hang(Exception):  # noqa: N818
    """A reader that took too long."""


@contextmanager
def time_limit(seconds: float, patience: float = PATIENCE) -> Iterator[None]:
    """Ends the block after so many seconds of processors' time, which a busy machine does not use up, its processes included.

    Raises:
        Hang: it took longer, whatever the block made of that.
    """
    begin, used = time.monotonic(), processor_seconds()
    hang, has_hung = Hang(f"longer than {seconds} s, or than {patience} s on the clock"), False

    def stop(*_: object) -> None:
        nonlocal has_hung
        if processor_seconds() > used + seconds or time.monotonic() > begin + patience:
            has_hung = True
            raise hang

    before = signal.signal(signal.SIGALRM, stop)
    signal.setitimer(signal.ITIMER_REAL, seconds, 1.0)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
        if has_hung:  # a reader that answers any exception may have taken it for a damaged file's
            raise hang


def processor_seconds() -> float:
    """What this process and those that it began have used, ended ones included."""
    total = 0.0
    for process in (ours := psutil.Process(), *ours.children(recursive=True)):
        with suppress(psutil.NoSuchProcess):
            times = process.cpu_times()
            total += times.user + times.system + times.children_user + times.children_system
    return total


@dataclass
class Found:
    """A defect: the case, its seed, and what happened."""

    case: str
    seed: int
    what: str


def attack(case: Case, folder: Path, seeds: range, until: float = float("inf")) -> list[Found]:
    """Damages one file of the case for each seed and reads it; the defects found."""
    sound = folder / "sound"
    sound.mkdir(parents=True)
    case.write(sound)
    files = sorted(file for pattern in case.damage for file in sound.glob(pattern) if file.is_file())
    assert files, f"{case.name} has no file to damage"
    with time_limit(60, patience=600):
        case.read(_copied(sound, folder / "whole"))  # what is sound is read
    found = []
    for seed in seeds:
        if time.monotonic() > until:
            break
        draw = random.Random(f"{case.name} {seed}")
        chosen = draw.choice(files)
        place = folder / f"damaged-{seed}"
        _copied(sound, place)
        (place / chosen.relative_to(sound)).write_bytes(damaged(chosen.read_bytes(), draw))
        what = outcome(case, place)
        if what:
            found.append(Found(case.name, seed, f"{chosen.relative_to(sound)}: {what}"))
        shutil.rmtree(place)
    return found


def replace_files(case: Case, folder: Path) -> list[Found]:
    """Puts a pipe, and then a folder, in the place of the first file of each pattern and reads the case; the defects found."""
    sound = folder / "sound"
    sound.mkdir(parents=True)
    case.write(sound)
    found = []
    for number, pattern in enumerate(case.damage):
        chosen = next(file for file in sorted(sound.glob(pattern)) if file.is_file())
        for put in (os.mkfifo, os.mkdir):
            place = _copied(sound, folder / f"{number}-{put.__name__}")
            file = place / chosen.relative_to(sound)
            file.unlink()
            put(file)
            what = outcome(case, place)
            if what:
                found.append(Found(case.name, number, f"{put.__name__} {chosen.relative_to(sound)}: {what}"))
    return found


def outcome(case: Case, place: Path) -> str:
    """What was wrong with the answer; empty where it was allowed."""
    try:
        with time_limit(SECONDS):
            case.read(place)
    except InputError as error:
        text = str(error)
        return "" if "\n" not in text and 0 < len(text) <= _LONGEST else f"a message of {len(text)} letters: {text[:300]!r}"
    except case.allowed:
        return ""
    except BaseException as error:
        if isinstance(error, KeyboardInterrupt):
            raise
        return f"{type(error).__name__}: {str(error)[:200]}\n{''.join(traceback.format_tb(error.__traceback__)[-4:])}"
    return ""


def _copied(source: Path, target: Path) -> Path:
    shutil.copytree(source, target)
    return target
