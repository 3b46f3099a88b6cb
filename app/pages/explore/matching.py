"""How many images match the query: some are answered with yes or no, and a cut-off with a stated error divides all of them.

Each query of each dataset and space has answers of its own, which are kept while the session lasts.
"""

import hashlib
from collections import OrderedDict
from collections.abc import Mapping
from functools import partial

import numpy as np
import pandas as pd
import streamlit as st
from numpy.typing import NDArray

from likeness.cutoffs import Cutoff, SpaceMatches, other_prompts
from likeness.data import with_columns_before
from likeness.errors import InputError
from likeness.plots import score_histogram
from likeness.space import Space
from parts import neighbors, selection, sidebar
from parts.cached import BoundedCache
from parts.neighbors import Query
from parts.plain import plain
from parts.sidebar import readable
from parts.view import View
from server.access import redact
from state import Item, state

_FEWEST = 2  # images besides the query
_WRONG = (0.05, 0.1, 0.2)
_KEPT = 100  # queries of one session
MOST_NEGATIVES = 200
_MOST_BYTES = 300_000_000
_BYTES = 64  # of one image


class Answers:
    """Answers on the images of one query, the last one at the end.

    An image is its row, and its path, by which it is found again where a dataset has grown and its rows have other numbers.
    """

    def __init__(self) -> None:
        self._list: list[tuple[int, str, bool]] = []

    def __len__(self) -> int:
        return len(self._list)

    def add(self, row: int, path: str, match: bool) -> None:
        """One more answer; a later one on the same image takes the place of the first."""
        self._list = [*(each for each in self._list if each[1] != path), (row, path, match)]

    def undo(self) -> None:
        """Takes the last answer back."""
        self._list = self._list[:-1]

    def clear(self) -> None:
        """Takes all answers back."""
        self._list = []

    def by_row(self, paths: "pd.Series[str]") -> dict[int, bool]:
        """Row -> whether the image matches, in the order of the answers; images that are not there any more are left out."""
        moved = [path for row, path, _ in self._list if not (row < len(paths) and str(paths.iloc[row]) == path)]
        there = {str(path): int(row) for row, path in paths[paths.isin(moved)].items()} if moved else {}
        found: dict[int, bool] = {}
        for row, path, match in self._list:
            now = there.get(path) if path in moved else row
            if now is not None:
                found[now] = match
        return found


class _Matching:
    """Whether the panel is open, and the answers to each query, the last one at the end."""

    prefix = "matching_"
    is_open = Item(False)
    answers = Item[OrderedDict[str, Answers]](make=OrderedDict)


_matching = _Matching()


def button(query: Query) -> None:
    """Opens the panel in place of the neighbors, or closes it."""
    label, icon = ("Back to the neighbors", "arrow_back") if _matching.is_open else ("How many match?", "rule")
    st.button(label, key="matching", icon=f":material/{icon}:", type="tertiary", on_click=_turn, disabled=not query)


def is_open() -> bool:
    """Whether the panel is open, for whatever query."""
    return _matching.is_open


def show(view: View, query: Query) -> None:
    """Draws the panel."""
    spaces = [space for space in view.spaces if neighbors.can_read(space, query)]
    if not spaces:
        st.info(
            "Neither map can be searched with this query. Search with one of these images instead: open it, then “Search with it”.",
            icon=":material/info:",
        )
        return
    space = _space(spaces)
    visible = len(view.frame) if view.hidden is None else int((~view.hidden).sum())
    if visible < _FEWEST + 1:
        st.info("There are too few images to divide into matches and others. Add more, or remove filters.", icon=":material/info:")
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
            "Guarantee a maximum error rate",
            _WRONG,
            default=0.1,
            required=True,
            format_func=lambda share: f"{share:.0%}",
            key="matching_wrong",
            help="Choose it before you answer: the guarantee holds for this rate only.",
        )
        if query.terms or space.embed_texts is None:
            return wrong or 0.1, ()
        others = other_aspects(view, query, space)
        typed = st.text_area(
            "What you do not mean, one text per line (optional)",
            "\n".join(others),
            key=f"matching_not_{_answers_key(view, query, space)}",
            placeholder="a photo of a wolf",
            help="An image then matches if it is more similar to the query than to each of these. "
            "If the query names an aspect of the notion, the notion's other aspects are filled in.",
        )
    return wrong or 0.1, tuple(dict.fromkeys(line.strip() for line in typed.splitlines() if line.strip()))[:MOST_NEGATIVES]


