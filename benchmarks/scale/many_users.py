"""Twenty browsers on one shared server that edit notions and search at once, beside one browser alone.

Prints seconds per action (an edit until its refit is shown, a search until its pictures are), what the server holds in memory, and that
nobody sees another's state. Needs Chromium; `--quick` takes four browsers.
"""

import argparse
import asyncio
import os
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from collections import OrderedDict
from pathlib import Path
from typing import Any

import numpy as np
import psutil

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "app"))

from measuring import record as kept
from measuring.child import in_child
from measuring.served import APP, served, wait_for

_WAIT = 120_000
_FLAGS = ("--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking", "--disable-sync")
_COLORS = ("red", "blue", "green", "white", "black", "yellow", "gray", "orange", "silver", "purple", "teal", "navy", "maroon", "olive", "lime")
_BODIES = ("sedan", "van", "pickup", "suv", "coupe", "hatchback", "truck", "bus")


_keep = [True]


def record(*figure: Any) -> None:
    """Keeps a figure, but not those of a trial."""
    if _keep[0]:
        kept.record(*figure)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--users", type=int, default=20)
    parser.add_argument("--rounds", type=int, default=2, help="edits and searches of each user")
    parser.add_argument("--quick", action="store_true")
    asked = parser.parse_args()
    users, rounds = (4, 2) if asked.quick else (asked.users, asked.rounds)
    if asked.quick:
        _keep[0] = False
    _browsers(users, rounds)
    _server_alone(users)
    _cache_in_bytes(20_000 if asked.quick else 100_000)


def _browsers(users: int, rounds: int) -> None:
    chromium = shutil.which("chromium")
    if chromium is None:
        print("Chromium is not installed, so no browser was measured.")
        return
    with tempfile.TemporaryDirectory() as cache, served([*APP, "--shared", "--port"], cache) as (url, server):
        wait_for(url)
        asyncio.run(_measure(chromium, url, server, users, rounds))


async def _measure(chromium: str, url: str, server: "subprocess.Popen[bytes]", users: int, rounds: int) -> None:
    from playwright.async_api import async_playwright

    async with async_playwright() as play:
        browser = await play.chromium.launch(executable_path=chromium, args=list(_FLAGS))
        first = _User(0, await _page(browser), url)
        await first.open()
        await first.round(0)  # the encoder is loaded
        first.edits.clear()
        first.searches.clear()
        for number in range(1, 7):
            await first.round(number)
        alone_edits, alone_searches = list(first.edits), list(first.searches)
        before = _memory_gb(server)
        others = [_User(number, await _page(browser), url) for number in range(1, users)]
        everyone = [first, *others]
        begin = time.perf_counter()
        for user in others:  # one after the other: here actions are measured, not first loads
            await user.open()
        print(f"{len(others)} more browsers opened in {time.perf_counter() - begin:.0f} s", flush=True)
        for user in everyone:
            user.edits.clear()
            user.searches.clear()
        begin, busy = time.perf_counter(), _processor_seconds(server)
        await asyncio.gather(*(user.rounds(20, rounds) for user in everyone))
        together, busy = time.perf_counter() - begin, _processor_seconds(server) - busy
        seen = [await user.sees_only_its_own(everyone) for user in everyone]
        after = _memory_gb(server)
        await browser.close()
    print(
        f"{users} browsers, {sum(seen)} of them see their own state and nobody else's; {rounds} edits and {rounds} searches each in {together:.0f} s"
    )
    _print("edit until the refit is shown", alone_edits, [second for user in everyone for second in user.edits], users)
    _print("search until the pictures are shown", alone_searches, [second for user in everyone for second in user.searches], users)
    print(f"memory of the server: {before:.2f} GB with one browser, {after:.2f} GB with {users}")
    told = f"{busy:.0f} of {together * (os.cpu_count() or 1):.0f} s of the processors' time; the rest is the browsers'"
    print(f"the server took {told}")
    record("users", "processor time of the server for an edit and a search", users, round(busy / users / rounds, 2), "s")
    record("users", "browsers that see only their own state", users, sum(seen), "browsers", "all", users)
    record("users", "memory of the server", users, round(after, 2), "GB", "one browser", round(before, 2))
    if not all(seen):
        raise SystemExit("a browser saw another's state")


def _print(what: str, alone: list[float], together: list[float], users: int) -> None:
    for share in (50, 95):
        one, many = np.percentile(alone, share), np.percentile(together, share)
        print(f"{what}, {share}th percentile: {one:.2f} s alone, {many:.2f} s with {users} at once ({many / one:.1f} times)")
        record("users", f"{what}, p{share}", users, round(float(many), 2), "s", "one browser alone", round(float(one), 2))


async def _page(browser: Any) -> Any:
    context = await browser.new_context(viewport={"width": 1024, "height": 800})
    page = await context.new_page()
    page.set_default_timeout(_WAIT)
    return page


