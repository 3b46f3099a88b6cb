"""The first ten minutes of a person with 10,000 photos, in a real browser: seconds from "Add these images" to the first map, and to all of it.

    python benchmarks/first_ten_minutes.py --pictures FOLDER    # also screenshots after 10 s, after 60 s and at the end
    python benchmarks/first_ten_minutes.py --photos FOLDER      # own photos

Without --photos, images of ../shared/data/cifar100_300.zip enlarged to 500 x 375 pixels, or the shipped ones. Peer: the network of the encoder
alone, fed with tensors in memory, in the same run. Needs Chromium.
"""

import argparse
import sys
import tempfile
import time
import zipfile
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np
from measuring.served import APP, served, wait_for
from PIL import Image

from likeness.data import read_dataset

FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking", "--disable-component-update"]
CIFAR = Path(__file__).resolve().parents[2] / "shared" / "data" / "cifar100_300.zip"
SIZE = (500, 375)
PEER_IMAGES = 512
MINUTE = 60_000  # milliseconds


def main() -> int:
    """Prints the table; status 1 where a screenshot's place cannot be written."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--photos", type=Path)
    parser.add_argument("--images", type=int, default=10_000)
    parser.add_argument("--pictures", type=Path, help="folder for screenshots")
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        photos = asked.photos or _enlarged(Path(scratch) / "photos", asked.images)
        n = len(read_dataset(str(photos)))
        peer = _network_alone(photos)
        print(f"network alone: {peer:.0f} images a second, so {n / peer:.0f} s for {n:,}", flush=True)
        for what, seconds in _walk(photos, n, asked.pictures):
            print(f"{seconds:7.1f} s  {what}" + (f": {seconds * peer / n:.2f} times the network alone" if what.startswith("all") else ""), flush=True)
    return 0


def _enlarged(folder: Path, n: int) -> Path:
    """A folder of JPEG files of the size that photos in collections have, a folder for each class."""
    names: list[str] = []
    if CIFAR.exists():
        names = sorted(name for name in zipfile.ZipFile(CIFAR).namelist() if name.endswith(".png"))
    sources = names or [str(path) for path in read_dataset("cars").paths()]
    step = max(1, len(sources) // n)
    chosen = sources[::step][:n]
    with ProcessPoolExecutor() as pool:
        list(pool.map(_write, [(folder, chosen[begin::16]) for begin in range(16)]))
    return folder


def _write(task: tuple[Path, list[str]]) -> None:
    folder, names = task
    archive = zipfile.ZipFile(CIFAR) if CIFAR.exists() else None
    for name in names:
        target = folder / Path(name).parent.name / f"{Path(name).stem}.jpg"
        target.parent.mkdir(parents=True, exist_ok=True)
        image = Image.open(BytesIO(archive.read(name)) if archive else name).convert("RGB")
        image.resize(SIZE, Image.Resampling.BICUBIC).save(target, quality=90)


def _network_alone(photos: Path) -> float:
    """Images a second of the encoder's network, which gets what is read and preprocessed."""
    from likeness.encoders import load_encoder
    from likeness.io import read_image

    encoder: Any = load_encoder("photos")
    paths = read_dataset(str(photos)).paths()
    prepared = [encoder.prepare(read_image(path)) for path in paths[:: max(1, len(paths) // PEER_IMAGES)][:PEER_IMAGES]]
    encoder.encode_prepared(prepared[:128])  # the first pass chooses kernels
    begin = time.perf_counter()
    vectors = [encoder.encode_prepared(prepared[start : start + 128]) for start in range(0, len(prepared), 128)]
    assert np.isfinite(np.concatenate(vectors)).all()
    return len(prepared) / (time.perf_counter() - begin)


def _walk(photos: Path, n: int, pictures: Path | None) -> Iterator[tuple[str, float]]:
    """What happened, and after how many seconds."""
    from playwright.sync_api import sync_playwright

    with tempfile.TemporaryDirectory() as cache, sync_playwright() as play, served([*APP, "--no-token", "--port"], cache) as (url, _):
        wait_for(url)
        page = play.chromium.launch(executable_path="/usr/bin/chromium", args=FLAGS).new_page(viewport={"width": 1440, "height": 900})
        page.set_default_timeout(20 * MINUTE)
        page.goto(f"{url}/images")
        field = page.get_by_placeholder("photos/birds")
        field.fill(str(photos))
        field.press("Enter")
        page.wait_for_timeout(2000)
        page.get_by_role("button", name="Add these images").first.click()
        begin = time.perf_counter()
        shots = _shots(page, pictures, begin)
        link = page.get_by_text("Explore the first").first
        _until(page, link.is_visible, shots)
        yield f"page offers: {link.inner_text()}", time.perf_counter() - begin
        link.click()
        _until(page, page.locator(".lm[data-state='ready']").first.is_visible, shots)
        yield "first map", time.perf_counter() - begin
        heading, seen = page.locator("h3").first, ""
        while not seen.startswith(f"{n:,} "):
            _until(page, lambda before=seen: heading.is_visible() and heading.inner_text() != before, shots)
            seen = heading.inner_text()
            if not seen.startswith(f"{n:,} "):
                yield f"map of {seen}", time.perf_counter() - begin
        yield f"all on the map: {seen}", time.perf_counter() - begin
        _until(page, lambda: "being computed" not in page.locator(".lm").first.inner_text(), shots)
        yield "map of all laid out", time.perf_counter() - begin
        shots(end=True)


def _shots(page: Any, folder: Path | None, begin: float) -> Callable[..., None]:
    """Takes the screenshots that are due."""
    due = [10, 60]

    def take(end: bool = False) -> None:
        passed = time.perf_counter() - begin
        while folder and due and passed > due[0]:
            page.screenshot(path=folder / f"after-{due.pop(0)}-s.png")
        if folder and end:
            page.wait_for_timeout(1500)
            page.screenshot(path=folder / "end.png")

    if folder:
        folder.mkdir(parents=True, exist_ok=True)
    return take


def _until(page: Any, is_so: Callable[[], bool], shots: Callable[..., None]) -> None:
    while not is_so():
        shots()
        page.wait_for_timeout(200)


if __name__ == "__main__":
    sys.exit(main())