def _panel(view: View, query: Query, space: Space, found: SpaceMatches, has_negatives: bool) -> None:
    """What a click on an answer draws anew."""
    answers = _answers_to(view, query, space)
    known = found.counting(answers.by_row(view.frame["path"]))
    cut = found.cut_off(known)
    rows = cut.corrected(known)
    _question(view, query, answers, found, known)
    st.subheader(f"{len(rows):,} {'matches' if len(rows) == 1 else 'match'}" if len(rows) else "No image matches", anchor=False)
    if len(rows):
        st.markdown(cut.estimate)
    else:
        st.markdown("Answer a few more, search with other words, or search with an image.")
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
                st.markdown(f"**{_question_of(query)}**")
                with st.container(horizontal=True):
                    take = partial(answers.add, row, str(view.frame["path"].iloc[row]))
                    st.button("Yes", key="match_yes", icon=":material/check:", shortcut="y", on_click=take, args=(True,), type="primary")
                    st.button("No", key="match_no", icon=":material/close:", shortcut="n", on_click=take, args=(False,))
            else:
                st.markdown("**You have answered for every image.**")
            with st.container(horizontal=True):
                st.button("Undo", key="match_undo", icon=":material/undo:", shortcut="z", on_click=answers.undo, disabled=not len(answers))
                st.button("Clear answers", key="match_forget", type="tertiary", on_click=answers.clear, disabled=not len(answers))
            st.caption(_count(known))


def _question_of(query: Query) -> str:
    if query.text:
        return f"Does this match “{plain(query.text)}”?"
    return "Does this match the whole query?" if query.terms else "Is this similar to the query in the way you mean?"


def _count(known: Mapping[int, bool]) -> str:
    if not known:
        return "The most informative images come first."
    yes = sum(known.values())
    return f"{len(known)} answer{'s' if len(known) > 1 else ''}: {yes} yes, {len(known) - yes} no."


def _histogram(query: Query, found: SpaceMatches, cut: Cutoff, known: Mapping[int, bool], has_negatives: bool) -> None:
    sides = [found.scores_of(row for row, match in known.items() if match == side).tolist() for side in (True, False)]
    axis = "Similarity to the query, minus that to the nearest text you do not mean" if has_negatives else "Similarity to the query"
    axis = "How well the whole query holds (logarithm)" if query.terms else axis
    figure = score_histogram(found.finder.scores, cut.threshold, (sides[0], sides[1]), axis)
    st.plotly_chart(figure, theme="streamlit", key="match_histogram", config={"displayModeBar": False})


def _take(view: View, cut: Cutoff, rows: NDArray[np.int64], known: Mapping[int, bool]) -> None:
    """Buttons for the matches."""
    with st.container(horizontal=True):
        if st.button("Select the matches", key="match_select", icon=":material/select_all:", type="primary"):
            selection.select(np.sort(rows))
            st.rerun()
        if cut.promise and st.button(f"Select the {len(cut.promise.rows):,} guaranteed", key="match_promised", icon=":material/verified:"):
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
    _matching.is_open = not _matching.is_open


def _answers_key(view: View, query: Query, space: Space) -> str:
    """Equal for the same query of the same images in the same space."""
    paths = view.frame["path"]
    terms = [(term.kind, str(paths.iloc[int(term.value)]) if term.kind == "row" else term.value, term.weight) for term in query.all_terms]
    return repr((view.dataset, space.key if view.dataset == view.entry.id else space.name, terms))


def _answers_to(view: View, query: Query, space: Space) -> Answers:
    """The answers so far, to be added to."""
    kept, key = _matching.answers, _answers_key(view, query, space)
    answers = kept.setdefault(key, Answers())
    kept.move_to_end(key)
    while len(kept) > _KEPT:
        kept.popitem(last=False)
    return answers


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
    name = state.b if space is view.b else state.a
    notion = sidebar.notion_by(name) if name in sidebar.notion_names(view.base) else None
    return other_prompts(notion, query.text)[:MOST_NEGATIVES] if notion else []
