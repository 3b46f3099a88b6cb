"""The map at 100,000 and 1,000,000 points in a browser: time to the first picture, frames a second while panning, from lasso to gallery.

First the map alone beside peers from npm, the same points on the same page; then Explore itself, its vectors in the encoder's space and its
map their PCA. Chromium runs without a graphics card, as on a server: WebGL is then played by the processor (SwiftShader).

`python benchmarks/scale/million_points.py --quick` takes 20,000 and 100,000 points.
"""

import argparse
import contextlib
import functools
import http.server
import os
import socket
import statistics
import subprocess
import sys
import tempfile
import threading
import time
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1]))

from map_pages import write_own, write_peers, write_points
from measuring.record import record

CHROMIUM = "/usr/bin/chromium"
FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking", "--disable-component-update"]
PAN_SECONDS = 4.0
QUICK = 10.0  # seconds to a first picture that may be waited for again
WAIT = 120_000
_COUNT = "() => { window.times = []; const see = (t) => { window.times.push(t); requestAnimationFrame(see); }; requestAnimationFrame(see); }"
_ARRIVED = '() => Math.max(...performance.getEntriesByType("resource").filter((e) => e.name.endsWith(".bin")).map((e) => e.responseEnd))'
_SHOWN = """(first) => new Promise((done) => { const see = () => {
  const tiles = [...first.getRootNode().querySelectorAll(".ga-tile img")].slice(0, 9);
  if (tiles.length === 9 && tiles.every((tile) => tile.complete && tile.naturalWidth)) done(); else requestAnimationFrame(see); }; see(); })"""


class _Quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *_: Any) -> None:
        pass


@contextlib.contextmanager
def pages(folder: Path) -> Iterator[str]:
    """Serves a folder; yields its address."""
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(_Quiet, directory=str(folder)))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_address[1]}"
    server.shutdown()