class _User:
    """One browser: what it typed last, and how long each answer took."""

    def __init__(self, number: int, page: Any, url: str) -> None:
        self.number, self.page, self.url = number, page, url
        self.words: list[str] = []
        self.text = ""
        self.edits: list[float] = []
        self.searches: list[float] = []

    async def open(self) -> None:
        await self.page.goto(f"{self.url}/?layout=PCA")
        await self.page.wait_for_selector(".lm[data-state='ready']")

    async def rounds(self, begin: int, count: int) -> None:
        for number in range(begin, begin + count):
            await self.round(number)

    async def round(self, number: int) -> None:
        """Edits a notion in words of its own, then searches with a text of its own."""
        await self._edit(number)
        await self._search(number)

    async def _edit(self, number: int) -> None:
        page, draw = self.page, np.random.default_rng([self.number, number])
        await page.get_by_role("link", name="Notions", exact=True).click()
        await page.get_by_role("tab", name="Paste a list").click()
        field = page.get_by_label("One aspect per line")
        await field.wait_for()
        # as many words as nobody else has, so that the count tells whose fit is shown
        count = 2 + self.number % 10 + (number % 2)
        self.words = [f"{draw.choice(_COLORS)} {draw.choice(_BODIES)} {place}" for place in range(count)]
        await field.fill("\n".join(self.words))
        begin = time.perf_counter()
        await field.press("Control+Enter")
        await page.get_by_text(f"{len(self.words)} prompts,").wait_for()
        self.edits.append(time.perf_counter() - begin)

    async def _search(self, number: int) -> None:
        page = self.page
        await page.get_by_role("link", name="Explore", exact=True).click()
        field = page.get_by_label("Search by text")
        await field.wait_for()
        self.text = f"a {_COLORS[(self.number + number) % len(_COLORS)]} {_BODIES[self.number % len(_BODIES)]} {self.number}"
        await field.fill(self.text)
        begin = time.perf_counter()
        await field.press("Enter")
        await page.get_by_role("heading", name=f"Images for “{self.text}”").wait_for()
        await page.get_by_role("region", name="Nearest in").locator("img").first.wait_for()
        self.searches.append(time.perf_counter() - begin)

    async def sees_only_its_own(self, everyone: "list[_User]") -> bool:
        """Its words stand in its editor and its text above its pictures; no other's do."""
        shown = await self.page.locator("[data-testid='stMain']").inner_text()
        await self.page.get_by_role("link", name="Notions", exact=True).click()
        await self.page.get_by_role("tab", name="Paste a list").click()
        field = self.page.get_by_label("One aspect per line")
        await field.wait_for()
        typed = (await field.input_value()).splitlines()
        foreign = [user for user in everyone if user is not self and (f"“{user.text}”" in shown or user.words == typed)]
        return typed == self.words and f"“{self.text}”" in shown and not foreign


def _processor_seconds(server: "subprocess.Popen[bytes]") -> float:
    times = psutil.Process(server.pid).cpu_times()
    return times.user + times.system


def _memory_gb(server: "subprocess.Popen[bytes]") -> float:
    process = psutil.Process(server.pid)
    return sum(each.memory_info().rss for each in [process, *process.children(recursive=True)]) / 1e9


def _server_alone(users: int) -> None:
    """What edits at once cost the server, without the browsers, which draw their maps on the same processor here."""
    one, many = in_child(_edits_at_once, 1).result, in_child(_edits_at_once, users).result
    print(f"on the server alone: an edit takes {one:.2f} s, {users} edits at once {many:.2f} s until the last is done ({many / one:.1f} times)")
    record("users", "edits at once on the server until the last is done", users, round(many, 2), "s", "one edit", round(one, 2))


def _edits_at_once(count: int) -> float:
    """Seconds for so many threads, each of which fits a notion of its own, judges it and lays its map out by PCA."""
    from likeness.data import read_dataset
    from likeness.embedding import embed
    from likeness.evaluation import retrieval_metrics
    from likeness.notions import InDiReCT, Notion
    from likeness.projection import pca_map

    base = embed(read_dataset("cars"))
    labels = base.table.frame["car_color"].astype(str)

    def edit(number: int) -> None:
        aspects = tuple(f"{color} {number} {time.time_ns()}" for color in _COLORS[:4])  # words that no cache knows
        space = base.refit(Notion(f"notion {number}", "a {} car", aspects), InDiReCT(dim=128))
        retrieval_metrics(space.vectors, labels)
        pca_map(space.vectors)

    edit(-1)  # the encoder is loaded, loops are compiled
    threads = [threading.Thread(target=edit, args=(number,)) for number in range(count)]
    begin = time.perf_counter()
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return time.perf_counter() - begin


def _cache_in_bytes(n: int) -> None:
    """Many edits on many images: the fits that are kept, by their bytes and, as before, by their number."""
    bounded, counted = in_child(_edit_bounded, n), in_child(_edit_counted, n)
    told = f"{counted.peak_gb:.2f} GB where 64 fits are kept, whatever their size"
    told = f"{counted.peak_gb:.2f} GB where 64 fits are kept, whatever their size"
    print(f"100 edits on {n:,} images, 128 dimensions: {bounded.peak_gb:.2f} GB at most; {told}")
    record("users", "memory after 100 edits", n, round(bounded.peak_gb, 2), "GB", "64 fits kept, whatever their size", round(counted.peak_gb, 2))


def _edit_bounded(n: int) -> None:
    from parts.cached import BoundedCache

    kept: BoundedCache[np.ndarray] = BoundedCache(1_000_000_000, lambda rows: rows.nbytes)
    for edit in range(100):
        kept.get(edit, lambda: np.ones((n, 128), np.float32))


def _edit_counted(n: int) -> None:
    kept: OrderedDict[int, np.ndarray] = OrderedDict()
    for edit in range(100):
        kept[edit] = np.ones((n, 128), np.float32)
        while len(kept) > 64:
            kept.popitem(last=False)


if __name__ == "__main__":
    main()
