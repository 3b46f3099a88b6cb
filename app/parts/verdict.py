"""Warnings about the encoder's reliability, with a remedy: for a notion, for words, for the images themselves."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from functools import partial

import numpy as np
import streamlit as st
from numpy.typing import NDArray
from streamlit.delta_generator import DeltaGenerator

from likeness.encoders import cut_ends, reads_nothing, unread_words
from likeness.errors import InputError
from likeness.notions import Composition, Notion
from likeness.presence import Answer
from likeness.space import Space
from parts import cached, drafts, neighbors, sidebar
from parts.neighbors import Query
from parts.plain import plain, prose
from parts.view import View
from server.access import redact, refusal
from state import state

_CHECKING = ":gray[Checking whether the encoder can tell these apart ...]"  # of the same height as the answer, so that nothing jumps
_PRESENCES: dict[Answer, str] = {
    "here": "gray[:material/check:",
    "absent": "orange[:material/search_off:",
    "unclear": "gray[:material/help:",
    "unread": "orange[:material/warning:",
}
_RELIABLE = ":gray[:material/visibility: The encoder can tell all of these apart in these images. Its guesses can still be wrong.]"


def of_notion(view: View, notion: Notion | Composition) -> Callable[[], None]:
    """A line on how reliable a notion is on these images, with a starter notion to try instead if it is not.

    Returns:
        What fills the line, for the end of the page: where the answer is not known yet, the map does not wait for it. The line stays empty where
        there is none.
    """
    return _line(cached.is_trust_known(view.base, notion), _CHECKING, lambda place: _draw_trust(view, notion, place))


def of_colors(view: View, names: Sequence[str]) -> Callable[[], None]:
    """The same for several notions, by their names in `View.notions`: lists those that are not reliable."""
    known = all(cached.is_trust_known(view.base, view.notions[name]) for name in names)
    return _line(known, _CHECKING, lambda place: _draw_doubtful(view, names, place))


def of_encoder(view: View) -> None:
    """Warns if the encoder hardly distinguishes these images, with a link to choose another one."""
    if view.entry.warning:
        st.warning(prose(redact(view.entry.warning)), icon=":material/visibility_off:")
        _link_to_encoders()


def of_query(view: View, query: Query) -> None:
    """Shows which parts of a query's texts the encoder does not read, with a button that removes them."""
    readers = [space for space in view.spaces if space.embed_texts is not None]
    if readers:
        _draw_unread(unread(readers[0], query.texts), "fewer_words_of_query", lambda: _shorter_query(readers[0], query))


def of_presence(view: View, query: Query) -> Callable[[], None]:
    """A line on whether any visible image shows the words that are searched for; the returned function fills it in at the end of the page."""
    base = next((space.base or space for space in view.spaces if space.embed_texts is not None), None)
    if base is None or not query.text or (view.hidden is not None and view.hidden.all()):
        return lambda: None
    asked = (base, query.text, view.hidden)
    waiting = ":gray[Checking whether any image shows this ...]"
    return _line(cached.is_presence_known(*asked), waiting, lambda place: _draw_presence(place, *asked))


def of_words(view: View, notion: Notion) -> None:
    """Shows which parts of a notion's prompts the encoder does not read, with a button that removes them."""
    if view.base.embed_texts is not None:
        _draw_unread(unread(view.base, notion.prompts), "fewer_words_of_notion", lambda: _shorter_notion(view.base, notion))


def _fewer_words(space: Space, text: str, templates: Iterable[str] = ("{}",)) -> str:
    """A text without unknown words, cut where the encoder stops reading; "" if nothing is left."""
    unknown = set(cached.unknown_words(space, text))
    words = [word for word in text.split() if word.strip(".,;:!?()\"'").lower() not in {each.lower() for each in unknown}]
    while words and cached.cut_texts(space, [template.replace("{}", " ".join(words)) for template in templates]):
        words.pop()
    return "" if reads_nothing(space.encoder, " ".join(words)) else " ".join(words)


def unread(space: Space, texts: Sequence[str]) -> str:
    """Sentences on a text's unknown words and on texts that are too long; "" if the encoder reads everything."""
    unknown = sorted(cached.unknown_words(space, "\n".join(texts)))
    return " ".join(filter(None, [unread_words([plain(word) for word in unknown]), plain(cut_ends(cached.cut_texts(space, texts)))]))


def _draw_presence(place: DeltaGenerator, base: Space, text: str, hidden: NDArray[np.bool_] | None) -> None:
    found, help = cached.presence(base, text, hidden), None
    if found.answer == "unread" and cached.unknown_words(base, text):  # as the line above it says
        place.empty()
        return
    if not np.isnan(found.p_value):
        least = (
            f"below {found.false_alarm_rate:.0%}, nothing matches"
            if found.answer != "unclear"
            else "but this encoder ties images too loosely to words"
        )
        help = (
            "Checked without labels, by the same words with others in their place. If two images showed it, the best of them would score this low "
            f"with a chance of {found.p_value:.1%}; {least}."
        )
    place.markdown(f":{_PRESENCES[found.answer]} {plain(found.sentence)}]", help=help)


