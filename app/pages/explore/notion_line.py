"""Above the maps: what the notion that is shown says, with its template to edit on the spot."""

from collections.abc import Callable
from dataclasses import replace
from typing import Literal

import streamlit as st

from access import redact
from likeness.data import PHOTO_COLUMNS
from likeness.errors import InputError
from likeness.notions import Notion, list_notions
from shared import drafts, other_tab, sidebar, unread, verdict
from shared.plain import plain
from shared.view import View
from visitors import notions_dir

_SHOWN = 5  # aspects named in the label
_OFFERED = 8  # notions that color the map by one click; where there are more, they stand in the sidebar's menu alone


def show(view: View) -> Callable[[], None]:
    """Draws the sentence and the template; where no notion is shown, the way to one. What it returns says at the end of the page which of the
    offered colors cannot be relied on: the maps do not wait for it."""
    if view.base.embed_texts is None:
        return _nothing
    other_tab.tell()
    slot, notion = _shown()
    if notion is not None:
        _sentence(view, slot, notion)
        return _nothing
    with st.container(gap="xxsmall"):  # one element of the page in every run, so that a line more does not draw the maps anew
        with st.container(horizontal=True, vertical_alignment="center", gap="small"):
            names = _colors(view)
            st.page_link("pages/notions/page.py", label="Say in words what makes two images similar", icon=":material/tune:")
        return verdict.of_colors(view, names) if names else _nothing


def _nothing() -> None:
    pass


def _sentence(view: View, slot: str, notion: Notion) -> None:
    beside = slot == "b" and st.session_state.get("a") == sidebar.RAW
    start = f"The same {len(view.frame):,} images twice: left as the encoder alone places them, right by" if beside else "By"
    st.markdown(f"{start} **{plain(notion.name)}**. {plain(notion.question)}")
    with st.container(horizontal=True, vertical_alignment="bottom"):
        if len(notion.templates) == 1:
            _template(slot, notion)
        edited = st.session_state[slot] == sidebar.DRAFT
        link = {} if edited else {"query_params": {"notion": notion.name}}
        st.page_link("pages/notions/page.py", label="Edit the notion", icon=":material/tune:", **link)
    for problem in filter(None, [plain(st.session_state.pop("template_problem", "")), unread.sentence(view.base, notion)]):
        st.markdown(f":orange[:material/warning: {problem}]")


def _colors(view: View) -> list[str]:
    """Where a notion's aspects color the map, or no labels do but those that people gave here, the notions that can, by one click
    each; their names."""
    names, table = sidebar.notion_names(view.base), view.base.table
    came_with_labels = set(table.attributes) - {*PHOTO_COLUMNS, *table.frame.attrs.get("tag_columns", {}).values()}
    if (view.aspects is None and came_with_labels) or len(names) > _OFFERED:
        return []
    st.markdown("Color by", width="content")
    for name in names:
        chosen = view.color == f"{sidebar.ASPECTS}{name}"
        question = plain(sidebar.notion_by(name).question) or None
        kind: Literal["primary", "secondary"] = "primary" if chosen else "secondary"
        st.button(plain(sidebar.readable(name)), key=f"color_by_{name}", type=kind, on_click=_color_by, args=(name,), help=question)
    return names


def _color_by(name: str) -> None:
    st.session_state["next_color"] = f"{sidebar.ASPECTS}{name}"


def _shown() -> tuple[str, Notion | None]:
    """The notion of space B or else A, with the key of its choice."""
    known = {notion.name: notion for notion in list_notions(notions_dir())}
    draft = drafts.current()
    for slot in ("b", "a"):
        name = st.session_state.get(slot)
        if name == sidebar.DRAFT and draft is not None:
            return slot, draft.notion
        if name in known:
            return slot, known[name]
    return "", None


def _template(slot: str, notion: Notion) -> None:
    some = ", ".join(notion.aspects[:_SHOWN]) + (", ..." if len(notion.aspects) > _SHOWN else "")
    # of the edited and of the saved notion, each its own field; and another one where the draft was replaced from elsewhere
    key = f"template_{st.session_state[slot]}_{notion.name}_{st.session_state.get('form', 0)}"
    st.text_input(
        f"Template: {{}} stands for {len(notion.aspects)} aspects ({plain(some)})",
        notion.templates[0],
        key=key,
        on_change=_take,
        args=(key, slot, notion),
        help="Change the words, and the map follows. Your edits are a space of their own; the notion stays as it is.",
    )


def _take(key: str, slot: str, notion: Notion) -> None:
    """Makes the notion with the new template the edited one, in the same place."""
    edited = drafts.current() if st.session_state[slot] == sidebar.DRAFT else None
    draft = replace(edited or drafts.of(notion), templates=st.session_state[key])
    try:
        draft.notion  # noqa: B018  (raises where the template is not valid)
    except InputError as error:
        st.session_state["template_problem"] = redact(error)
        return
    drafts.put(draft)
    st.session_state[slot] = sidebar.DRAFT
