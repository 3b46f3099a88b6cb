"""Other notions that are joined with the edited one, or taken away from it: a line for each, with its weight."""

import streamlit as st

from pages.notions.library import key
from shared import drafts, sidebar
from shared.drafts import Draft
from shared.plain import plain
from shared.view import View

_LEAST, _MOST, _STEP = -1.0, 10.0, 0.25
_HELP = (
    "Above 0, images are to be similar in this notion, too, as many times as much as in the edited one. Below 0 it is taken away: all of it at -1."
)


def show(view: View, draft: Draft) -> None:
    """Draws the lines and the field that adds one."""
    for place, part in enumerate(draft.joined):
        name, number, end = st.columns((1, 0.95, 0.25), vertical_alignment="center", gap="small")
        name.markdown(f"{'and' if part.weight > 0 else 'without'} **{plain(sidebar.readable(part.name)).lower()}**")
        field = key(f"weight_{place}_{len(draft.joined)}")
        number.number_input(
            f"Weight of {plain(part.name)}",
            _LEAST,
            _MOST,
            min(max(float(part.weight), _LEAST), _MOST),
            _STEP,
            key=field,
            on_change=_weigh,
            args=(field, place),
            label_visibility="collapsed",
        )
        end.button(
            "", key=key(f"part_{place}"), icon=":material/close:", type="tertiary", on_click=_drop, args=(place,), help=f"Remove {plain(part.name)}"
        )
    taken = {draft.name, draft.origin, *(part.name for part in draft.joined)}
    names = [notion.name for notion in sidebar.fitting(view.base) if notion.name not in taken and not notion.joined]
    if names and not drafts.is_full(draft):
        field = key(f"joined_{len(draft.joined)}")
        st.selectbox(
            "Join with another notion, or take one away",
            names,
            index=None,
            format_func=sidebar.readable,
            placeholder="Choose a notion",
            key=field,
            on_change=_add,
            args=(field,),
            help=_HELP,
        )


def _add(field: str) -> None:
    name = st.session_state.get(field)
    draft = drafts.latest()
    if draft is not None and name is not None:
        drafts.edit(joined=(*draft.joined, drafts.joined(sidebar.notion_named(name))))


def _weigh(field: str, place: int) -> None:
    draft = drafts.latest()
    if draft is None or field not in st.session_state or place >= len(draft.joined):
        return
    weight = float(st.session_state[field])
    if weight == 0:  # neither joined nor taken away
        _drop(place)
        return
    parts = list(draft.joined)
    parts[place] = parts[place]._replace(weight=weight)
    drafts.edit(joined=tuple(parts))


def _drop(place: int) -> None:
    draft = drafts.latest()
    if draft is not None:
        drafts.edit(joined=(*draft.joined[:place], *draft.joined[place + 1 :]))
        drafts.renew_form()
