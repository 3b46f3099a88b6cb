"""How many images match the query: after some yes/no answers, a cutoff with a stated error rate divides all images.

Each query of each dataset and space has its own answers, which are kept for the session.
"""

import hashlib
from collections.abc import Mapping
from functools import partial
from typing import Literal

import numpy as np
import pandas as pd
import streamlit as st
from numpy.typing import NDArray

from likeness.cutoffs import Cutoff, SpaceMatches, other_prompts
from likeness.errors import InputError
from likeness.space import Space
from parts import neighbors, selection
from parts.cached import BoundedCache
from parts.neighbors import Query
from parts.plain import plain, prose
from parts.sidebar import readable
from parts.view import View
from server.access import redact
from state import Item, state

_FEWEST = 2  # images besides the query
_WRONG = (0.05, 0.1, 0.2)
_KEPT = 100  # queries of one session
MOST_NEGATIVES = 200
_MOST_BYTES, _BYTES = 300_000_000, 64  # of cut-offs in memory, and of one image of these
Answers = dict[str, bool]  # of a query: whether an image matches, by its path, the last answer at the end; rows change where a dataset grows


is_open = Item(False, key="matching_is_open")  # the panel, for whatever query
_answers = Item[dict[str, Answers]](make=dict, key="matching_answers")  # to each query, the last one at the end


def by_row(answers: Answers, paths: "pd.Series[str]") -> dict[int, bool]:
    """Row -> whether the image matches, in the order of the answers, without removed images."""
    rows = {str(path): int(row) for row, path in paths[paths.isin(list(answers))].items()} if answers else {}
    return {rows[path]: match for path, match in answers.items() if path in rows}


def button(query: Query) -> None:
    """Opens or closes the panel, which replaces the neighbors."""
    label, icon = ("Back to the neighbors", "arrow_back") if is_open.get() else ("How many match?", "rule")
    turn = partial(is_open.set, not is_open.get())
    st.button(label, key="matching", icon=f":material/{icon}:", type="tertiary", on_click=turn, disabled=not query)


def show(view: View, query: Query) -> None:
    if len(view.rows) <= _FEWEST:
        st.info("There are too few images. Add more or remove filters.", icon=":material/info:")
        return
    names = {readable(space.name): space for space in view.spaces if neighbors.can_read(space, query)}
    space = next(iter(names.values()))
    if len(names) > 1:
        chosen = st.segmented_control("Matches in", list(names), default=next(iter(names)), required=True, key="matching_in", format_func=plain)
        space = names.get(chosen, space)
    wrong, negatives = _settings(view, query, space)
    try:
        with st.spinner("Comparing all images with the query ..."):
            found = matches(view, query, space, negatives, wrong)
    except InputError as error:
        st.info(prose(redact(error)), icon=":material/info:")
        return
    st.fragment(_panel)(view, query, space, found, bool(negatives))


def _settings(view: View, query: Query, space: Space) -> tuple[float, tuple[str, ...]]:
    """Draws the error rate, and the excluded texts."""
    with st.popover("Settings", icon=":material/tune:"):
        wrong = st.segmented_control(
            "Guarantee a maximum error rate",
            _WRONG,
            default=0.1,
            required=True,
            format_func=lambda share: f"{share:.0%}",
            key="matching_wrong",
            help="Choose it before you answer: the guarantee holds only for this rate.",
        )
        if query.terms or space.embed_texts is None:
            return wrong, ()
        notion = view.notions.get(state.b if space is view.b else state.a) if query.text else None
        others = other_prompts(notion, query.text)[:MOST_NEGATIVES] if notion else []
        typed = st.text_area(
            "Exclude these texts",
            "\n".join(others),
            key=f"matching_not_{_answers_key(view, query, space)}",
            placeholder="a photo of a wolf",
            help="One text per line, optional. An image matches if it is more similar to the query than to each of these. "
            "If the query names an aspect of the notion, the notion's other aspects are filled in.",
        )
    return wrong, tuple(dict.fromkeys(line.strip() for line in typed.splitlines() if line.strip()))[:MOST_NEGATIVES]


def _panel(view: View, query: Query, space: Space, found: SpaceMatches, has_negatives: bool) -> None:
    """Draws the fragment that an answer redraws."""
    answers = _answers_to(view, query, space)
    known = found.counting(by_row(answers, view.frame["path"]))
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
    _select_buttons(cut, rows)
    _histogram(query, found, cut, known, has_negatives)


