"""No page takes a name for Markdown or HTML: each string that the app sends to a browser is looked at, where it could be one."""

import json
import re
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlencode, urlparse

import pytest
from google.protobuf.message import Message

import navigation
from app_page import Page
from browsing import settled
from hostile_names import MARK, NOT_IN_PATHS, World
from parts.app_page import AppPage

URL = "http://127.0.0.1:1"
# Fields that a browser shows as they are, or does not show. All others are Markdown or might become it.
AS_THEY_ARE = {
    *(f"{kind}.{field}" for kind in ("selectbox", "multiselect") for field in ("options", "raw_value", "raw_values", "placeholder")),
    *(f"text_{kind}.{field}" for kind in ("input", "area") for field in ("default", "value", "placeholder")),
    *("code.code_text", "text.body", "plotly_chart.spec", "bidi_component.json", "bidi_component.mixed.json"),
    *("page_link.query_string", "page_profile", "download_button.url"),
}
_IDS = re.compile(r"(^|[._])(id|form_id|key|element_id|query_key|session_id|script_run_id|fragment_ids_this_run|url|session_state)$")
_TAG = re.compile(r"<img src=(?!\")", re.IGNORECASE)
_BARE = re.compile(r"(?<!\\)!\[|(?<!\\)\]\((?!\\)|(?<!\\)<img", re.IGNORECASE)


def _texts(message: Message, place: str = "") -> Iterator[tuple[str, str]]:
    """All strings of a message, with the names of the fields that lead to them."""
    for field, value in message.ListFields():
        path = f"{place}.{field.name}" if place else field.name
        for each in value if field.is_repeated else [value]:
            if path == "dataframe.columns":  # drawn as they are, but for their explanations
                yield from ((f"{path}.help", column.get("help") or "") for column in json.loads(each).values())
            elif isinstance(each, str):
                yield path, each
            elif isinstance(each, Message):
                yield from _texts(each, path)


@pytest.fixture
def sent(monkeypatch: pytest.MonkeyPatch) -> list[Message]:
    """What the app has sent to its browser."""
    from streamlit.runtime.forward_msg_queue import ForwardMsgQueue

    messages: list[Message] = []
    enqueue = ForwardMsgQueue.enqueue

    def seen(self: Any, message: Any) -> None:
        messages.append(message)
        enqueue(self, message)

    monkeypatch.setattr(ForwardMsgQueue, "enqueue", seen)
    return messages


@pytest.fixture
def world(tmp_path: Path, cache: Path) -> str:
    """The id of a dataset among things of such names."""
    return World(URL).fill(tmp_path / "images", cache, tmp_path / "runs").id


def _deltas(messages: list[Message]) -> list[Any]:
    return [message.delta for message in messages if message.WhichOneof("type") == "delta"]  # type: ignore[attr-defined]


def _taken_for_markdown(messages: list[Message]) -> set[tuple[str, str]]:
    found = set()
    for part in (part for delta in _deltas(messages) for part in (delta.new_element, delta.add_block)):
        for path, text in _texts(part):
            if _IDS.search(path) or path in AS_THEY_ARE:
                continue
            named = MARK in text or "<img" in text.lower() or "![" in text
            if _TAG.search(text) if path.startswith("html.") else named and _BARE.search(text):
                found.add((path, text))
    return found


# what is chosen on a page beside its first state
_CHOSEN: dict[str, list[dict[str, Any]]] = {
    "explore": [{"beside": "Table", "next_color": World(URL).short("attribute")}, {"text": "![x](x)"}],
    "methods": [{"compare": "Encoders"}],
    "what_changed": [{}],
    "shifts": [{"shift_splits": f"kept:{NOT_IN_PATHS}"}, {"shifts": "What holds up"}],
    "continuous": [{"continuous_label": "Numbers"}],
    "duplicates": [{"copies_kind": "Equal files"}],
    "label": [{"label_step": "mistakes"}, {"label_step": "finish"}],
}


def _run_to_its_end(app: Page) -> None:
    """Runs a page, and again while work of it is under way; some cards keep a bar, so not for long."""
    app.run().begin_work()
    for _ in range(6):
        if not app.bars:
            return
        time.sleep(0.5)
        app.run()


@pytest.mark.parametrize("page", navigation.PAGES, ids=lambda page: page.address)
def test_no_page_writes_a_name_as_markdown(app: Page, sent: list[Message], world: str, page: AppPage) -> None:
    names = World(URL)
    app.visit(open=world)
    app.switch_page(f"pages/{page.address}/page.py")
    beside = {"b": names.name("notion"), "next_color": names.name("column")}
    for state in [{}, beside, *_CHOSEN.get(page.address, [])]:
        for key, value in state.items():
            app.session_state[key] = value
        _run_to_its_end(app)
    assert any(names.name("dataset") in text for delta in _deltas(sent) for _, text in _texts(delta))
    assert _taken_for_markdown(sent) == set()


def _open_all(page: Any) -> None:
    """Opens what a page keeps folded: tabs, menus, popovers."""
    for css in ("[data-testid='stTab']", "[data-testid='stExpander'] summary", "[data-testid='stPopoverButton']"):
        for place in range(min(page.locator(css).count(), 4)):
            each = page.locator(css).nth(place)
            if each.is_visible() and each.is_enabled():
                each.click()
                settled(page)
                page.keyboard.press("Escape")


@pytest.mark.long
def test_no_browser_asks_a_stranger_for_what_a_name_says(begin: Any, people: Any, elsewhere: Any, tmp_path: Path) -> None:
    served, names = tmp_path / "served", World(f"http://127.0.0.1:{elsewhere.server_port}")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("LIKENESS_CACHE", str(served))
        dataset = names.fill(tmp_path / "images", served, served / "runs").id
    person = people(begin())  # a browser that had wanted to ask would say on its console that the policy forbids it
    refused: list[str] = []
    person.page.on("response", lambda answer: refused.append(answer.url) if answer.status >= 400 else None)
    for address in ("", *(each.address for each in navigation.PAGES if each is not navigation.HOME)):
        person.page.goto(f"{person.url}/{address}?{urlencode({'open': dataset, 'layout': 'PCA', 'color': names.name('column'), 'query': 3})}")
        person.page.wait_for_function("document.documentElement.outerHTML.includes('dataset !')")
        assert person.settle().asked["query"] == ["3"]
        assert urlparse(person.page.url).path == f"/{address}"
        _open_all(person.page)
    policy = person.page.request.get(person.url).headers["content-security-policy"]
    assert (elsewhere.asked, refused) == ([], [])
    assert "img-src 'self' data: blob:;" in policy
    assert "connect-src 'self';" in policy