def _draw_unread(problem: str, key: str, shorter: Callable[[], Callable[[], None] | None]) -> None:
    """Shows what is not read, with a button that makes it `shorter`, if possible."""
    if not problem:
        return
    act = shorter()
    with st.container(horizontal=True, vertical_alignment="center"):
        st.markdown(f":orange[:material/warning: {problem}]", width="content")
        if act:
            st.button("Use fewer words", key=key, icon=":material/content_cut:", type="tertiary", on_click=act)
        else:
            st.markdown("Use other words.", width="content")


def _shorter_query(reader: Space, query: Query) -> Callable[[], None] | None:
    """Searches with the readable part; None if nothing of a text is left."""
    terms = [replace(term, value=_fewer_words(reader, str(term.value))) if term.kind == "text" else term for term in query.all_terms]
    return partial(neighbors.change, terms) if all(term.value != "" for term in terms) else None


def _shorter_notion(base: Space, notion: Notion) -> Callable[[], None] | None:
    """Edits the notion to its readable aspects, wherever it is shown; None if too few are left or it may not change."""
    aspects = tuple(dict.fromkeys(filter(None, (_fewer_words(base, each, notion.templates) for each in notion.aspects))))

    def shorten() -> None:
        draft = drafts.current()
        drafts.put(replace(draft if draft and draft.notion == notion else drafts.of(notion), aspects="\n".join(aspects)))
        drafts.renew_form()
        _replace(notion.name, sidebar.DRAFT)

    return None if len(aspects) < 2 or aspects == notion.aspects or refusal("edit") else shorten


def _line(is_known: bool, waiting: str, draw: Callable[[DeltaGenerator], None]) -> Callable[[], None]:
    place = st.empty()

    def end() -> None:
        try:
            draw(place)
        except InputError:  # as the page says elsewhere
            place.empty()

    if is_known:
        end()
        return lambda: None
    place.markdown(waiting)
    return end


def _draw_trust(view: View, notion: Notion | Composition, place: DeltaGenerator) -> None:
    trust = cached.trust(view.base, notion)
    help = (
        "Checked without labels. With the prompts reworded, the similarities of the images agree with the original ones to "
        f"{100 * trust.stability:.1f} % (98 % beyond chance is enough). {100 * trust.alignment:.0f} % of the variation along the prompts goes beyond "
        "that along arbitrary words (50 % is enough)."
    )
    if trust.reads:
        place.markdown(f":gray[:material/visibility: {trust.sentence}]", help=help)
        return
    with place.container(horizontal=True, vertical_alignment="center"):
        st.markdown(f":orange[:material/warning: {trust.sentence}]", help=help, width="content")
        _offer_starter(view, notion.name)


def _draw_doubtful(view: View, names: Sequence[str], place: DeltaGenerator) -> None:
    doubtful = [name for name in names if not cached.trust(view.base, view.notions[name]).reads]
    if not doubtful:
        place.markdown(_RELIABLE)
        return
    with place.container(horizontal=True, vertical_alignment="center"):
        listed = sidebar.listed([plain(sidebar.readable(name)) for name in doubtful])
        st.markdown(f":orange[:material/warning:] Not reliable in these images: {listed}.", width="content")
        if len(doubtful) == len(names):
            _link_to_encoders()


def _offer_starter(view: View, name: str) -> None:
    """Draws a button for the reliable notion that separates these images best, or else a link to choose another encoder."""
    starter = cached.first_starter(view.base, sidebar.fitting(view.base))
    if not starter or starter == name:
        _link_to_encoders()
        return
    label = f"Try the starter notion {plain(sidebar.readable(starter))}"
    key, args = f"try_starter_instead_of_{name}", (name, starter)
    st.button(label, key=key, icon=":material/lightbulb:", type="tertiary", on_click=_replace, args=args)


def _link_to_encoders() -> None:
    st.page_link("pages/images/page.py", label="Choose another encoder", icon=":material/swap_horiz:")


def _replace(name: str, new: str) -> None:
    """Replaces the notion of this name on the maps and in the color menu."""
    draft = drafts.current()
    old = {name, sidebar.DRAFT} if draft and draft.name == name else {name}
    if state.a in old:
        state.a = new
    if state.b in old:
        state.b = new
    if str(state.color).removeprefix(sidebar.ASPECTS) in old and str(state.color).startswith(sidebar.ASPECTS):
        state.next_color = f"{sidebar.ASPECTS}{new}"