@contextlib.contextmanager
def explore(n: int) -> Iterator[str]:
    """The app on n images; yields its address once it answers."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    script = Path(__file__).parent / "million_server.py"
    options = ["--server.headless=true", "--browser.gatherUsageStats=false", "--server.fileWatcherType=none", "--server.address=127.0.0.1"]
    process = subprocess.Popen(
        [sys.executable, "-m", "streamlit", "run", str(script), f"--server.port={port}", *options],
        cwd=script.parents[2] / "app", env=os.environ | {"LIKENESS_POINTS": str(n)}, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
    )  # fmt: skip
    try:
        while process.poll() is None:
            with contextlib.suppress(OSError), urllib.request.urlopen(f"http://127.0.0.1:{port}/_stcore/health", timeout=2):
                break
            time.sleep(0.3)
        if process.returncode is not None:
            raise RuntimeError(f"The app ended with status {process.returncode}.")
        yield f"http://127.0.0.1:{port}"
    finally:
        process.terminate()
        process.wait(20)


def frames_while_panning(page: Any, box: dict[str, float]) -> float:
    """Frames a second while the pointer drags the map in circles."""
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(x + 5, y + 5)
    page.evaluate(_COUNT)
    begin, step = time.perf_counter(), 0
    while time.perf_counter() - begin < PAN_SECONDS:
        step += 1
        page.mouse.move(x + 90 * (step % 40) / 40, y + 60 * abs(step % 30 - 15) / 15)
    times = page.evaluate("window.times")
    page.mouse.up()
    return 1000 * (len(times) - 1) / (times[-1] - times[0]) if len(times) > 1 else 1 / PAN_SECONDS


def alone(browser: Any, url: str, name: str, n: int) -> tuple[float, float]:
    """Seconds from data in the browser to the first picture, of three times where it is quick, and frames a second while panning."""
    page, first = opened(browser, url, name, n)
    frames = frames_while_panning(page, {"x": 0, "y": 0, "width": 900, "height": 620})
    page.close()
    firsts = [first]
    while first < QUICK and len(firsts) < 3:
        page, again = opened(browser, url, name, n)
        page.close()
        firsts.append(again)
    return statistics.median(firsts), frames


def opened(browser: Any, url: str, name: str, n: int) -> tuple[Any, float]:
    """A page with its points drawn, and the seconds that this took once it had them."""
    page = browser.new_page(viewport={"width": 900, "height": 620})
    page.set_default_timeout(WAIT)
    page.goto(f"{url}/{name}.html?n={n}")
    page.wait_for_function("window.drawn !== undefined")
    return page, page.evaluate("window.drawn") / 1000


def compare(browser: Any, sizes: list[int]) -> None:
    """The map alone beside its peers."""
    with tempfile.TemporaryDirectory() as scratch, pages(Path(scratch)) as url:
        folder = Path(scratch)
        bytes_of = {f"own-{renderer}": write_own(folder, renderer) for renderer in ("auto", "webgl")} | write_peers(folder)
        best = next((name for name in ("regl-scatterplot", "deck.gl") if name in bytes_of), "")
        for n in sizes:
            write_points(folder, n)
            found = {name: alone(browser, url, name, n) for name in bytes_of}
            for name, (first, frames) in found.items():
                told = f"first picture {first:6.2f} s   panning {frames:5.1f} frames/s   script {bytes_of[name] / 1000:,.0f} kB"
                print(f"{n:>9,} points  {name:<18} {told}")
            figures = ("seconds to the first picture", "s", 2), ("frames a second while panning", "1/s", 1)
            for (what, unit, digits), own, peer in zip(figures, found["own-auto"], found.get(best, (None, None)), strict=True):
                record("map", what, n, round(own, digits), unit, best or "npm is not here", peer and round(peer, digits))


def lasso(page: Any, box: dict[str, float]) -> float:
    """Seconds from letting go of a lasso until the pictures of its images stand below."""
    page.get_by_role("button", name="Lasso").click()
    at = [(box["x"] + x * box["width"], box["y"] + y * box["height"]) for x, y in ((0.3, 0.3), (0.7, 0.3), (0.7, 0.7), (0.3, 0.7), (0.3, 0.32))]
    page.mouse.move(*at[0])
    page.mouse.down()
    for place in at[1:]:
        page.mouse.move(*place, steps=10)
    begin = time.perf_counter()
    page.mouse.up()
    page.get_by_role("heading", name="selected").wait_for()
    page.locator(".ga-tile img").first.evaluate(_SHOWN)
    seconds = time.perf_counter() - begin
    page.get_by_role("button", name="Clear", exact=True).click()
    page.get_by_role("heading", name="images").wait_for()
    return seconds


def open_map(browser: Any, url: str) -> tuple[Any, float, float]:
    """The page, seconds from navigation to the first picture, and of these the seconds after the data had arrived."""
    page = browser.new_page(viewport={"width": 1440, "height": 900})
    page.set_default_timeout(WAIT)
    page.goto(url)
    page.wait_for_selector(".lm[data-drawn=true]")
    drawn, arrived = page.evaluate("performance.now()"), page.evaluate(_ARRIVED)
    page.wait_for_timeout(300)
    page.wait_for_selector("[data-testid='stApp'][data-test-script-state='notRunning']")
    return page, drawn / 1000, (drawn - arrived) / 1000


def whole(browser: Any, n: int) -> None:
    """Explore itself."""
    with explore(n) as url:
        page, cold, _ = open_map(browser, f"{url}/?layout=PCA")
        page.close()
        page, opened, after = open_map(browser, f"{url}/?layout=PCA")
        box = page.locator(".lm-overlay").bounding_box()
        frames = frames_while_panning(page, box)
        page.keyboard.press("0")
        seconds = [lasso(page, box) for _ in range(3)]
        page.close()
        pair, _, _ = open_map(browser, f"{url}/?layout=PCA&b=Car%20color")
        both = frames_while_panning(pair, pair.locator(".lm-overlay").first.bounding_box())
        pair.close()
    print(f"{n:>9,} images  Explore: first visitor {cold:.1f} s, next {opened:.2f} s, of these {after:.2f} s after the data came;", end=" ")
    print(f"panning {frames:.1f} frames/s, one of two maps {both:.1f}; lasso to gallery {statistics.median(seconds):.2f} s")
    record("map", "seconds from opening Explore to the first picture", n, round(opened, 2), "s")
    record("map", "seconds from the data to the first picture in Explore", n, round(after, 2), "s")
    record("map", "frames a second while panning in Explore", n, round(frames, 1), "1/s")
    record("map", "frames a second while panning one of two maps in Explore", n, round(both, 1), "1/s")
    record("map", "seconds from lasso to gallery", n, round(statistics.median(seconds), 2), "s")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="20,000 and 100,000 points")
    sizes = [20_000, 100_000] if parser.parse_args().quick else [100_000, 1_000_000]
    from playwright.sync_api import sync_playwright

    with sync_playwright() as play:
        browser = play.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        compare(browser, sizes)
        for n in sizes:
            whole(browser, n)
        browser.close()


if __name__ == "__main__":
    main()
