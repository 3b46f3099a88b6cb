"""Fixtures for all tests."""

import os
import shutil
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

if "PYTEST_XDIST_WORKER" in os.environ:  # there is a worker for each processor: more threads, here or in what is begun here, wait for each other
    os.environ.setdefault("OMP_NUM_THREADS", "1")
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    os.environ.setdefault("NUMBA_NUM_THREADS", "1")  # it sets OpenMP's number, which torch shares, to its own

import numpy as np
import pytest
from hypothesis import settings
from PIL import Image

settings.register_profile("without clock", deadline=None)  # a busy machine is no fault
settings.load_profile("without clock")

ROOT = Path(__file__).resolve().parent.parent
# what asks for one of these starts clusters, other servers or several processes: `make test-all` alone takes the time
LONG = {"cluster", "installed", "lab", "pair"}
MAIN = sys.modules["__main__"]
CHROMIUM = shutil.which("chromium")
FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run"]
FLAGS += ["--disable-background-networking", "--disable-component-update", "--disable-sync"]


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_auto_num_workers() -> int:
    """Half as many again as there are processors, for a test of a browser waits for the browser and for a server."""
    return (os.cpu_count() or 1) * 3 // 2


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Marks tests by what they ask for, and brings files with a browser to the front: what waits is done while there is other work."""
    for item in items:
        fixtures = set(getattr(item, "fixturenames", ()))
        if "browser" in fixtures:
            item.add_marker(pytest.mark.browser)
        if fixtures & LONG:
            item.add_marker(pytest.mark.long)
    waiting = {item.path for item in items if item.get_closest_marker("browser")}
    items.sort(key=lambda item: item.path not in waiting)


def pytest_runtest_setup() -> None:
    """AppTest leaves its page as the main module, which a process that a later test spawns would run again."""
    sys.modules["__main__"] = MAIN


@pytest.fixture(scope="session")
def shared() -> Path:
    """The folder of reference numbers and real data beside the project; tests that need it skip where it is absent."""
    folder = ROOT.parent / "shared"
    if not folder.is_dir():
        pytest.skip("the folder ../shared is not here")
    return folder


@pytest.fixture(scope="session")
def browser() -> Iterator[Any]:
    """Debian's Chromium, whose pages count the runs of the app's script (`browsing.settled`); tests that need it skip where it is missing."""
    if CHROMIUM is None:
        pytest.skip("Chromium is not installed")
    from playwright.sync_api import sync_playwright

    from browsing import WATCH

    def watched(begin: Callable[..., Any]) -> Callable[..., Any]:
        def call(**options: Any) -> Any:
            begun = begin(**options)
            begun.add_init_script(WATCH)
            return begun

        return call

    with sync_playwright() as play:
        chromium = play.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        chromium.new_page, chromium.new_context = watched(chromium.new_page), watched(chromium.new_context)
        yield chromium
        chromium.close()


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Each test has a cache of its own."""
    folder = tmp_path / "cache"
    monkeypatch.setenv("LIKENESS_CACHE", str(folder))
    return folder


@pytest.fixture(autouse=True)
def unconfined(monkeypatch: pytest.MonkeyPatch) -> None:
    """What a test sets for a whole process (confined folders, no downloads, no modules of the current folder) ends with it."""
    for variable in ("LIKENESS_CONFINED", "HF_HUB_OFFLINE", "PYTHONSAFEPATH"):
        monkeypatch.setenv(variable, os.environ.get(variable, ""))


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> Callable[..., tuple[int, str, str]]:
    """Runs a command line, `likeness` and these arguments; exit status, stdout and stderr."""
    from likeness.commands.cli import main

    def call(*arguments: str) -> tuple[int, str, str]:
        monkeypatch.setattr(sys, "argv", ["likeness", *arguments])
        status = 0
        try:
            main()
        except SystemExit as end:
            status = int(end.code or 0)
        return status, *capfd.readouterr()

    return call


def _photo(width: int, height: int, seed: int = 0) -> Image.Image:
    """An RGB image with detail at all scales."""
    noise = np.random.default_rng(seed).integers(0, 256, (height, width, 3), dtype=np.uint8)
    return Image.fromarray(noise)


@pytest.fixture(scope="session")
def photo() -> Callable[..., Image.Image]:
    """Makes an image with detail at all scales: `photo(width, height, seed=0)`."""
    return _photo


@pytest.fixture(scope="session")
def tiny_clip(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Folder of a tiny open_clip model with random weights; not to be changed."""
    from tiny_models import save_clip

    return save_clip(tmp_path_factory.mktemp("open_clip") / "tiny")


@pytest.fixture(scope="session")
def tiny_bert(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Folder of a tiny BERT with random weights; not to be changed."""
    from tiny_models import save_transformers

    return save_transformers(tmp_path_factory.mktemp("transformers") / "bert")


@pytest.fixture(scope="session")
def tiny_timm(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Folder of a tiny timm model with random weights; not to be changed."""
    from tiny_models import save_timm

    return save_timm(tmp_path_factory.mktemp("timm"))


@pytest.fixture
def hub(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    """A hub on this machine that serves what a test puts into its `repositories`, and fails as it is told; with an empty cache of its files."""
    from fake_hub import serve_hub, use_hub

    with serve_hub() as served:
        use_hub(monkeypatch, served.address, tmp_path / "hub")
        yield served


@pytest.fixture
def odd_names(tmp_path: Path) -> Path:
    """A folder of seven images whose names, and that of a subfolder and its own, are not what programs expect."""
    names = [b"cl\xe9/caf\xe9.png", b"ok/new\nline.png", b"ok/caf\xe9 2.png", b"ok/plain.png"]
    names += [name.encode() for name in ("ok/😀.png", "ok/\u202egnp.exe.png", "ok/שלום.png")]
    folder = os.fsencode(tmp_path) + b"/phot\xf6s"
    for number, name in enumerate(names):
        os.makedirs(os.path.dirname(folder + b"/" + name), exist_ok=True)
        with open(folder + b"/" + name, "xb") as file:
            Image.fromarray(np.random.default_rng(number).integers(0, 256, (16, 16, 3), dtype=np.uint8)).save(file, "PNG")
    return Path(os.fsdecode(folder))


@pytest.fixture(scope="session")
def progressive_jpeg() -> Callable[[int, int, int], bytes]:
    """Makes the content of a progressive JPEG: `progressive_jpeg(width, height, scans)`, at least two scans."""
    from hostile_images import progressive_jpeg as make

    return make
