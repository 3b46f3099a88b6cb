"""The enlarged picture, opened over any page from gallery tiles and map points, with its actions.

The browser opens it at once and loads picture, attributes and neighbors from the server's routes; only actions rerun the page.
"""

import secrets
from dataclasses import dataclass, field
from weakref import WeakKeyDictionary, WeakValueDictionary

import numpy as np
import streamlit as st

from likeness.io import spoken_name
from likeness.notions import Notion
from likeness.reasons import reasons
from likeness.space import Space
from parts import label_edits, neighbors, selection
from parts.component import message, renderer
from parts.neighbors import Query
from parts.sidebar import readable
from parts.view import View, current_view
from server import added_labels
from server.addresses import address
from state import Item, state

_KEY = "viewer"
_MOST = 2_000  # selected images whose numbers the browser gets
_LONGEST = 200  # letters of a label
_DIGITS = 15  # of a row
_PAGES = {"search": "pages/explore/page.py", "saliency": "pages/saliency/page.py"}  # that actions lead to


_next_page = Item("", key="viewer_next_page")  # the action whose page the browser is to open
_actions = Item(0, key="viewer_actions")  # counts such actions, to distinguish repeated ones
_tokens: "WeakKeyDictionary[Space, str]" = WeakKeyDictionary()
_spaces: "WeakValueDictionary[str, Space]" = WeakValueDictionary()


def token_of(space: Space) -> str:
    """The token that names a space in an address, unguessable for those who have not been shown it."""
    if space not in _tokens:
        _tokens[space] = secrets.token_urlsafe(16)
        _spaces[_tokens[space]] = space
    return _tokens[space]


def space_of(token: str) -> Space | None:
    """The space of a token; None once nobody uses it."""
    return _spaces.get(token)


@dataclass(eq=False)
class Question:
    """Why pictures are alike: the images in their encoder's space, the notions and labels that may tell it, and what the page has searched with."""

    base: Space
    notions: tuple[Notion, ...]
    labels: tuple[str, ...]
    query: Query = field(default_factory=Query)

    def answer(self, row: int, of: str) -> dict[str, str] | None:
        """With what image `row` is compared, the query or the image `of`, as a title, and the answer as a text; None where there is neither."""
        other = int(of) if of.isascii() and of.isdecimal() and len(of) <= _DIGITS else self.query.row
        if row == other or max(row, other or 0) >= len(self.base) or (other is None and (not self.query or self.query.terms)):
            return None
        what = neighbors.in_space(self.base, self.query) if other is None else other
        name = "the query" if other == self.query.row else spoken_name(str(self.base.table.frame["path"].iloc[other]))
        return {"title": f"Compared with {name}", "text": reasons(self.base, what, [row], self.notions, self.labels)[0]}


_question = Item[tuple[str, Question] | None](key="viewer_question")  # keeps it while the session lasts
_questions: "WeakValueDictionary[str, Question]" = WeakValueDictionary()


def question_of(token: str) -> Question | None:
    """The question of a token, which is as unguessable as that of a space; None once its session asks another one."""
    return _questions.get(token)


def set_query(query: Query) -> None:
    """Says what the page's results were found by."""
    if (known := _question.get()) is not None:
        known[1].query = query


def _token_of_question(view: View) -> str:
    attributes = view.base.table.attributes
    made = added_labels.made_by_encoder(attributes)
    notions, labels = tuple(view.notions.values()), tuple(name for name in attributes if name not in made)
    known = _question.get()
    if known is None or known[1].base is not view.base or (known[1].notions, known[1].labels) != (notions, labels):
        known = secrets.token_urlsafe(16), Question(view.base, notions, labels)
        _question.set(known)
        _questions[known[0]] = known[1]
    return known[0]


def draw(address_of_page: str) -> None:
    """Draws the viewer, closed; call it once per run, before the page.

    Args:
        address_of_page: path of the open page.
    """
    view = current_view()
    token = _token_of_question(view)
    set_query(Query())  # until the page says otherwise
    reason = label_edits.refusal(view)
    data = {
        "pictures": address(f"/pictures/{view.entry.id}/{{row}}"),
        "thumbnails": view.thumbnails,
        "info": view.info,
        "why": address(f"/why/{view.entry.id}/{token}/{{row}}"),
        "spaces": [
            {"title": readable(space.name), "neighbors": address(f"/neighbors/{view.entry.id}/{token_of(space)}/{{row}}")} for space in view.spaces
        ],
        "labels": [] if reason else [list(label) for label in label_edits.known(view)],
        "refusal": reason,
        "selected": view.selected[:_MOST].tolist(),
        "next": [_next_page.take(), _actions.get()],
    }
    with st.container(key="viewer_place"):
        for action, page in _PAGES.items():  # hidden; the browser clicks one, since `st.switch_page` cannot change bound parameters
            with st.container(key=f"viewer_{action}"):
                st.page_link(page, label=action)
        renderer("viewer", "icons", "viewer")(key=_KEY, data=data, on_act_change=lambda: _act(view, address_of_page))


def _act(view: View, address_of_page: str) -> None:
    """Performs an action sent by the browser, which may send anything."""
    sent = message(_KEY, "act")
    row, action = sent.get("row"), sent.get("action")
    if type(row) is not int or not 0 <= row < len(view.frame) or not isinstance(action, str):
        return
    if action == "select":
        change = np.union1d if sent.get("on") is True else np.setdiff1d
        selection.tick(change(state.rows, [row]).astype(np.int64))
    elif action == "label":
        name, value = (str(sent.get(key) or "").strip()[:_LONGEST] for key in ("name", "value"))
        if name:
            label_edits.toggle(view, np.array([row]), (name, value))
    elif action in _PAGES:
        if action == "search":
            selection.ask(row)
        else:
            selection.select([row])
        _next_page.set(action if address_of_page not in _PAGES[action].split("/") else "")
        _actions.set(_actions.get() + 1)
