"""How soon the app answers, in a real browser: first map after `likeness app`, a refit after an edit, and neighbors after a click on one.

Prints the median of several runs. Needs Chromium. Peer: an empty Streamlit page, served and opened the same way in the same run, which is the
least that any Streamlit app takes.
"""

import argparse
import statistics
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from measuring.record import SMALL, add_record, record
from measuring.served import APP, served, wait_for

FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking", "--disable-component-update"]


def seconds_to(browser: Any, command: list[str], selector: str) -> float:
    """From starting the server, with an empty cache, until the selector is on the page."""
    with tempfile.TemporaryDirectory() as cache:
        start = time.perf_counter()
        with served(command, cache) as (url, _):
            wait_for(url)
            page = browser.new_page()
            page.goto(url)
            page.wait_for_selector(selector, timeout=60_000)
            seconds = time.perf_counter() - start
            page.close()
    return seconds


def refit_seconds(browser: Any, command: list[str], repeats: int) -> list[float]:
    """From pressing the keys that commit an edit until the new fit is told on the page."""
    with tempfile.TemporaryDirectory() as cache, served(command, cache) as (url, _):
        wait_for(url)
        page = browser.new_page()
        page.goto(url)
        page.get_by_role("link", name="Notions").click()
        page.get_by_text("17 prompts,").wait_for(timeout=60_000)
        page.wait_for_timeout(15_000)  # the encoder loads in the background; a person reads the page meanwhile
        found = []
        for repeat in range(repeats):
            field = page.get_by_role("textbox", name="Aspects, one per line")
            field.fill("\n".join(["red", "blue", "green", "black", *["white", "yellow", "orange", "silver"][: repeat + 1]]))
            start = time.perf_counter()
            field.press("Control+Enter")
            page.get_by_text(f"{5 + repeat} prompts,").wait_for(timeout=60_000)
            found.append(time.perf_counter() - start)
            page.wait_for_timeout(1500)
        page.close()
    return found


def click_seconds(browser: Any, command: list[str], repeats: int) -> list[float]:
    """From "more like this" on a neighbor until the line says what it did, with the neighbors that follow below it."""
    with tempfile.TemporaryDirectory() as cache, served(command, cache) as (url, _):
        wait_for(url)
        page = browser.new_page()
        page.goto(f"{url}/?a=Car%20color&query=0")
        page.locator(".ga-section").first.wait_for(timeout=60_000)
        page.wait_for_timeout(15_000)
        found = []
        for repeat in range(repeats + 1):
            start = time.perf_counter()
            page.get_by_role("button", name=f"More like this: rank {repeat + 1},").click()
            page.get_by_text(f"{repeat + 1} click").first.wait_for(timeout=60_000)
            found.append(time.perf_counter() - start)
            page.wait_for_timeout(1500)
        page.close()
    return found[1:]  # the first one reads the word lists


def main() -> None:
    """Prints the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=3)
    add_record(parser)
    options = parser.parse_args()
    runs = options.runs
    from playwright.sync_api import sync_playwright

    app = [*APP, "--no-token", "--port"]
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as play:
        script = Path(folder) / "empty.py"
        script.write_text("import streamlit as st\nst.title('Empty')\n")
        empty = [
            sys.executable,
            "-m",
            "streamlit",
            "run",
            str(script),
            "--server.headless",
            "true",
            "--browser.gatherUsageStats",
            "false",
            "--server.port",
        ]
        browser = play.chromium.launch(executable_path="/usr/bin/chromium", args=FLAGS)
        seconds_to(browser, app, ".lm[data-state='ready']")  # warms the disk
        first = [seconds_to(browser, app, ".lm[data-state='ready']") for _ in range(runs)]
        least = [seconds_to(browser, empty, "h1") for _ in range(runs)]
        refits, clicks = refit_seconds(browser, app, 4), click_seconds(browser, app, 4)
    print(f"first map after likeness app   {statistics.median(first):.2f} s   (an empty Streamlit page {statistics.median(least):.2f} s; ", end="")
    print(f"ratio {statistics.median(first) / statistics.median(least):.2f})")
    for what, times in (("refit shown after an edit", refits), ("neighbors follow a click", clicks)):
        print(f"{what:<30} {statistics.median(times):.2f} s   (each: {', '.join(f'{seconds:.2f}' for seconds in times)})")
    if options.record:
        medians = [round(statistics.median(times), 2) for times in (first, least, refits)]
        record(SMALL, "app started, first map", 2000, medians[0], "s", "an empty Streamlit page", medians[1])
        record(SMALL, "notion edited, refit shown", 2000, medians[2], "s")


if __name__ == "__main__":
    main()
