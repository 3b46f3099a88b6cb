"""How many images match the query: some are answered with yes or no, and a cut-off with a stated error divides all of them."""

import hashlib
from collections.abc import Mapping
from functools import partial

import numpy as np
import pandas as pd
import streamlit as st
from numpy.typing import NDArray

from access import redact
from likeness.cutoffs import Cutoff, SpaceMatches, other_prompts
from likeness.data import with_columns_before
from likeness.errors import InputError
from likeness.plots import score_histogram
from likeness.space import Space
from pages.explore import match_answers
from pages.explore.match_answers import Answers
from shared import neighbors, selection, sidebar
from shared.bounded import BoundedCache
from shared.neighbors import Query
from shared.plain import plain
from shared.sidebar import readable
from shared.view import View

_OPEN = "matching_open"
_FEWEST = 2  # images besides the query
_WRONG = (0.05, 0.1, 0.2)


def button(query: Query) -> None:
    """Opens the panel in place of the neighbors, or closes it."""
    is_open = bool(st.session_state.get(_OPEN))
    label, icon = ("Back to the neighbors", "arrow_back") if is_open else ("How many match?", "rule")
    st.button(label, key="matching", icon=f":material/{icon}:", type="tertiary", on_click=_turn, disabled=not query)


def is_open() -> bool:
    """Whether a person wants to know how many match, for whatever query."""
    return bool(st.session_state.get(_OPEN))


def show(view: View, query: Query) -> None:
    """Draws the panel."""
    spaces = [space for space in view.spaces if neighbors.can_read(space, query)]
    if not spaces:
        st.info("No space shown here reads this query, so nothing can match it; click one of its own images instead.", icon=":material/info:")
        return
    space = _space(spaces)
    visible = len(view.frame) if view.hidden is None else int((~view.hidden).sum())
    if visible < _FEWEST + 1:
        st.info("There are too few images to divide into matches and others; bring more, or take filters back.", icon=":material/info:")
        return
    wrong, negatives = _settings(view, query, space)
    try:
        with st.spinner("Comparing all images with the query ..."):
            found = matches(view, query, space, negatives, wrong)
    except InputError as error:
        st.info(plain(redact(error)), icon=":material/info:")
        return
    st.fragment(_panel)(view, query, space, found, bool(negatives))


def _space(spaces: list[Space]) -> Space:
    if len(spaces) == 1:
        return spaces[0]
    names = {readable(space.name): space for space in spaces}
    chosen = st.segmented_control("Matches in", list(names), default=next(iter(names)), required=True, key="matching_in", format_func=plain)
    return names[chosen or next(iter(names))]


def _settings(view: View, query: Query, space: Space) -> tuple[float, tuple[str, ...]]:
    """The share that may be wrong, and texts that are not meant."""
    with st.popover("Settings", icon=":material/tune:"):
        wrong = st.segmented_control(
            "Promise a set of which at most so many are wrong",
            _WRONG,
            default=0.1,
            required=True,
            format_func=lambda share: f"{share:.0%}",
            key="matching_wrong",
            help="Choose it before you answer: a promise is one with this share only.",
        )
        if query.terms or space.embed_texts is None:
            return wrong or 0.1, ()
        others = other_aspects(view, query, space)
        typed = st.text_area(
            "Not meant, one text a line (may stay empty)",
            "\n".join(others),
            key=f"matching_not_{match_answers.key(view, query, space)}",
            placeholder="a photo of a wolf",
            help="An image then matches where it is more similar to the query than to each of these. "
            "Where the query names an aspect of the notion, the others stand here by themselves.",
        )
    return wrong or 0.1, tuple(dict.fromkeys(line.strip() for line in typed.splitlines() if line.strip()))[:MOST_NEGATIVES]


def _panel(view: View, query: Query, space: Space, found: SpaceMatches, has_negatives: bool) -> None:
    """What a click on an answer draws anew."""
    answers = match_answers.of(view, query, space)
    known = found.counting(answers.by_row(view.frame["path"]))
    cut = found.cut_off(known)
    rows = cut.corrected(known)
    _question(view, query, answers, found, known)
    st.subheader(f"{len(rows):,} match", anchor=False)
    st.markdown(cut.estimate)
    if cut.promise:
        st.success(cut.promise.sentence, icon=":material/verified:")
    else:
        st.info(cut.promise.sentence, icon=":material/help:")
    _take(view, cut, rows, known)
    _histogram(query, found, cut, known, has_negatives)


