"""The site of `make docs`: it builds without a warning, its links and anchors lead somewhere, and it reads nothing from elsewhere."""

import os
import subprocess
import sys
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote

import pytest

pytestmark = pytest.mark.long

ROOT = Path(__file__).resolve().parents[1]


class Page(HTMLParser):
    """The anchors of a page, what it links to, and what a browser reads to show it."""

    def __init__(self, file: Path) -> None:
        super().__init__()
        self.anchors, self.links, self.sources, self.classes = {""}, list[str](), list[str](), set[str]()
        self.feed(file.read_text(encoding="utf-8"))

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        found = {name: value or "" for name, value in attrs}
        self.anchors |= {found[name] for name in ("id", "name") if name in found}
        self.classes |= set(found.get("class", "").split())
        if tag == "a" and "href" in found:
            self.links.append(found["href"])
        elif tag == "link" and found.get("rel") not in ("canonical", "next", "prev"):
            self.sources.append(found.get("href", ""))
        self.sources += [found["src"]] if "src" in found else []


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> dict[Path, Page]:
    """The pages of the site, by file."""
    folder = tmp_path_factory.mktemp("site")
    # with --quiet, warnings would not count
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--site-dir", str(folder)]
    built = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, env={**os.environ, "NO_MKDOCS_2_WARNING": "1"})
    assert built.returncode == 0, built.stdout + built.stderr
    return {file: Page(file) for file in folder.rglob("*.html") if file.name != "404.html"}


def test_links_and_anchors_lead_somewhere(site: dict[Path, Page]) -> None:
    dead = []
    for file, page in site.items():
        for link in page.links:
            path, _, anchor = unquote(link).partition("#")
            if path.startswith(("https://", "http://", "mailto:")):
                continue
            target = (file.parent / path).resolve() if path else file
            target = target / "index.html" if target.is_dir() else target
            if not target.is_file() or (target in site and anchor not in site[target].anchors):
                dead.append(f"{file.name}: {link}")
    assert dead == []
    assert len(site) > 30


def test_nothing_is_read_from_elsewhere(site: dict[Path, Page]) -> None:
    sources = {(file.name, source) for file, page in site.items() for source in page.sources}
    assert {each for each in sources if "//" in each[1] and not each[1].startswith("data:")} == set()
    assert [file.name for file, page in site.items() if "mermaid" in page.classes] == []  # Material fetches what draws it


def test_it_has_what_the_docstrings_say(site: dict[Path, Page]) -> None:
    losses = next(page for file, page in site.items() if file.match("reference/losses.html"))
    assert "likeness.losses.log_ratio.log_ratio" in losses.anchors
