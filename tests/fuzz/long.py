"""The fuzz at length, of files, commands and messages in turns: `make fuzz`, or `python tests/fuzz/long.py --minutes 20 --only messages`.

Prints each kind of defect once, then numbers; ends with status 1 where there was any. Memory is limited, so that a bomb shows.
"""

import argparse
import os
import re
import resource
import subprocess
import sys
import tempfile
import time
import warnings
from collections import Counter
from collections.abc import Callable
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "app"))
sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
sys.path.insert(0, str(Path(__file__).parent))

from app_server import AppServer
from cases import cases
from command_fuzz import attack_commands
from fuzzing import Found, attack
from message_fuzz import aftermath, attack_pages, attack_routes, attack_socket

_FILES, _CALLS, _MESSAGES = 10, 140, 12  # inputs of a turn: for each reader, in all, and for each page
_MEMORY = 3 << 30  # bytes beyond what the libraries take
_Turn = Callable[[Path, int, float], tuple[int, list[Found]]]


def files(folder: Path, turn: int, end: float) -> tuple[int, list[Found]]:
    """Every reader of files on damaged ones, in a process that may take so much memory and no more."""
    arguments = [sys.executable, __file__, "--files", str(turn * _FILES), "--minutes", str((end - time.monotonic()) / 60)]
    answer = subprocess.run(arguments, capture_output=True, text=True, check=False, env=os.environ | {"TMPDIR": str(folder)})
    if answer.returncode:
        return 0, [Found("files", turn, f"the process ended with status {answer.returncode}\n{answer.stderr[-2000:]}")]
    *told, tried = answer.stdout.split("\f")
    return int(tried), [Found(name, int(seed), what) for name, seed, what in (each.split("\v") for each in told)]


def _files_here(begin: int, end: float) -> None:
    warnings.simplefilter("ignore")
    most = _address_space_with_libraries() + _MEMORY
    resource.setrlimit(resource.RLIMIT_AS, (most, most))
    for case in cases():
        with tempfile.TemporaryDirectory() as folder:
            for each in attack(case, Path(folder) / "f", range(begin, begin + _FILES), end):
                print(each.case, each.seed, each.what, sep="\v", end="\f")
    print(len(cases()) * _FILES)


def _address_space_with_libraries() -> int:
    """Bytes of address space of this process once the largest libraries are imported, most of it what torch maps and never touches."""
    import lightning  # noqa: F401
    import open_clip  # noqa: F401
    from transformers import BertModel  # noqa: F401

    return int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()


def calls(folder: Path, turn: int, end: float) -> tuple[int, list[Found]]:
    """Every command with drawn arguments."""
    return attack_commands(folder / "calls", turn * _CALLS, _CALLS, end - time.monotonic())


def messages(folder: Path, turn: int, end: float) -> tuple[int, list[Found]]:
    """A served app."""
    seeds = range(turn * _MESSAGES, (turn + 1) * _MESSAGES)
    with AppServer(folder / "app") as server:
        sent, found = attack_pages(server, seeds, end)
        attack_socket(server, seeds)
        routes = range(turn * 200, (turn + 1) * 200)
        found += attack_routes(server, routes)
        return sent + len(seeds) + len(routes), found + aftermath(server)


KINDS: dict[str, _Turn] = {"files": files, "commands": calls, "messages": messages}


def kind_of(defect: Found) -> str:
    """What equal defects have in common: who was asked, and the last two lines of the answer without numbers."""
    return f"{defect.case}: {re.sub(r'[0-9]+', '#', ' '.join(defect.what.splitlines()[-2:]))[-300:]}"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--minutes", type=float, default=30)
    parser.add_argument("--begin", type=int, default=0, help="the first turn, whose seeds follow from its number")
    parser.add_argument("--only", choices=list(KINDS), help="one of the three")
    parser.add_argument("--files", type=int, help=argparse.SUPPRESS)
    asked = parser.parse_args()
    end, turn, tried, seen = time.monotonic() + 60 * asked.minutes, asked.begin, Counter[str](), Counter[str]()
    if asked.files is not None:
        _files_here(asked.files, end)
        return 0
    while time.monotonic() < end:
        for name in [asked.only] if asked.only else KINDS:
            if time.monotonic() > end:
                break
            with tempfile.TemporaryDirectory() as folder:
                number, found = KINDS[name](Path(folder), turn, end)
            tried[name] += number
            for each in found:
                seen[kind_of(each)] += 1
                if seen[kind_of(each)] == 1:
                    print(f"== {name}: {each.case}, seed {each.seed}\n{each.what}", flush=True)
        turn += 1
        print(f"-- {', '.join(f'{number:,} {name}' for name, number in tried.items())}; {len(seen)} kinds of defects", flush=True)
    return int(bool(seen))


if __name__ == "__main__":
    sys.exit(main())
