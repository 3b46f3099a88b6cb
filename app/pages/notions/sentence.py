"""A notion from one sentence: the field that fills the form, what was understood, and the words that were left out, to be added back."""

import streamlit as st

from access import redact
from likeness.errors import InputError
from likeness.notions import list_notions
from likeness.sentences import SentenceNotion, notion_from_sentence
from pages.notions import beginning, library
from pages.notions.library import key
from shared import drafts
from shared.drafts import Draft
from shared.plain import plain
from shared.view import View
from visitors import notions_dir

_ASKED, _FOUND, _PROBLEM = "sentence_asked", "sentence_found", "sentence_problem"
_SHOWN = 24  # words that were left out
_LONGEST = 300  # letters
_HELP = "What is to be the same? The words that can vary come from lists and from WordNet; those that do not occur in the images are left out."


def show(view: View) -> None:
    """Draws the field and, below it, what became of the sentence."""
    field = key("sentence")
    found = _of_form()
    st.text_input(
        "Describe it in one sentence",
        found[0] if found else "",
        key=field,
        max_chars=_LONGEST,
        placeholder="same color of dog",
        on_change=_ask,
        args=(field,),
        help=_HELP,
    )
    if _ASKED in st.session_state:
        with st.spinner("Looking for what varies in the images ..."):
            _read(view, st.session_state.pop(_ASKED))
        st.rerun()
    if problem := st.session_state.get(_PROBLEM):
        st.markdown(f":orange[:material/warning: {problem}]")
    if found:
        _understood(*found)


def _of_form() -> tuple[str, SentenceNotion] | None:
    """The sentence and its notion, while the form shows what came of it."""
    found: tuple[str, SentenceNotion] | None = st.session_state.get(_FOUND)
    draft = drafts.latest()
    if found is None or draft is None or draft.templates != "\n".join(found[1].notion.templates):
        return None
    return found if set(found[1].notion.aspects) & set(draft.aspects.splitlines()) else None


def _ask(field: str) -> None:
    st.session_state.pop(_PROBLEM, None)
    if text := str(st.session_state.get(field, "")).strip():
        st.session_state[_ASKED] = text


def _read(view: View, text: str) -> None:
    try:
        found = notion_from_sentence(text, view.base)
    except InputError as error:
        st.session_state[_PROBLEM] = plain(redact(error))
        return
    st.session_state[_FOUND] = text, found
    library.put(_draft(view, found), view)


def _draft(view: View, found: SentenceNotion) -> Draft:
    """A notion under a free name, judged by the labels that are called as it or what varies is, where there are some."""
    notion = found.notion
    attribute = view.label_called(notion.name) or view.label_called(found.varies)
    name = beginning.free_name(notion.name, list_notions(notions_dir()))
    return Draft(name, notion.question, "\n".join(notion.templates), "\n".join(notion.aspects), attribute)


def _understood(text: str, found: SentenceNotion) -> None:
    held = f"What is compared: **{plain(found.held)}**. " if found.held else ""
    count = len(found.notion.aspects)
    st.caption(f"{held}What varies: **{plain(found.varies)}**. {count} of {count + len(found.pruned)} words of {plain(found.source)}.")
    draft = drafts.latest()
    there = set(draft.aspects.splitlines()) if draft else set()
    left = {each.aspect: each.reason for each in found.pruned if each.aspect not in there}
    if not left:
        return
    shown, more = list(left)[:_SHOWN], len(left) - _SHOWN
    field = key(f"left_out_{len(left)}")
    st.pills(
        "Left out. Click one to add it back.",
        shown,
        selection_mode="single",
        format_func=plain,
        key=field,
        on_change=_add,
        args=(field,),
        help="\n".join(f"- **{plain(aspect)}**: {plain(left[aspect])}" for aspect in shown),
    )
    if more > 0:
        st.caption(f"And {more:,} more.")


def _add(field: str) -> None:
    aspect, draft = st.session_state.get(field), drafts.latest()
    if aspect and draft is not None:
        drafts.edit(aspects="\n".join([*draft.aspects.splitlines(), aspect]))
        drafts.renew_form()
