"""Every page of the app declares all about itself, and one line puts it into the menu."""

import importlib
from pathlib import Path
from types import SimpleNamespace

import pytest
from streamlit.testing.v1 import AppTest

import navigation
from likeness.data import absolute_source, add_dataset, new_entry
from shared.app_page import AppPage

ROOT = Path(__file__).resolve().parents[2]
PAGES = ROOT / "app" / "pages"
MINE = """
from pathlib import Path
from types import SimpleNamespace

from shared.app_page import AppPage

PAGE = AppPage(Path(__file__).parent, "My page", section="Judge", icon="star", help="Counts the images.")
"""
DRAWING = """
import streamlit as st

from my_page import PAGE

PAGE.show_head("No more than that.")
st.metric("Images", len(st.session_state["view"].frame))
"""


def test_every_folder_with_a_page_is_listed_once() -> None:
    assert sorted(page.address for page in navigation.PAGES) == sorted(file.parent.name for file in PAGES.glob("*/page.py"))


@pytest.mark.parametrize("page", navigation.PAGES, ids=lambda page: page.address)
def test_a_page_declares_all_about_itself(page: AppPage) -> None:
    assert (PAGES / page.address / "page.py").samefile(page.folder / "page.py")
    assert page.address == page.title.lower().replace(" ", "_")
    assert page.section in ("Look", "Shape", "Judge", "Data")
    assert page.icon.replace("_", "").isalpha()
    assert page.help[0].isupper()
    assert page.help[-1] in ".?"
    assert not {". ", "? "} & {page.help[place : place + 2] for place in range(len(page.help))}
    assert f"\n## {page.title}\n" in (ROOT / "docs" / "app.md").read_text(encoding="utf-8")


def test_one_line_puts_a_page_into_the_menu_and_opens_it(app: AppTest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "my_page" / "page.py"
    file.parent.mkdir()
    (file.parent / "__init__.py").write_text(MINE, encoding="utf-8")
    file.write_text(DRAWING, encoding="utf-8")
    monkeypatch.syspath_prepend(str(tmp_path))
    mine = importlib.import_module("my_page")
    monkeypatch.setattr(navigation, "PAGES", [*navigation.PAGES, mine.PAGE])

    menus: list[dict[str, list[tuple[str, str, str]]]] = []
    menu = navigation.menu

    def seen_menu() -> object:
        sections = menu()
        menus.append({name: [(page.title, page.url_path, page.help) for page in pages] for name, pages in sections.items()})
        return sections

    monkeypatch.setattr(navigation, "menu", seen_menu)
    app.run()
    assert not app.exception
    assert menus[-1]["Look"][0] == ("Explore", "", navigation.PAGES[0].help)
    assert menus[-1]["Judge"][-1] == ("My page", "my_page", "Counts the images.")

    app.switch_page(str(file)).run()
    assert not app.exception
    assert app.title[0].value == "My page"
    assert app.caption[0].value == "Counts the images. No more than that."
    assert app.metric[0].value == "2000"


@pytest.mark.parametrize("page", navigation.PAGES, ids=lambda page: page.address)
def test_images_with_odd_names_are_shown_on_every_page(app: AppTest, odd_names: Path, page: AppPage) -> None:
    entry = new_entry("Odd", absolute_source(str(odd_names)), "cars-small")
    add_dataset(entry)
    app.query_params["open"] = entry.id
    app.run()
    app.switch_page(f"pages/{page.address}/page.py").run()
    assert not app.exception
    assert app.session_state["view"].entry.id == entry.id
    if page.address == "explore":
        import routes

        for row in range(7):
            request = SimpleNamespace(path_params={"dataset": entry.id, "row": str(row)})
            answers = [serve(request) for serve in (routes.serve_info, routes.serve_thumbnail)]  # type: ignore[arg-type]
            assert [answer.status_code for answer in answers] == [200, 200]