def _question(view: View, query: Query, answers: Answers, found: SpaceMatches, known: Mapping[int, bool]) -> None:
    asked = found.next_to_ask(known)
    with st.container(horizontal=True, vertical_alignment="center", gap="medium"):
        if len(asked):
            row = int(asked[0])
            st.html(
                f'<div class="asked"><img src="{view.thumbnails.format(row=row)}" alt="Image {row}: does it match?" '
                'style="width:176px;height:176px;object-fit:contain;border-radius:8px"></div>',
                width="content",
            )
        with st.container():
            if len(asked):
                st.markdown(f"**{_asks(query)}**")
                with st.container(horizontal=True):
                    take = partial(answers.add, row, str(view.frame["path"].iloc[row]))
                    st.button("Yes", key="match_yes", icon=":material/check:", shortcut="y", on_click=take, args=(True,), type="primary")
                    st.button("No", key="match_no", icon=":material/close:", shortcut="n", on_click=take, args=(False,))
            else:
                st.markdown("**Every image is answered.**")
            with st.container(horizontal=True):
                st.button("Undo", key="match_undo", icon=":material/undo:", shortcut="z", on_click=answers.undo, disabled=not len(answers))
                st.button("Forget all", key="match_forget", type="tertiary", on_click=answers.clear, disabled=not len(answers))
            st.caption(_said(known))


def _asks(query: Query) -> str:
    if query.text:
        return f"Does this match “{plain(query.text)}”?"
    return "Does this match all that you search for?" if query.terms else "Is this like the query, in the way that you mean?"


def _said(known: Mapping[int, bool]) -> str:
    if not known:
        return "The images that say most are asked about first."
    yes = sum(known.values())
    return f"{len(known)} answer{'s' if len(known) > 1 else ''}: {yes} yes, {len(known) - yes} no."


def _histogram(query: Query, found: SpaceMatches, cut: Cutoff, known: Mapping[int, bool], has_negatives: bool) -> None:
    sides = [found.scores_of(row for row, match in known.items() if match == side).tolist() for side in (True, False)]
    axis = "Similarity to the query, less that to the nearest text that is not meant" if has_negatives else "Similarity to the query"
    axis = "How well the whole query holds (logarithm)" if query.terms else axis
    figure = score_histogram(found.finder.scores, cut.threshold, (sides[0], sides[1]), axis)
    st.plotly_chart(figure, theme="streamlit", key="match_histogram", config={"displayModeBar": False})


def _take(view: View, cut: Cutoff, rows: NDArray[np.int64], known: Mapping[int, bool]) -> None:
    """What is to be done with the matches."""
    with st.container(horizontal=True):
        if st.button("Select the matches", key="match_select", icon=":material/select_all:", type="primary"):
            selection.select(np.sort(rows))
            st.rerun()
        if cut.promise and st.button(f"Select the {len(cut.promise.rows):,} promised", key="match_promised", icon=":material/verified:"):
            selection.select(np.sort(cut.promise.rows))
            st.rerun()
        st.download_button(
            "Download CSV",
            partial(_csv, view.frame, cut, rows, known),
            "matches.csv",
            "text/csv",
            icon=":material/download:",
            on_click="ignore",
            key="match_csv",
        )


def _csv(frame: pd.DataFrame, cut: Cutoff, rows: NDArray[np.int64], known: Mapping[int, bool]) -> bytes:
    promised = set(cut.promise.rows.tolist())
    listed = list(dict.fromkeys([*rows.tolist(), *cut.promise.rows.tolist()]))
    answers = ["" if row not in known else "yes" if known[row] else "no" for row in listed]
    columns = {"row": listed, "promised": [row in promised for row in listed], "answer": answers}
    return with_columns_before(frame.iloc[listed], columns).to_csv(index=False).encode("utf-8", "surrogateescape")


def _turn() -> None:
    st.session_state[_OPEN] = not st.session_state.get(_OPEN)


MOST_NEGATIVES = 200
_MOST_BYTES = 300_000_000
_BYTES = 64  # of one image


def matches(view: View, query: Query, space: Space, negatives: tuple[str, ...], wrong: float) -> SpaceMatches:
    """The cut-offs of a query among the images that the filters leave.

    Raises:
        InputError: too few images, texts that the space cannot read, or a picture that is not kept any more.
    """
    allowed = None if view.hidden is None else ~view.hidden
    digest = "" if allowed is None else hashlib.sha256(np.packbits(allowed).tobytes()).hexdigest()
    key = (space.key, query.all_terms, negatives, wrong, digest)
    return _kept().get(key, lambda: SpaceMatches(space, neighbors.in_space(space, query), negatives, allowed=allowed, fdr=wrong))


@st.cache_resource(show_spinner=False)
def _kept() -> BoundedCache[SpaceMatches]:
    return BoundedCache(_MOST_BYTES, lambda found: _BYTES * len(found.rows))


def other_aspects(view: View, query: Query, space: Space) -> list[str]:
    """Prompts of the space's notion with aspects that a text does not name, where it names one; empty for any other query."""
    if not query.text:
        return []
    name = st.session_state.get("b" if space is view.b else "a")
    notion = sidebar.notion_by(name) if name in sidebar.notion_names(view.base) else None
    return other_prompts(notion, query.text)[:MOST_NEGATIVES] if notion else []