def _question(view: View, query: Query, answers: Answers, found: SpaceMatches, known: Mapping[int, bool]) -> None:
    next_rows = found.next_to_ask(known)
    with st.container(horizontal=True, vertical_alignment="center", gap="medium"):
        if len(next_rows):
            row = int(next_rows[0])
            st.html(
                f'<div class="asked"><img src="{view.thumbnails.format(row=row)}" alt="Image {row}: does it match?" '
                'style="width:176px;height:176px;object-fit:contain;border-radius:8px"></div>',
                width="content",
            )
        with st.container():
            if len(next_rows):
                whole = "Does this match the whole query?" if query.terms else "Is this similar to the query in the way that you mean?"
                st.markdown(f"**{f'Does this match “{plain(query.text)}”?' if query.text else whole}**")
                path = str(view.frame["path"].iloc[row])
                with st.container(horizontal=True):
                    for match, title, icon in ((True, "Yes", "check"), (False, "No", "close")):
                        kind: Literal["primary", "secondary"] = "primary" if match else "secondary"
                        args = (answers, path, match)
                        key = f"match_{title.lower()}"
                        st.button(title, key=key, icon=f":material/{icon}:", shortcut=title[0].lower(), on_click=_answer, args=args, type=kind)
            else:
                st.markdown("**You have answered for every image.**")
            with st.container(horizontal=True):
                st.button("Undo", key="match_undo", icon=":material/undo:", shortcut="z", on_click=answers.popitem, disabled=not answers)
                st.button("Clear answers", key="match_forget", type="tertiary", on_click=answers.clear, disabled=not answers)
            yes, count = sum(known.values()), f"{len(known)} answer{'s' if len(known) > 1 else ''}"
            st.caption(f"{count}: {yes} yes, {len(known) - yes} no." if known else "The most informative images come first.")


def _answer(answers: Answers, path: str, match: bool) -> None:
    answers.pop(path, None)  # a later answer on the same image takes the place of the first, at the end
    answers[path] = match


def _histogram(query: Query, found: SpaceMatches, cut: Cutoff, known: Mapping[int, bool], has_negatives: bool) -> None:
    from likeness.plots import score_histogram

    sides = [found.scores_of(row for row, match in known.items() if match == side).tolist() for side in (True, False)]
    axis = "Similarity, minus that to the nearest excluded text" if has_negatives else "Similarity to the query"
    axis = "Fit to the whole query (logarithm)" if query.terms else axis
    figure = score_histogram(found.finder.scores, cut.threshold, (sides[0], sides[1]), axis)
    st.plotly_chart(figure, theme="streamlit", key="match_histogram", config={"displayModeBar": False})


def _select_buttons(cut: Cutoff, rows: NDArray[np.int64]) -> None:
    with st.container(horizontal=True):
        if st.button("Select the matches", key="match_select", icon=":material/select_all:", type="primary"):
            selection.select(np.sort(rows))
            st.rerun()
        guaranteed = f"Select the {len(cut.promise.rows):,} guaranteed"
        if cut.promise and st.button(guaranteed, key="match_promised", icon=":material/verified:"):
            selection.select(np.sort(cut.promise.rows))
            st.rerun()


def _answers_key(view: View, query: Query, space: Space) -> str:
    """A key of the query, the images and the space."""
    paths = view.frame["path"]
    terms = [(term.kind, str(paths.iloc[int(term.value)]) if term.kind == "row" else term.value, term.weight) for term in query.all_terms]
    return repr((view.dataset, space.key if view.dataset == view.entry.id else space.name, terms))


def _answers_to(view: View, query: Query, space: Space) -> Answers:
    """The stored answers, which can be extended."""
    kept, key = _answers.get(), _answers_key(view, query, space)
    kept[key] = kept.pop(key, {})  # the last one now
    while len(kept) > _KEPT:
        del kept[next(iter(kept))]
    return kept[key]


def matches(view: View, query: Query, space: Space, negatives: tuple[str, ...], wrong: float) -> SpaceMatches:
    """The cutoffs of a query among the images that match the filters.

    Raises:
        InputError: too few images, texts that the space cannot read, or a removed picture.
    """
    allowed = None if view.hidden is None else ~view.hidden
    digest = "" if allowed is None else hashlib.sha256(np.packbits(allowed).tobytes()).hexdigest()
    key = (space.key, query.all_terms, negatives, wrong, digest)
    return _kept().get(key, lambda: SpaceMatches(space, neighbors.in_space(space, query), negatives, allowed=allowed, fdr=wrong))


@st.cache_resource(show_spinner=False)
def _kept() -> BoundedCache[SpaceMatches]:
    return BoundedCache(_MOST_BYTES, lambda found: _BYTES * len(found.rows))
