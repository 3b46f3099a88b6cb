"""Every page of the app declares all about itself, and one line puts it into the menu."""

import ast
import importlib
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from starlette.applications import Starlette
from starlette.testclient import TestClient

import navigation
import state
from app_page import Page
from likeness.data import DatasetEntry, absolute_source, add_dataset, new_entry, read_dataset
from likeness.errors import InputError
from likeness.notions import get_notion
from parts.app_page import AppPage
from server import added_labels
from server.jobs import jobs
from state import encode_rows
from worlds import dataset, draw, kept_files, serve, sign_in

EACH_PAGE = pytest.mark.parametrize("page", navigation.PAGES, ids=lambda page: page.address)
# one for each thing that pages need, the first screen, and two that choose images by themselves: main.py does the rest for all alike
_ASKING = ("explore", "continuous", "saliency")
KINDS = {page.needs: page for page in navigation.PAGES} | {page.address: page for page in navigation.PAGES if page.address in _ASKING}
EACH_KIND = pytest.mark.parametrize("page", dict.fromkeys(KINDS.values()), ids=lambda page: page.address)
ROOT = Path(__file__).resolve().parents[2]
PAGES = ROOT / "app" / "pages"
MINE = """
from parts.app_page import AppPage

PAGE = AppPage("My page", icon="star", help="Counts the images.")
"""
DRAWING = """
import streamlit as st

from my_page import PAGE
from parts.view import current_view

PAGE.show_head("No more than that.")
st.metric("Images", len(current_view().frame))
"""
NOT_YET = ()


def test_every_folder_with_a_page_is_listed_once() -> None:
    assert sorted(page.address for page in navigation.PAGES) == sorted(file.parent.name for file in PAGES.glob("*/page.py"))


@EACH_PAGE
def test_a_page_declares_all_about_itself(page: AppPage) -> None:
    assert page.file == PAGES / page.address / "page.py"
    assert page.file.is_file()
    assert page.icon.replace("_", "").isalpha()
    assert re.fullmatch(r"[A-Z]([^.?]|[.?](?! ))*[.?]", page.help)  # one sentence
    assert f"\n## {page.title}\n" in (ROOT / "docs" / "app.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("old", navigation.MOVED)
def test_every_old_address_leads_to_a_page(old: str) -> None:
    assert navigation.MOVED[old] in navigation.PAGES
    assert old not in {page.address for page in navigation.PAGES}


def _literal_keys(file: Path) -> list[str]:
    """Where a session value is named by a literal, as file:line."""
    found = []
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Subscript):
            held, key = node.value, node.slice
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.args:
            held, key = node.func.value, node.args[0]
        elif isinstance(node, ast.Compare):
            held, key = node.comparators[0], node.left
        else:
            continue
        if isinstance(held, ast.Attribute) and held.attr == "session_state" and isinstance(key, ast.Constant) and key.value != "any":
            found.append(f"{file.name}:{node.lineno}")
    return found


def test_session_keys_are_named_in_items_alone() -> None:
    files = [file for file in (ROOT / "app").rglob("*.py") if file.name != "state.py" and file.relative_to(ROOT / "app").parts[0] not in NOT_YET]
    assert [place for file in files for place in _literal_keys(file)] == []


def test_no_two_items_have_the_same_key(app: Page) -> None:
    app.run()
    rooms = ("parts.", "pages.", "server.", "state")
    modules = [module for name, module in sys.modules.items() if name.startswith(rooms)]
    classes = {value for module in modules for value in vars(module).values() if isinstance(value, type)}
    held = {id(item): item for each in (*modules, *classes) for item in vars(each).values() if isinstance(item, state.Item)}
    items = [item.key for item in held.values()]
    assert len(items) > 40
    assert sorted(items) == sorted(set(items))


