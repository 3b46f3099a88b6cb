"""Takes the pictures of the pages anew: `python docs/take_pictures.py http://127.0.0.1:8501 [NAME ...]`, of an app that runs with `--no-token`.

Before: `likeness train shipped-cars-elg` and `likeness train shipped-cars-elg --set guidance=null --out runs/without-language`. docs/million.webp,
which needs a million images, and docs/notion.webp, which moves (record_picture.py), are not among them.
"""

import io
import sys
from pathlib import Path

DOCS = Path(__file__).resolve().parent
sys.path[:0] = [str(DOCS.parent / each) for each in ("app", "tests")]

from PIL import Image  # noqa: E402
from playwright.sync_api import sync_playwright  # noqa: E402

from browsing import WATCH, Person  # noqa: E402

# picture -> address and, where a page begins with one, the button that starts its work
PICTURES = {
    "explore": ("?a=Raw%20encoder&b=Car%20color&color=Car%20color&query=5", ""),
    "notions": ("notions", ""),
    "compare": ("methods?a=Car%20color", "Compare"),
    "what_changed": ("what_changed?b=Car%20color", "Compare neighbors"),
    "saliency": ("saliency", "Compute maps"),
    "semantics": ("semantics?b=Run%20shipped-cars-elg", "Compare with language"),
    "shifts": ("shifts", "Build splits"),
    "continuous": ("continuous?b=Viewpoint", ""),
    "runs": ("runs", ""),
    "your_images": ("images", ""),
    "label": ("label", ""),
}
# nothing is on its way: the button has become its result, and no placeholder, spinner, bar or picture is unfinished
DONE = """(start) => {
  const waiting = "[data-testid='stSkeleton'], [data-testid='stSpinner'], [data-testid='stProgress']";
  const isStart = (button) => start && button.innerText.trim().endsWith(start);
  const isSeen = (picture) => picture.checkVisibility() && picture.getBoundingClientRect().top < innerHeight;
  return !document.querySelector(waiting) && ![...document.querySelectorAll("button")].some(isStart) &&
    [...document.images].every((each) => each.complete || !isSeen(each));
}"""


def main(url: str, *names: str) -> None:
    """Opens the pages one by one, and writes their pictures."""
    with sync_playwright() as play:
        page = play.chromium.launch(executable_path="/usr/bin/chromium").new_page(viewport={"width": 1440, "height": 900})
        page.add_init_script(WATCH)
        person = Person(page, url.rstrip("/"))
        for name in names or PICTURES:
            address, start = PICTURES[name]
            person.open(address)
            page.wait_for_timeout(2000)  # what a page draws after its run, as charts and components
            if start and person.button(start).count():  # none where the results are kept
                person.button(start).click()
            person.settle()
            page.wait_for_function(DONE, arg=start)
            page.wait_for_load_state("networkidle")
            page.wait_for_timeout(2000)
            Image.open(io.BytesIO(page.screenshot())).convert("RGB").save(DOCS / f"{name}.webp", quality=80, method=6)
            print(name)


if __name__ == "__main__":
    main(*sys.argv[1:])
