"""Which faults the tests would notice: `python tests/mutations.py [--only TEXT] [--out FILE.csv] [--clean]`.

Each line of `mutations.tsv` is one small fault: the file, a text that stands there once, what takes its place, what breaks, and the tests that ought
to notice, files or folders below `tests/` with blanks between; none: those that mirror the file. One fault after the other is put into a copy of the
project, whose tests run on the copy until the first one fails; the working tree is not touched. A fault that survives is a gap in the tests, or
changes nothing that anybody could see. It may take an hour. `--clean` runs the same tests without a fault, which all have to pass.
"""

import argparse
import contextlib
import csv
import importlib
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import traceback
from collections import Counter
from collections.abc import Callable, Iterable
from pathlib import Path
from types import ModuleType
from typing import NamedTuple, NoReturn

import pytest

ROOT = Path(__file__).resolve().parents[1]
_LIST = Path(__file__).with_suffix(".tsv")
_SECONDS = 1800  # for the tests of one fault: what takes longer hangs, or the machine is too busy
_NOTICED = (1, 2, 4)  # exit statuses of pytest: a test failed, a file or the fixtures cannot be imported
_FIRST = re.compile(r"^(?:FAILED|ERROR) (?:tests/)?(\S+)", re.MULTILINE)
# imported once, so that the tests of each fault begin at once; none that the project imports in a way of its own, as Numba
_PACKAGES = ("pandas", "PIL.Image", "scipy.stats", "sklearn.cluster", "torch", "torchvision", "lightning.pytorch", "timm", "open_clip")
_PACKAGES += ("faiss", "plotly.graph_objects", "pydantic", "streamlit.testing.v1", "pytorch_metric_learning.losses", "typer")
_PROBE = """
from pathlib import Path
import likeness
from server import access

def test_the_copy_is_imported():
    assert all(Path(each.__file__).is_relative_to(Path(__file__).parents[1]) for each in (access, likeness))
"""


class Mutation(NamedTuple):
    """One fault.

    Attributes:
        file: below the root of the project.
        old, new: the text that is there, and the one in its place.
        breaks: a sentence.
        tests: paths below `tests/`.
    """

    file: str
    old: str
    new: str
    breaks: str
    tests: tuple[str, ...]


class Outcome(NamedTuple):
    """What tests said: "passed" or "failed", of a fault "survived" or "caught", or why they could not run; seconds, and the first that failed."""

    result: str
    seconds: float
    first: str


def read_mutations() -> list[Mutation]:
    """The faults, in the order of the list."""
    with _LIST.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE))
    return [Mutation(row["file"], row["old"], row["new"], row["breaks"], _tests_of(row["file"], row["tests"] or "")) for row in rows]


def _tests_of(file: str, listed: str) -> tuple[str, ...]:
    """What is listed, or the mirror: a test file of the module's name, or else the folder."""
    if listed:
        return tuple(listed.split())
    module = Path(file).relative_to("core/likeness") if file.startswith("core/") else Path(file)
    mirror = module.with_name(f"test_{module.name.lstrip('_')}")
    return (str(mirror if (ROOT / "tests" / mirror).is_file() else mirror.parent),)


def problem(mutation: Mutation) -> str:
    """Why a fault cannot be tried, in a few words; empty where it can."""
    file = ROOT / mutation.file
    if not file.is_file():
        return "no such file"
    missing = next((each for each in mutation.tests if not (ROOT / "tests" / each).exists()), None)
    count = file.read_text(encoding="utf-8").count(mutation.old)
    return f"no tests in {missing}" if missing else "" if count == 1 else "old text not found" if not count else "old text not unique"