def test_one_line_puts_a_page_into_the_menu_and_opens_it(app: Page, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "my_page" / "page.py"
    file.parent.mkdir()
    (file.parent / "__init__.py").write_text(MINE, encoding="utf-8")
    file.write_text(DRAWING, encoding="utf-8")
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.setattr(AppPage, "file", property(lambda page: file if page.title == "My page" else PAGES / page.address / "page.py"))
    monkeypatch.setattr(navigation, "PAGES", [*navigation.PAGES, importlib.import_module("my_page").PAGE])
    menus: list[list[Any]] = []
    menu = navigation.menu
    monkeypatch.setattr(navigation, "menu", lambda: menus.append(menu()) or menus[-1])
    app.run()
    entries = [(page.title, page.url_path, page.help) for page in menus[-1] if page.visibility == "visible"]
    assert entries[1] == ("Explore", "", navigation.HOME.help)
    assert entries[-1] == ("My page", "my_page", "Counts the images.")
    assert len(entries) - 1 <= 8
    app.switch_page(str(file)).run()
    assert (app.title[0].value, app.caption[0].value) == ("My page", "Counts the images. No more than that.")
    assert app.metric[0].value == "2000"


@pytest.fixture(autouse=True)
def no_work_is_left() -> Iterator[None]:
    """What pages have begun in the background ends with the test, not with the process."""
    yield
    for job in list(jobs()._jobs.values()):
        job.stop()
        assert job.wait(600)


@EACH_PAGE
def test_images_of_any_number_and_name_are_shown_on_every_page_which_has_an_entry_or_a_path(
    app: Page, odd_names: Path, tmp_path: Path, page: AppPage, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Without labels: one image, two, and some whose names are not what programs expect."""
    opened: list[AppPage] = []
    show = navigation.show_paths
    monkeypatch.setattr(navigation, "show_paths", lambda each: opened.append(each) or show(each))
    entries = [dataset(draw(tmp_path / str(count), count), "cars-small") for count in (1, 2)]
    entries.append(new_entry("Odd", absolute_source(str(odd_names)), "cars-small"))
    add_dataset(entries[-1])
    for entry in entries:
        app.open(page.address, open=entry.id)
        assert app.session_state["view"].entry.id == entry.id
        assert opened[-1] == page
        links = [element.proto.label for element in app.get("page_link")]
        assert [other.title for other in navigation.PAGES if page.group and other.group is page.group and other.title not in links] == []
        assert len(app.errors) <= (entry.name != "2")  # a single image has no neighbor, and two classes of odd names cannot be split
    if page.address == "explore":
        from api import picture_routes

        client = TestClient(Starlette(routes=picture_routes.ROUTES))
        paths = [f"/{kind}/{entry.id}/{row}" for row in range(7) for kind in ("info", "thumbnails")]
        assert [client.get(path).status_code for path in paths] == [200] * 14


@EACH_KIND
def test_images_that_are_not_here_or_cannot_be_opened_are_one_error_and_no_others_take_their_place(app: Page, page: AppPage, tmp_path: Path) -> None:
    def problem(**parameters: str) -> str:
        (error,) = app.open(page.address, **parameters).errors
        assert bool(app.title) == (page.needs == "nothing")
        return error

    error = problem(dataset="0123456789abcdef")
    assert "There are no images “0123456789abcdef” here" in error
    assert app.at("dataset").value == app.query_params["dataset"] == "0123456789abcdef"  # so that a reload says the same
    assert "view" not in app.session_state
    assert not app.warning
    folder = tmp_path / "photos"
    assert "There is no" in problem(open=dataset(folder, "cars-small").id)
    draw(folder, 6)
    assert not app.click("try_again").error
    error = problem(open=dataset(folder, "no such encoder").id)
    assert "has no known form" in error
    assert app.click("try_again").errors == [error]
    assert not app.set("dataset", "cars").error
    assert "dataset" not in app.query_params
    assert app.session_state["view"].entry.id == "cars"


@EACH_KIND
def test_every_kind_of_page_says_what_of_a_link_is_not_here_and_keeps_the_rest(app: Page, page: AppPage, photos: DatasetEntry) -> None:
    odd = {"a": "Color of the moon", "b": "Run gone", "color": "Weather", "filter_wheels": "4", "filter_class": ["warm", "lukewarm"]}
    app.open(page.address, dataset=photos.id, rows=encode_rows(np.array([3, 500])), query="700", **odd)
    said = "\n".join(app.warnings)
    for name, heading in (("Color of the moon", "Left map"), ("Run gone", "Right map"), ("Weather", "Color by")):
        assert f"“{name}” under “{heading}”" in said
    assert "the filter “Wheels”" in said
    assert "the class “lukewarm”" in said
    assert "images that are not here (1)" in said
    assert "image “700”" in said
    assert "\n".join(app.run().warnings) == said  # as when a map is ready
    assert not {"a", "b", "filter_wheels", "query"} & set(app.query_params)
    again = app.fresh().open(page.address)  # a reload
    assert not [warning for warning in again.warnings if warning in said]
    for tab in (app, again):
        assert tab.session_state["view"].entry.id == photos.id
        assert tab.at("filter_class").value == ["warm"]
        assert tab.session_state["rows"].tolist() == [3]
        assert tab.query_params["filter_class"] in ("warm", ["warm"])
    app.set("b", "Raw encoder")
    assert not any("Color of the moon" in warning for warning in app.warnings)


_NAMES = (
    *("rows", "query", "draft", "open", "private", "show", "dataset", "a", "b", "color", "config", "watch", "runs", "map_seed", "layout"),
    *("umap_n_neighbors", "filter_car_color", "filter_yaw", "continuous_label", "continuous_columns", "saliency_show"),
)
_VALUES = ("²", "-1", "nan", "9" * 5000, "\0", "../../etc/passwd", "eJxjZGBgYAIAAA0ABA", "a😀")


@EACH_PAGE
def test_odd_parameters_raise_nothing_and_the_sidebar_stays_to_choose_from(app: Page, page: AppPage) -> None:
    for shift in (0, 3):
        odd = {name: _VALUES[(place + shift) % len(_VALUES)] for place, name in enumerate(_NAMES)}
        visitor = app.fresh().open(page.address, **odd | {"layout": "PCA"})
        assert visitor.sidebar.selectbox


@EACH_PAGE
def test_whoever_may_look_sees_every_page_and_leaves_nothing_behind(page: AppPage, app: Page, cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    serve(monkeypatch, shared=True, training=True, auth_header="X-User", trusted_proxies=["127.0.0.1"], roles={"ben": "edit"})
    sign_in(monkeypatch, "ada", "parts.permissions")
    app.open(page.address)
    assert [button.label for button in app.button if button.label.startswith(("Start", "Add these images", "Remove")) and not button.disabled] == []
    assert all(upload.proto.disabled for upload in app.get("file_uploader"))
    assert "**ada** can view" in [caption.value for caption in app.sidebar.caption]
    assert kept_files(cache) == []


@pytest.mark.parametrize("page", [page for page in navigation.PAGES if page.needs != "spaces"], ids=lambda page: page.address)
def test_pages_without_spaces_fit_none(app: Page, page: AppPage, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("parts.cached.fit", lambda *given, **options: pytest.fail("a space is fitted"))
    app.open(page.address, a="Car color", b="Viewpoint", color="Viewpoint")
    assert (app.at("a").value, app.at("b").value) == ("car color", "viewpoint")  # kept for the other pages


def test_what_keeps_two_spaces_away_or_ends_the_work_on_them_is_said_once_and_both_are_tried_again(
    app: Page, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*given: object, **options: object) -> None:
        raise InputError("It is not here; get it.")

    with monkeypatch.context() as patch:
        patch.setattr("likeness.language.class_similarities", fail)
        assert app.open("semantics", b="Car color").wait("semantics").errors == ["It is not here; get it."]
        assert app.labels.count("Try again") == 1
    before = jobs().all("semantics")
    assert len(before) == 2
    assert app.press("Try again").wait("semantics").errors == []
    assert not set(map(id, before)) & set(map(id, jobs().all("semantics")))
    monkeypatch.setattr("parts.cached.fit", fail)
    for address in ("explore", "notions"):
        other = app.fresh("layout").open(address, a="Car color", b="Viewpoint")
        said = [text for text in other.errors + other.warnings + other.infos if "It is not here" in text]
        assert said == ["Car color and Viewpoint are not shown. It is not here; get it."]


def test_damaged_labels_are_left_out_said_so_and_can_be_removed(app: Page, tmp_path: Path) -> None:
    photos = dataset(draw(tmp_path / "photos", 6), "cars-small")
    name = added_labels.add(photos, read_dataset(photos.source), get_notion("car color"), ["red"] * 6)
    (file,) = Path(added_labels.folder_of(photos)).glob("*.csv")
    for content in (b"", b"\xff\xfe\0", b'path,label\n"a.png,1', b"path,other\n1.png,x\n", b"path,label\n1.png,x,y,z\n2.png,a,b,c,d\n"):
        file.write_bytes(content)
        (warning,) = app.open("explore", dataset=photos.id).warnings
        assert "“Car color by encoder” are damaged and left out" in warning
        assert name not in app.session_state["view"].frame
    assert not app.click(f"remove_damaged_{name}").warning
