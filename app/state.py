"""The session's state: each value is one typed line of `State`, read and written as `state.NAME`.

Values are stored in Streamlit's session state under these names, so a widget with the key `State.color.key` holds `state.color`. A value that only
one page or part needs is an `Item` beside the code that uses it; several that belong together form a class.
"""

import base64
import binascii
import zlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Generic, Self, TypeVar, cast, overload

import numpy as np
import streamlit as st
from numpy.typing import NDArray

from likeness.defaults import DATASET

T = TypeVar("T")
Rows = NDArray[np.int64]
MOST_ROWS = 50_000  # of a selection in an address; longer ones are not tried
MOST_LETTERS = 1500  # of a selection in an address; longer ones stay in the session only
_MOST_DIGITS = 15
_MISSING = object()


@dataclass(frozen=True)
class LinkForm(Generic[T]):
    """How a value is stored in a page's address; `parts.link` reads and writes it.

    Attributes:
        name: the parameter's name.
        heading: label of the widget that Streamlit binds to the parameter; "" if there is none.
        read: parses the parameter; None if it is invalid.
        write: formats the value; empty for the default.
        problem: message for an invalid parameter, which replaces {}.
    """

    name: str
    heading: str = ""
    read: Callable[[Sequence[str]], T | None] | None = None
    write: Callable[[T], Sequence[str]] | None = None
    problem: str = ""


class Item(Generic[T]):
    """One value of the session state, as a typed class attribute.

    Args:
        default: the value until it is set.
        make: creates a mutable default, once per session.
        link: how it is stored in the address; None if it is not.
        key: the session's key, for a value that is not a class attribute.

    Attributes:
        key: the session's key: the class's `prefix`, if any, and the attribute's name.
    """

    def __init__(self, default: T | None = None, make: Callable[[], T] | None = None, link: LinkForm[T] | None = None, key: str = "") -> None:
        self._default, self._make, self.link, self.key = default, make, link, key

    def __set_name__(self, owner: type, name: str) -> None:
        self.key = f"{getattr(owner, 'prefix', '')}{name}"

    @overload
    def __get__(self, group: None, owner: type) -> Self: ...

    @overload
    def __get__(self, group: object, owner: type) -> T: ...

    def __get__(self, group: object | None, owner: type) -> Self | T:
        return self if group is None else self.get()

    def __set__(self, group: object, value: T) -> None:
        self.set(value)

    def __delete__(self, group: object) -> None:
        st.session_state.pop(self.key, None)

    def get(self) -> T:
        value = st.session_state.get(self.key, _MISSING)
        if value is not _MISSING:
            return cast(T, value)
        if self._make is None:
            return cast(T, self._default)
        return cast(T, st.session_state.setdefault(self.key, self._make()))

    def set(self, value: T) -> None:
        st.session_state[self.key] = value

    def is_set(self) -> bool:
        """Whether the session has a value."""
        return self.key in st.session_state

    def take(self) -> T:
        """Removes the value and returns it, or the default if unset."""
        value = self.get()
        st.session_state.pop(self.key, None)
        return value


def encode_rows(chosen: Rows) -> str:
    """Encodes row numbers as short URL-safe text: their gaps, deflated."""
    if not len(chosen):
        return ""
    gaps = np.diff(chosen, prepend=0).astype("<u4").tobytes()
    return base64.urlsafe_b64encode(zlib.compress(gaps, 9)).decode().rstrip("=")


def decode_rows(text: str, most: int = MOST_ROWS) -> Rows:
    """Decodes the text of `encode_rows`; a damaged text, or one of more than `most` rows, gives an empty selection."""
    try:
        unpacker = zlib.decompressobj()
        gaps = unpacker.decompress(base64.urlsafe_b64decode(text + "=" * (-len(text) % 4)), 4 * most + 1)
        return np.cumsum(np.frombuffer(gaps, "<u4"), dtype=np.int64) if unpacker.eof else np.empty(0, np.int64)
    except (binascii.Error, zlib.error, ValueError):
        return np.empty(0, np.int64)


def _read_rows(texts: Sequence[str]) -> Rows | None:
    text = texts[-1] if texts else ""
    rows = decode_rows(text)
    return None if text and not len(rows) else rows


def _write_rows(rows: Rows) -> list[str]:
    text = encode_rows(rows) if len(rows) <= MOST_ROWS else ""
    return [text] if 0 < len(text) <= MOST_LETTERS else []


def _read_number(texts: Sequence[str]) -> int | None:
    text = texts[-1] if texts else ""
    return int(text) if text.isdecimal() and len(text) <= _MOST_DIGITS else None


class State:
    """The state that all pages share, and how each value is stored in the address, so that a link restores it.

    Attributes:
        dataset: id of the images.
        a, b: names of the spaces on the left and the right map; b may be "None".
        color: the attribute, or the notion's aspects, that colors the maps; None before the sidebar has chosen one.
        next_color: the color that the sidebar chooses in the next run.
        rows: (n,) numbers of the selected images, ascending.
        ticking: whether the last change was a tick on a picture.
        query: number of the image whose neighbors are shown, or None.
        picture: token of an uploaded query picture, or "".
        text: the search text.
        terms: terms of a composed query (`parts.selection`).
        draft_token: token of the file of the edited notion.
        form: number of the notion's form; increasing it makes the fields read the draft again.
        map_settings: layout and its settings, by their names in the address.
        runs: names of the runs that the page Runs shows.
        view: the sidebar's choices, resolved for the pages (`parts.view`).
    """

    dataset = Item(DATASET, link=LinkForm("dataset", "Images"))
    a = Item("", link=LinkForm("a", "Left map"))
    b = Item("", link=LinkForm("b", "Right map"))
    color = Item[str | None](link=LinkForm("color", "Color by"))
    next_color = Item[str | None]()
    rows = Item[Rows](
        make=lambda: np.empty(0, np.int64),
        link=LinkForm(
            "rows",
            read=_read_rows,
            write=_write_rows,
            problem="The selection in this link is damaged, so no image is selected. Ask for a new link.",
        ),
    )
    ticking = Item(False)
    query = Item[int | None](
        link=LinkForm(
            "query",
            read=_read_number,
            write=lambda row: [] if row is None else [str(row)],
            problem="This link names image “{}”, which is not here. Click an image to see its neighbors.",
        )
    )
    picture = Item("", link=LinkForm("picture", read=lambda texts: texts[-1] if texts else "", write=lambda token: [token] if token else []))
    text = Item("", link=LinkForm("text", "Search by text"))
    terms = Item[tuple[Any, ...]]((), link=LinkForm("term", write=lambda terms: [f"{term.weight:g} {term.kind}:{term.value}" for term in terms]))
    draft_token = Item("", link=LinkForm("draft"))
    form = Item(0)
    map_settings = Item[dict[str, str | float]](make=dict)
    view = Item[Any]()
    runs = Item[list[str]](make=list)


state = State()
# heading of the widget that is bound to a name in the address
HEADINGS = {item.link.name: item.link.heading for item in vars(State).values() if isinstance(item, Item) and item.link and item.link.heading}
