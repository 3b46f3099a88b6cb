"""No page takes a name for Markdown or HTML: each string that the app sends to a browser is looked at, where it could be one."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from google.protobuf.message import Message
from streamlit.testing.v1 import AppTest

import navigation
from hostile_names import MARK, World
from shared.app_page import AppPage

URL = "http://127.0.0.1:1"
# Fields that a browser shows as they are, or does not show. All others are Markdown or might become it.
AS_THEY_ARE = {
    *(
        "selectbox.options",
        "selectbox.raw_value",
        "selectbox.placeholder",
        "multiselect.options",
        "multiselect.raw_values",
        "multiselect.placeholder",
    ),
    *("text_input.default", "text_input.value", "text_input.placeholder", "text_area.default", "text_area.value", "text_area.placeholder"),
    *("code.code_text", "text.body", "plotly_chart.spec", "arrow_data_frame.columns", "bidi_component.json", "bidi_component.mixed.json"),
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
            if isinstance(each, str):
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


def _taken_for_markdown(messages: list[Message]) -> set[tuple[str, str]]:
    found = set()
    for message in messages:
        if message.WhichOneof("type") != "delta":
            continue
        delta = message.delta
        for part in (delta.new_element, delta.add_block):
            for path, text in _texts(part):
                if _IDS.search(path) or path in AS_THEY_ARE:
                    continue
                if path.startswith("html."):
                    if _TAG.search(text):
                        found.add((path, text))
                elif (MARK in text or "<img" in text.lower() or "![" in text) and _BARE.search(text):
                    found.add((path, text))
    return found


_STATES: dict[str, list[dict[str, Any]]] = {
    "explore": [{"query": "3"}, {"text": "a red car"}],
}


@pytest.mark.parametrize("page", navigation.PAGES, ids=lambda page: page.address)
def test_no_page_writes_a_name_as_markdown(app: AppTest, sent: list[Message], world: str, page: AppPage) -> None:
    names = World(URL)
    app.query_params["open"] = world
    app.run()
    assert not app.exception
    app.session_state["text"] = ""
    for space, color in (("Raw encoder", names.name("column")), (names.name("notion"), names.short("attribute"))):
        app.session_state["next_color"] = color
        app.session_state["b"] = space if space != "Raw encoder" else None
        app.switch_page(f"pages/{page.address}/page.py").run()
        assert not app.exception
        for _ in range(60):
            if not app.get("progress"):
                break
            app.run()
    texts = [text for message in sent if message.WhichOneof("type") == "delta" for _, text in _texts(message.delta)]
    assert any("http" in text and "127.0.0.1" in text for text in texts)
    assert _taken_for_markdown(sent) == set()
