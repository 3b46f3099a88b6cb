"""What one person has chosen and looks at: each value is one line of `State`, with its type, and is read and written as `state.NAME`.

Streamlit keeps the values in the person's session under the names that they have here, so a widget whose key is `State.color.key` holds
`state.color`. What a single page or part keeps for itself is declared the same way, in a class of its own beside the code that uses it.
"""

from collections.abc import Callable
from typing import Generic, Self, TypeVar, cast, overload

import numpy as np
import streamlit as st
from numpy.typing import NDArray

from likeness.data import SHIPPED_CARS

T = TypeVar("T")
_MISSING = object()


class Item(Generic[T]):
    """A value of the session, as an attribute of a class.

    Args:
        default: what it is before it is set.
        make: makes that instead, once for each session; for what can be changed in place.

    Attributes:
        key: under which the session has it: the name of the attribute, after the `prefix` of its class if there is one.
    """

    def __init__(self, default: T | None = None, make: Callable[[], T] | None = None) -> None:
        self._default, self._make = default, make
        self.key = ""

    def __set_name__(self, owner: type, name: str) -> None:
        self.key = f"{getattr(owner, 'prefix', '')}{name}"

    @overload
    def __get__(self, group: None, owner: type) -> Self: ...

    @overload
    def __get__(self, group: object, owner: type) -> T: ...

    def __get__(self, group: object | None, owner: type) -> Self | T:
        if group is None:
            return self
        value = st.session_state.get(self.key, _MISSING)
        if value is not _MISSING:
            return cast(T, value)
        if self._make is None:
            return cast(T, self._default)
        return cast(T, st.session_state.setdefault(self.key, self._make()))

    def __set__(self, group: object, value: T) -> None:
        st.session_state[self.key] = value

    def __delete__(self, group: object) -> None:
        st.session_state.pop(self.key, None)

    def is_set(self) -> bool:
        """Whether the session has a value."""
        return self.key in st.session_state

    def take(self) -> T:
        """The value, which is then not set any more; the default where it was not."""
        value = self.__get__(self, type(self))
        st.session_state.pop(self.key, None)
        return value


class State:
    """What all pages share; most of it also stands in the address, so that a link reopens it.

    Attributes:
        dataset: id of the images.
        a, b: names of the spaces on the left map and, or "None", on the right one.
        color: the attribute, or the notion's aspects, that colors the maps; None before the sidebar has chosen one.
        next_color: what the sidebar is to choose in its place in the next run.
        rows: (n,) numbers of the selected images, ascending.
        ticking: whether these were ticked last, picture by picture.
        query: number of the image whose neighbors are shown, or None.
        picture: token of a picture from outside that is searched with, or "".
        text: words that are searched with.
        form: which of the editors of a notion is shown; one more makes its fields read the draft again.
        map_settings: layout and its settings, by their names in the address.
    """

    dataset = Item(SHIPPED_CARS.id)
    a = Item("")
    b = Item("")
    color = Item[str | None]()
    next_color = Item[str | None]()
    rows = Item[NDArray[np.int64]](make=lambda: np.empty(0, np.int64))
    ticking = Item(False)
    query = Item[int | None]()
    picture = Item("")
    text = Item("")
    form = Item(0)
    map_settings = Item[dict[str, str | float]](make=dict)


state = State()
