"""Screens of pictures with checkboxes, and the labels given to them."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import streamlit as st

from likeness.space import Space
from likeness.spreading import spread_labels
from parts import cached, label_edits
from parts.gallery import Section, gallery, take_ticks
from parts.plain import plain
from parts.sidebar import readable
from parts.view import View
from server import hand_labels
from server.jobs import Job, jobs
from state import Item, Rows

_TILE = 112  # pixels
_KEYS = 9  # values that have a key, 1 to 9
_KEPT = 4  # results of spreading
_SCREENS = ("start", "sure", "left", "uncertain", "mistakes")  # each a gallery of its own
_ALL_TICKED = ("sure", "left")  # at first; in the others none is
_NO_ROWS = np.empty(0, np.int64)


class _Answers:
    """put_off: skipped rows by dataset, column and step. asked_next: rows to ask about next, with dataset and column. ticked: ticked rows, and their
    screen. typed: number of typed values; it empties the field."""

    prefix = "label_"
    put_off = Item[dict[tuple[str, str, str], set[int]]](make=dict)
    asked_next = Item[tuple[tuple[str, str], Rows]]((("", ""), _NO_ROWS))
    ticked = Item[tuple[tuple[str, bytes] | None, Rows]]((None, _NO_ROWS))
    typed = Item(0)


_answers = _Answers()


@dataclass(frozen=True, eq=False)
class SpreadRequest:
    """The values to spread: labels given by people, in a table column, in a space; `together` (n,) is equal for images labeled in one edit."""

    space: Space
    name: str
    column: str
    together: Rows

    @property
    def classes(self) -> list[str]:
        return sorted(self.space.table.frame[self.column].dropna().astype(str).unique())

    def begin(self) -> Job:
        """The job whose result is a `LabelSpread`; the latest results stay in memory."""
        column = self.space.table.frame[self.column]
        key = self.space.key, self.column, cached.content_of_column(self.space.table.frame, self.column), self.together.tobytes()

        def work(job: Job) -> object:
            given = column.astype(object).where(column.notna(), None)
            return spread_labels(self.space, given, together=self.together, progress=job.report)

        return jobs().run("label spreading", key, "Spreading the labels", work, max_finished=_KEPT, stoppable=False)


@dataclass(frozen=True, eq=False)
class Screen:
    """Pictures that are asked about at once.

    Attributes:
        view, name, column: the images, and their label: its name, and its table column ("" before its first value).
        rows: the pictures.
        kind: one of `_SCREENS`.
        of: distinguishes screens of the same pictures.
        captions: texts under the pictures.
    """

    view: View
    name: str
    column: str
    rows: Rows
    kind: str
    of: str = ""
    captions: Sequence[str] | None = None

    def ticked(self) -> Rows:
        """The ticked rows; on a new screen all or none."""
        of = (f"{self.kind} {self.of}", self.rows.tobytes())
        if _answers.ticked[0] != of:
            _answers.ticked = of, self.rows if self.kind in _ALL_TICKED else _NO_ROWS
        return self.rows[np.isin(self.rows, _answers.ticked[1])]

    def ticked_now(self) -> Rows:
        """For button callbacks: the ticked rows, including a last tick that arrives with the click."""
        take_ticks(*(f"label_{kind}" for kind in _SCREENS))
        return self.rows[np.isin(self.rows, _answers.ticked[1])]

    def draw(self) -> None:
        def take(ticked: Rows) -> None:
            _answers.ticked = _answers.ticked[0], ticked

        section = Section("", self.rows.tolist(), captions=self.captions)
        thumbnails, key = self.view.thumbnails, f"label_{self.kind}"
        gallery([section], thumbnails=thumbnails, key=key, tile=_TILE, selected=self.ticked(), on_select=take, ticks_by_click=True)

    def give(self, value: str) -> bool:
        """Gives the ticked images a value; whether that succeeded."""
        ticked = self.ticked_now()
        paths = label_edits.paths(self.view, ticked)
        return not len(ticked) or label_edits.try_edit(self.view, lambda store, who: store.set_value(paths, self.name, value, who)) is not None

    def correct(self, value: str) -> bool:
        """`give`; confirms labels, so that they are not suspected again."""
        done = self.give(value)
        if done:
            put_off(self.view, self.column, "mistakes").update(self.ticked_now().tolist())
        return done

    def confirm(self, value: str) -> None:
        """Gives the ticked images a value, then asks about the others."""
        if self.give(value):
            self.ask_next(self.rows[~np.isin(self.rows, self.ticked_now())])

    def ask_next(self, rows: Rows) -> None:
        """Asks for the values of these images next."""
        _answers.asked_next = (self.view.dataset, self.column), rows

    def skip(self, ticked: Rows) -> None:
        """Skips the ticked images, or all if none is ticked."""
        step = "mistakes" if self.kind == "mistakes" else "sure"
        put_off(self.view, self.column, step).update((ticked if len(ticked) else self.rows).tolist())


def put_off(view: View, column: str, step: str) -> set[int]:
    """Rows skipped in this session."""
    return _answers.put_off.setdefault((view.dataset, column, step), set())


def without(rows: Rows, skipped: set[int]) -> Rows:
    """Rows that are not skipped."""
    return rows[~np.isin(rows, list(skipped))] if skipped else rows


def left_over(view: View, column: str) -> Rows:
    """Rows that did not have a screen's suggested value, and have no label yet."""
    of, rows = _answers.asked_next
    if of != (view.dataset, column):
        return _NO_ROWS
    rows = without(rows, put_off(view, column, "sure"))
    return np.asarray(rows[view.base.table.frame[column].iloc[rows].isna().to_numpy()], np.int64)


