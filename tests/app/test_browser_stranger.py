"""The first day of a stranger in a real browser: from a folder to a picture seen large, a notion with its verdict, twenty labels and an export.

Run with `-s`, it prints the seconds, clicks and typed texts of each step. Before this walk was counted, the first map of 297 photos took 4 clicks,
one typed path and about 50 s.
"""

import re
import time
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from browsing import Person
from likeness.tagging import tag_store
from worlds import copy_cars

pytestmark = pytest.mark.long

COUNT, LABELED = 60, 20
MOST_CLICKS, MOST_TEXTS = 20, 4
# Survives the pages that a walk opens: how often a pointer went down.
COUNTER = "addEventListener('pointerdown', () => { sessionStorage.clicks = Number(sessionStorage.clicks || 0) + 1 }, true)"


class Stranger(Person):
    """Somebody whose clicks and typed texts are counted."""

    texts = 0

    def fill(self, label: str, text: str, key: str = "Enter") -> "Stranger":
        self.texts += 1
        return super().fill(label, text, key)

    @property
    def clicks(self) -> int:
        return int(self.page.evaluate("Number(sessionStorage.clicks || 0)"))


@pytest.fixture
def photos(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    """A folder of photos without labels; of rendered cars where the shared photos are absent."""
    folder, archive = tmp_path / "photos", Path(__file__).parents[3] / "shared" / "data" / "flickr8k_700.zip"
    if not archive.is_file():
        return copy_cars(folder, range(0, 30 * COUNT, 30))
    folder.mkdir()
    with zipfile.ZipFile(archive) as packed:
        for number, name in enumerate(sorted(name for name in packed.namelist() if name.endswith(".jpg"))[:COUNT]):
            (folder / f"{number:02}.jpg").write_bytes(packed.read(name))
    return folder


def test_a_stranger_gets_from_a_folder_to_an_export(
    fresh_server: Any, people: Callable[..., Person], photos: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LIKENESS_CACHE", str(tmp_path / "served"))
    page = people(fresh_server).page
    page.add_init_script(COUNTER)
    stranger = Stranger(page, fresh_server.url)
    stranger.open()
    begin = time.monotonic()
    for step in (_add_folder, _enlarge, _describe_notion, _label_twenty, _export):
        step(stranger, photos)
        print(f"{step.__name__[1:]}: {time.monotonic() - begin:.0f} s, {stranger.clicks} clicks, {stranger.texts} typed texts so far")
    assert stranger.clicks <= MOST_CLICKS
    assert stranger.texts <= MOST_TEXTS


def _add_folder(stranger: Stranger, photos: Path) -> None:
    """One typed path, up to the first map."""
    stranger.go("Images").fill("Folder on this computer", str(photos)).press("Add these images").says(f"{COUNT} images are ready")
    stranger.go("Explore them").says(f"{COUNT} images").map()
    assert stranger.clicks <= 4


def _enlarge(stranger: Stranger, photos: Path) -> None:
    """A click on a tile opens its picture large, and Escape goes back."""
    stranger.page.locator(".ga-tile img").first.click()
    large = stranger.page.get_by_role("dialog")
    large.locator("img").first.wait_for()
    stranger.keys("Escape")
    large.wait_for(state="detached")


def _describe_notion(stranger: Stranger, photos: Path) -> None:
    """One typed sentence, and what the encoder makes of it in these images."""
    verdict = re.compile("encoder|relied on|reliable")
    stranger.go("Notions").fill("Question", "what people are doing", "Control+Enter").press("Suggest template and aspects")
    stranger.says(re.compile(r"\d+ prompts")).settle().says(verdict)


def _label_twenty(stranger: Stranger, photos: Path) -> None:
    """Ticks a row of pictures and gives them a tag."""
    stranger.go("Explore").map()
    tiles = stranger.page.locator(".ga-tile")
    tiles.nth(LABELED - 1).wait_for()
    stranger.click(tiles.first, modifiers=["Control"]).click(tiles.nth(LABELED - 1), modifiers=["Shift"])
    stranger.texts += 1
    stranger.give("good")
    store = tag_store(str(photos), _table(photos))
    assert sum(store.columns([str(path) for path in _table(photos).frame["path"]])["good"]) == LABELED


def _table(photos: Path) -> Any:
    from likeness.data import read_dataset

    return read_dataset(str(photos))


def _export(stranger: Stranger, photos: Path) -> None:
    """The labeled images for another program, by the first target that is offered."""
    stranger.press("Export").keys("Escape").press(re.compile("(Make|Create) the file"))
    link = stranger.page.get_by_role("link", name=re.compile("^Download .* MB"))
    link.wait_for()
    assert stranger.settle().download(link).stat().st_size > 0
