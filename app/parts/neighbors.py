"""The query (an image of the dataset, an uploaded image or a text) and its nearest images in each space."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import pandas as pd
import streamlit as st
from numpy.typing import NDArray
from streamlit.runtime.uploaded_file_manager import UploadedFile

from likeness.data import has_label
from likeness.encoders import reads_nothing
from likeness.errors import InputError
from likeness.io import spoken_name
from likeness.search import Query as ComposedQuery
from likeness.space import Space
from parts import selection
from parts.component import message, renderer
from parts.errors import toast_errors
from parts.selection import LONGEST, Kind, Term, set_terms
from parts.view import View
from server import added_labels, query_pictures
from server.addresses import address
from state import Item, state

COUNT = 24  # neighbors that are shown at first, and then at a time
_LONGEST = 120  # letters of a text in a title
_BAR = "query_bar"
_shown = Item[tuple["Query | None", int]]((None, COUNT), key="neighbors_shown")  # a query, and how many of its neighbors are shown
_uploads = Item(0, key="neighbors_uploads")  # pictures that were sent


@dataclass(frozen=True)
class Query:
    """The query: at most one of a row, a text, a picture's token, and several terms with weights."""

    row: int | None = None
    text: str = ""
    picture: str = ""
    terms: tuple[Term, ...] = ()

    def __bool__(self) -> bool:
        return self.row is not None or bool(self.text) or bool(self.picture) or bool(self.terms)

    @property
    def all_terms(self) -> tuple[Term, ...]:
        """The query as terms, even if there is only one."""
        single = [Term("row", self.row)] if self.row is not None else [Term("text", self.text)] if self.text else []
        return self.terms or tuple(single or ([Term("picture", self.picture)] if self.picture else []))

    @property
    def texts(self) -> list[str]:
        """All texts of the query."""
        return [str(term.value) for term in self.all_terms if term.kind == "text"]

    def title(self, frame: pd.DataFrame) -> str:
        """The title of the query's neighbors."""
        if self.terms:
            return "Images for the whole query"
        if self.row is not None:
            return f"Neighbors of {spoken_name(str(frame['path'].iloc[self.row]))}"
        text = self.text if len(self.text) <= _LONGEST else f"{self.text[:_LONGEST]} ..."
        return f"Images for “{text}”" if text else f"Neighbors of {query_pictures.find(self.picture).name}"


@dataclass(frozen=True)
class Found:
    """The nearest images in one space: rows and cosine similarities, nearest first, and a note if they are approximate."""

    space: Space
    rows: NDArray[np.int64]
    similarities: NDArray[np.float32]
    note: str = ""


def current_query(view: View) -> Query:
    """The current query, without rows that a growing dataset does not have yet."""
    there = tuple(term for term in state.terms if term.kind != "row" or int(term.value) < len(view.frame))
    if there:
        return Query(terms=there)
    if view.query is not None:
        return Query(row=view.query)
    text = state.text.strip()
    return Query(text=text) if text else Query(picture=state.picture)


def text_was_typed() -> None:
    """Makes the typed text the query, or a term of it if there is already another query."""
    text = state.text.strip()
    if text and (state.terms or state.query is not None or state.picture):
        add("text", text)
    else:
        selection.ask(text=state.text)


def add(kind: Kind, value: int | str) -> None:
    """Adds a term to the query."""
    change([*_current_terms(kind == "text"), Term(kind, value[:LONGEST] if isinstance(value, str) else value)])


def change(new: "list[Term]") -> None:
    """Makes these terms the query; a single term with positive weight becomes a simple query."""
    if len(new) == 1 and new[0].weight > 0:
        selection.ask(**{new[0].kind: new[0].value})  # type: ignore[arg-type]
    else:
        _compose(new)


def _compose(terms: "list[Term]") -> None:
    selection.ask()
    set_terms(terms)


def _current_terms(field_is_new: bool = False) -> list[Term]:
    """The query's terms, without the text that was just typed into the field."""
    text = "" if field_is_new or state.query is not None else state.text.strip()[:LONGEST]
    return list(state.terms or Query(state.query, text, "" if text else state.picture).all_terms)


def query_bar(view: View, query: Query) -> None:
    """Draws the query bar: chips with sign and weight; pictures can be dropped on it. If the text field's chip is the only one, a button offers to
    add more words."""
    data = {
        "chips": [_chip(view, term) for term in query.all_terms],
        "holds_text": bool(query.text),
        "reads_text": any(space.embed_texts is not None for space in view.spaces),
    }
    renderer(_BAR, "icons", _BAR)(key=_BAR, data=data, on_done_change=lambda: take_in(view, query, message(_BAR, "done")))


def _chip(view: View, term: Term) -> dict[str, object]:
    """A chip for words, or for a picture by name and address; a negative weight excludes it."""
    label, picture = str(term.value), ""
    if term.kind == "row":
        label, picture = spoken_name(str(view.frame["path"].iloc[int(term.value)])), view.thumbnails.format(row=term.value)
    elif term.kind == "picture":
        picture = address(f"/queries/{term.value}")
        try:
            label = query_pictures.find(str(term.value)).name
        except InputError:
            label = "Removed picture"
    return {"label": label, "picture": picture, "weight": term.weight}