def confirm(screen: Screen, value: str, confidence: float) -> None:
    """Asks whether all images of a screen have one value."""
    st.subheader(f"{plain(readable(screen.column))}: {plain(value)}?")
    st.caption(f"Untick the wrong ones, then confirm. Average confidence: {confidence:.0%}.")
    ticked = screen.ticked()
    with st.container(horizontal=True):
        title, off = plain(f"Confirm {len(ticked)} as {value}"), not len(ticked)
        icon, args = ":material/check:", (value,)
        st.button(title, key="label_confirm", type="primary", shortcut="Y", icon=icon, disabled=off, on_click=screen.confirm, args=args)
        st.button("None of them", key="label_none", shortcut="N", on_click=screen.ask_next, args=(screen.rows,))
        st.button("Skip", key="label_later", shortcut="L", type="tertiary", on_click=screen.skip, args=(_NO_ROWS,))
        _undo(screen.view)
    screen.draw()


def ask(screen: Screen, title: str, values: Sequence[str]) -> None:
    """Asks for the values of a screen's ticked images."""
    st.subheader(title)
    ticked = screen.ticked()
    off, count = not len(ticked), len(ticked)
    st.caption("Tick images with the same value." if off else f"Click a value, or press its number, to label the {count} ticked.")
    with st.container(horizontal=True, vertical_alignment="center", key="label_values"):
        for place, value in enumerate(values[:_KEYS]):
            st.button(plain(value), key=f"label_as_{value}", shortcut=str(place + 1), disabled=off, on_click=screen.correct, args=(value,))
        field = f"label_new_{_answers.typed}"
        st.selectbox(
            "Another value",
            values[_KEYS:],
            index=None,
            key=field,
            placeholder="Another value",
            accept_new_options=True,
            label_visibility="collapsed",
            disabled=off,
            width=180,
            on_change=lambda: _give_typed(screen, str(st.session_state.get(field) or "")),
        )
        skip = "These are right" if screen.kind == "mistakes" else "Skip"
        st.button(skip, key="label_later", shortcut="L", type="tertiary", on_click=lambda: screen.skip(screen.ticked_now()))
        _undo(screen.view)
    screen.draw()


def values_in_order(view: View, request: SpreadRequest) -> list[str]:
    """The values in the order in which they were first given, so that a new value comes last and keys keep their meaning, even if a value is gone."""
    known = [value for name, value in label_edits.known(view) if name == request.name and value]
    return list(dict.fromkeys([*known, *request.classes]))


def start(view: View, name: str, rows: Rows) -> None:
    """Asks for the first value of images, for a new or existing label."""
    with st.container(horizontal=True, vertical_alignment="bottom"):
        name = st.text_input("Label", name, key=f"label_start_name_{name}", placeholder="breed", width=180).strip()
        value = st.text_input("Value", key=f"label_start_value_{_answers.typed}", placeholder="beagle", width=180).strip()
        screen = Screen(view, name, name, rows, "start")
        count = len(screen.ticked())
        title = f"Label {count} image{'' if count == 1 else 's'}" if count else "Label the ticked images"
        ready = bool(name and value and count)
        st.button(title, key="label_first", type="primary", disabled=not ready, on_click=_give_typed, args=(screen, value))
        _undo(view)
    screen.draw()


def _give_typed(screen: Screen, value: str) -> None:
    if value.strip() and screen.correct(value.strip()):
        _answers.typed += 1  # the field is empty again


def _undo(view: View) -> None:
    def take_back() -> None:
        del _answers.asked_next
        label_edits.try_edit(view, lambda store, who: store.undo(who))

    can, _ = hand_labels.can_undo(view.entry)
    st.button("Undo", key="label_back", icon=":material/undo:", type="tertiary", shortcut="U", disabled=not can, on_click=take_back)