class Copy:
    """A copy of the project, as git lists its files, whose code its tests import."""

    def __init__(self, folder: Path) -> None:
        self.root = folder / "project"
        listed = subprocess.run(["git", "ls-files", "-zco", "--exclude-standard"], cwd=ROOT, capture_output=True, text=True, check=True).stdout
        for name in filter(None, listed.split("\0")):
            if (ROOT / name).is_file():
                (self.root / name).parent.mkdir(parents=True, exist_ok=True)
                shutil.copyfile(ROOT / name, self.root / name)
        if (ROOT.parent / "shared").is_dir():  # beside the project, as some tests look for it
            (folder / "shared").symlink_to(ROOT.parent / "shared")

    def check(self) -> None:
        """Ends the program unless tests import the copy: an environment that was installed as editable names the working tree."""
        probe = self.root / "tests" / "test_probe.py"
        probe.write_text(_PROBE)
        try:
            if self.run([probe.name]).result != "passed":
                sys.exit("The tests of the copy import another code than its own.")
        finally:
            probe.unlink()

    def try_out(self, mutation: Mutation) -> Outcome:
        """What the tests say of a fault."""
        if wrong := problem(mutation):
            return Outcome(wrong, 0.0, "")
        file = self.root / mutation.file
        before = file.read_text(encoding="utf-8")
        try:
            self._write(file, before.replace(mutation.old, mutation.new))
            found = self.run(mutation.tests)
            return found._replace(result={"passed": "survived", "failed": "caught"}.get(found.result, found.result))
        finally:
            self._write(file, before)

    def run(self, tests: Iterable[str]) -> Outcome:
        """The outcome of these tests, up to the first that fails."""
        arguments = [
            "-x",
            "-q",
            "-W",
            "ignore::pytest.PytestAssertRewriteWarning",
            "-p",
            "no:cacheprovider",
            "-m",
            "not browser",
            *(f"tests/{each}" for each in tests),
        ]
        begun = time.monotonic()
        with tempfile.TemporaryFile("w+") as said:
            process = os.fork()
            if not process:
                self._become_pytest(arguments, said.fileno())
            status = _wait(process, begun + _SECONDS)
            said.seek(0)
            first = _FIRST.search(said.read())
        seconds = time.monotonic() - begun
        if status is None:
            return Outcome("took too long", seconds, "")
        result = "passed" if status == 0 else "failed" if status in _NOTICED else f"pytest ended with {status}"
        return Outcome(result, seconds, first[1] if first else "")

    def _become_pytest(self, arguments: list[str], output: int) -> NoReturn:
        """Runs pytest in the copy, in a process of its own group, which has the packages of others already."""
        status = 3
        try:
            os.setsid()
            signal.signal(signal.SIGTERM, signal.SIG_DFL)
            os.dup2(output, 1)
            os.dup2(output, 2)
            os.chdir(self.root)
            sys.path[:1] = [str(self.root / "core")]  # in place of this file's folder
            os.environ["PYTHONPATH"] = sys.path[0]
            sys.modules["__main__"] = ModuleType("__main__")  # which processes that tests start would import
            status = pytest.main(arguments)
        except BaseException:
            traceback.print_exc()
        finally:
            sys.stdout.flush()
            sys.stderr.flush()
            os._exit(status)

    @staticmethod
    def _write(file: Path, content: str) -> None:
        """Writes a module; what was compiled of it goes, since a file of the same size and second counts as unchanged."""
        file.write_text(content, encoding="utf-8")
        for compiled in (file.parent / "__pycache__").glob(f"{file.stem}.*.pyc"):
            compiled.unlink()


def _wait(process: int, end: float) -> int | None:
    """The exit status of a process, None where it takes too long; what is left of it, and of what it started, is ended."""
    status = None
    try:
        while status is None and time.monotonic() < end:
            time.sleep(0.05)
            done, ended = os.waitpid(process, os.WNOHANG)
            status = os.waitstatus_to_exitcode(ended) if done else None
    finally:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process, signal.SIGKILL)
        if status is None:
            os.waitpid(process, 0)
    return status


def _measured(names: Iterable[tuple[str, str]], run: Callable[[int], Outcome], out: Path | None) -> Counter[str]:
    """Prints and keeps a line for each; how many came out how."""
    results: Counter[str] = Counter()
    with (out or Path(os.devnull)).open("w", encoding="utf-8", newline="") as file:
        table = csv.writer(file, lineterminator="\n")
        table.writerow(["result", "seconds", "name", "what", "first"])
        for number, (name, what) in enumerate(names):
            found = run(number)
            results[found.result] += 1
            table.writerow([found.result, f"{found.seconds:.1f}", name, what, found.first])
            file.flush()
            print(f"{found.result:9} {found.seconds:6.1f} s  {name}: {what} {found.first}".rstrip(), flush=True)
    return results


def main() -> int:
    """Tries the faults, or the tests alone; 1 where a fault survived or could not be tried, or a test failed."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", default="", metavar="TEXT", help="only faults whose file or sentence holds this text")
    parser.add_argument("--out", type=Path, metavar="FILE.csv", help="also write the table there")
    parser.add_argument("--clean", action="store_true", help="run the tests of the faults without them")
    given = parser.parse_args()
    chosen = [each for each in read_mutations() if given.only in each.file or given.only in each.breaks]
    tests = list(dict.fromkeys(path for each in chosen for path in each.tests))
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # so that the copy goes, too
    os.environ.setdefault("OMP_NUM_THREADS", "1")
    for name in _PACKAGES:
        importlib.import_module(name)
    with tempfile.TemporaryDirectory(prefix="likeness-mutations-") as folder:
        copy = Copy(Path(folder))
        copy.check()
        if given.clean:
            results = _measured(((each, "") for each in tests), lambda number: copy.run([tests[number]]), given.out)
        else:
            results = _measured(((each.file, each.breaks) for each in chosen), lambda number: copy.try_out(chosen[number]), given.out)
    print(", ".join(f"{count} {result}" for result, count in results.most_common()))
    return int(set(results) != {"passed" if given.clean else "caught"})


if __name__ == "__main__":
    sys.exit(main())
