"""Records docs/notion.webp, a loop: the words of a notion change, and the map moves. `python docs/record_picture.py`; needs `make test` and Chromium.

The app runs as it is, on the cars that ship. While the points move, the browser's frames are told the time by this script: so the loop is smooth on a
busy machine, too. How long the server takes to answer is left out.
"""

import io
import re
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

DOCS = Path(__file__).resolve().parent
sys.path[:0] = [str(DOCS.parent / each) for each in ("app", "tests/app", "tests")]

from PIL import Image  # noqa: E402
from playwright.sync_api import sync_playwright  # noqa: E402

from browsing import WATCH, Person  # noqa: E402
from conftest import Server  # noqa: E402

TEMPLATES = ["a car in front of a {} background", "a {} car"]
LINK, WINDOW = "?a=Car%20color&color=Car%20color&query=5", {"width": 1150, "height": 800}
CLIP, SIZE = {"x": 0, "y": 72, "width": 1150, "height": 700}, (1000, 609)
STILL_MS, OPEN_MS, KEYS_MS, STEP_MS, STEPS = 2600, 500, 90, 40, 14
CLOCK = """(() => {
  const next = window.requestAnimationFrame.bind(window), clock = window.clock = { held: 0 };
  window.requestAnimationFrame = (draw) => next((now) => draw(clock.held || now));
})();"""


def main() -> None:
    """Starts the app, records, and writes the file."""
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as play:
        server = Server(Path(folder))
        server.wait()
        chromium = play.chromium.launch(executable_path="/usr/bin/chromium")
        page = chromium.new_page(viewport=WINDOW, device_scale_factor=2)
        page.add_init_script(WATCH + CLOCK)
        pngs, times = zip(*record(Person(page, server.url)), strict=True)
        chromium.close()
        server.stop()
    first, *others = [Image.open(io.BytesIO(png)).convert("RGB").resize(SIZE, Image.Resampling.LANCZOS) for png in pngs]
    first.save(DOCS / "notion.webp", save_all=True, append_images=others, duration=list(times), quality=72, method=6, allow_mixed=True)


def record(person: Person) -> Iterator[tuple[bytes, int]]:
    """Each frame as PNG, and how many milliseconds it stays."""
    page = person.open(LINK).map().page
    page.get_by_test_id("stSidebar").hover()
    page.get_by_test_id("stSidebarCollapseButton").get_by_role("button").click()
    for template in TEMPLATES:
        page.mouse.move(2, 2)
        page.wait_for_load_state("networkidle")
        yield page.screenshot(clip=CLIP), STILL_MS
        person.press("Change the words")
        field = page.get_by_label(re.compile("^Template, where"))
        yield page.screenshot(clip=CLIP), OPEN_MS
        field.fill("")
        for end in range(3, len(template) + 3, 3):
            field.press_sequentially(template[end - 3 : end])
            yield page.screenshot(clip=CLIP), KEYS_MS
        page.evaluate("clock.held = performance.now()")
        field.press("Enter")
        page.wait_for_selector(".lm[data-drawn='false']")
        person.keys("Escape")
        page.evaluate("document.activeElement.blur()")
        for _ in range(STEPS):
            yield page.screenshot(clip=CLIP), STEP_MS
            page.evaluate(f"new Promise((done) => {{ clock.held += {STEP_MS}; requestAnimationFrame(() => requestAnimationFrame(done)); }})")
        page.evaluate("clock.held = 0")
        person.map()


if __name__ == "__main__":
    main()