def take_in(view: View, query: Query, event: Mapping[str, object]) -> None:
    """Handles the query bar's events: "add" a dropped row, "keep" the field's words, or "remove", "turn" (change the sign of) or "weigh" (set the
    next weight of) a chip by index. Other events are ignored."""
    action, place, row = event.get("action"), event.get("index"), event.get("row")
    terms = list(query.all_terms)
    if action == "add" and type(row) is int and 0 <= row < len(view.frame):
        add("row", row)
    elif action == "keep" and query.text:
        _compose(_current_terms())  # so that the field is free for the next words
    elif type(place) is int and 0 <= place < len(terms):
        new = {"remove": [], "turn": [terms[place].turned], "weigh": [terms[place].weighed]}
        if action in ("remove", "turn") or (action == "weigh" and len(terms) > 1):
            change([*terms[:place], *new[str(action)], *terms[place + 1 :]])


def upload_key() -> str:
    """Key of the upload field: a new one after each upload, so that its memory is freed."""
    return f"upload_{_uploads.get()}"


@toast_errors("The picture could not be saved")
def image_was_given() -> None:
    """Makes the uploaded image the query, or a term of a composed one."""
    upload = st.session_state.get(upload_key())
    if not isinstance(upload, UploadedFile):  # none, or one that has not come or is gone
        return
    _uploads.set(_uploads.get() + 1)
    token = query_pictures.keep(upload.name, upload.getvalue())
    if state.terms:
        add("picture", token)
    else:
        selection.ask(picture=token)


def is_unreadable(view: View, text: str) -> bool:
    """Whether no space of the view knows any word of a text."""
    readers = [space for space in view.spaces if space.embed_texts is not None]
    return bool(readers) and all(reads_nothing(space.encoder, text) for space in readers)


def shown(query: Query) -> int:
    """Number of neighbors shown."""
    if _shown.get()[0] != query:
        _shown.set((query, COUNT))
    return _shown.get()[1]


def show_more() -> None:
    """Shows more neighbors of the same query."""
    query, count = _shown.get()
    _shown.set((query, count + COUNT))


def find(view: View, query: Query, spaces: list[Space] | None = None, count: int = COUNT) -> list[Found]:
    """The nearest visible images in each space that supports the query; empty without a query.

    Raises:
        InputError: a link's picture has been removed.
    """
    if not query:
        return []
    allowed = None if view.hidden is None else ~view.hidden
    rows = [int(term.value) for term in query.all_terms if term.kind == "row"]
    nothing = allowed is not None and allowed.sum() <= allowed[rows].sum()
    found = []
    for space in spaces or view.spaces:
        if not can_read(space, query):
            continue
        if nothing:
            found.append(Found(space, np.zeros(0, np.int64), np.zeros(0, np.float32)))
            continue
        asked = in_space(space, query)
        # what visitors write is a text, never the path of a file
        result = space.nearest(space.text_query(asked)[0] if isinstance(asked, str) else asked, count, allowed=allowed)
        note = "" if space.search is None or space.search.exact else space.search.message
        found.append(Found(space, result.rows, result.similarities, note))
    return found


def can_read(space: Space, query: Query) -> bool:
    """Whether a space supports the whole query, with texts and uploaded pictures."""
    kinds = {term.kind for term in query.all_terms}
    return not (("text" in kinds and space.embed_texts is None) or ("picture" in kinds and space.embed_images is None))


def in_space(space: Space, query: Query) -> "int | str | NDArray[np.float32] | ComposedQuery":
    """The query for `Space.nearest`; raises InputError if a link's picture has been removed."""
    if query.terms:
        return ComposedQuery([(term.weight, _place(space, term)) for term in query.terms])
    return _place(space, query.all_terms[0])


def compared_by(view: View, space: Space) -> str | None:
    """The attribute that decides whether neighbors match the query: that of the space's notion, else the map's color."""
    return view.judges.get(space.key, view.color)


def same(view: View, query: Query, rows: NDArray[np.int64], attribute: str | None) -> list[bool | None] | None:
    """Whether each row has the query's label of an attribute, None where unknown; None if there is nothing to compare or the labels are guesses of an
    encoder."""
    if query.row is None or attribute is None or pd.api.types.is_float_dtype(view.frame[attribute]):
        return None
    if (view.aspects is not None and attribute == view.color) or added_labels.made_by_encoder([attribute]):
        return None
    compared = view.frame[attribute].iloc[[query.row, *rows]]
    (own, *others), (known, *labeled) = compared.to_numpy(), has_label(compared)
    return [bool(value == own) if there else None for value, there in zip(others, labeled, strict=True)] if known else None


def in_all(found: list[Found], rows: NDArray[np.int64]) -> list[bool]:
    """Whether each row is among the neighbors in every space."""
    common = set.intersection(*(set(each.rows.tolist()) for each in found))
    return [row in common for row in rows.tolist()]


def captions(view: View, rows: NDArray[np.int64], attribute: str | None = None) -> list[str] | None:
    """Captions: the value of an attribute under each picture, by default of the map's color."""
    name = attribute or view.color
    if name is None:
        return None
    return ["" if pd.isna(value) else f"{value:.3g}" if isinstance(value, float) else str(value) for value in view.frame[name].iloc[rows]]


def _place(space: Space, term: Term) -> "int | str | NDArray[np.float32]":
    """A term for `Space.nearest`: a row (excluded from the results), a text, or a picture's vector."""
    return _of_picture(space.key, term.value, space)[0] if term.kind == "picture" and isinstance(term.value, str) else term.value


@st.cache_resource(max_entries=128, show_spinner=False)
def _of_picture(key: str, token: str, _space: Space) -> NDArray[np.float32]:
    file = query_pictures.find(token)
    return _space.image_query(file.read_bytes(), file.name)
