"""How many dimensions the space of the edited notion has: as many as the prompts suggest, or another number, which is saved with it."""

from dataclasses import replace

import streamlit as st

from likeness.errors import InputError
from pages.notions import library
from shared import cached, drafts
from shared.drafts import Draft
from shared.view import View


def show(view: View, draft: Draft) -> None:
    """Draws the number and its reason."""
    suggested = _suggested(view, draft)
    largest = view.base.vectors.shape[1]
    shown = min(draft.dim or suggested or 2, largest)
    key = library.key(f"dim_{suggested}")  # where nothing was chosen, the number follows the prompts
    st.number_input(
        "Dimensions",
        1,
        largest,
        shown,
        key=key,
        on_change=_take,
        args=(key, suggested),
        help="How many numbers describe an image in the notion's space. More give weight to wording and to things that no prompt mentions; "
        "fewer keep only what varies most between the prompts. What you choose is saved with the notion.",
    )
    if suggested is None:
        return
    if draft.dim in (None, suggested):
        st.caption(f"As the prompts suggest: {suggested} dimensions keep 98.5 % of what they say.")
    else:
        st.button(f"Use {suggested}, as the prompts suggest", icon=":material/lightbulb:", on_click=_follow, width="stretch")


def _suggested(view: View, draft: Draft) -> int | None:
    """What the prompts suggest; None while they can't be read."""
    try:
        return cached.dim_of(view.entry.id, replace(draft.notion, dim=None))
    except InputError:
        return None


def _take(key: str, suggested: int | None) -> None:
    if key in st.session_state:
        chosen = int(st.session_state[key])
        drafts.edit(dim=None if chosen == suggested else chosen)


def _follow() -> None:
    drafts.edit(dim=None)
    drafts.renew_form()
