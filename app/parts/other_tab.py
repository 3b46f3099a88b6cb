"""What another tab with the same link has changed of the edited notion: said, and where both changed the same, both versions to choose from."""

import streamlit as st

from parts import drafts
from parts.drafts import Clash, Draft
from parts.plain import plain

_TITLES = {
    "name": "Name",
    "question": "Question",
    "templates": "Template",
    "aspects": "Aspects",
    "attribute": "Judge by",
    "dim": "Dimensions",
    "solver": "Method",
    "seed": "Seed",
    "joined": "Joined notions",
    "clicks": "Clicks",
}


def tell() -> None:
    """Draws what there is to say; nothing where no other tab has changed anything."""
    news = [_TITLES[name] for name in drafts.news() if name in _TITLES]
    if news:
        st.caption(f":material/tab: Changed in another tab with this link: {', '.join(news).lower()}.")
    if clash := drafts.clash():
        with st.container(border=True):
            _choose(clash)


def _choose(clash: Clash) -> None:
    if clash.fields:
        named = ", ".join(_TITLES.get(name, name) for name in clash.fields)
        st.markdown(f":orange[:material/warning: **{named}**] also changed in another tab. Your version is shown.")
        for name in clash.fields:
            st.caption(f"{_TITLES.get(name, name)} in the other tab")
            st.code(_shown(clash.theirs, name), language=None, wrap_lines=True)
    else:
        st.markdown(f":orange[:material/warning: Another tab] has opened **{plain(clash.theirs.name)}** under this link. Your version is shown.")
    with st.container(horizontal=True, gap="small"):
        st.button("Keep this one", key="clash_keep", on_click=drafts.settle_clash)
        st.button("Use the other tab's", key="clash_take", on_click=_take, args=(clash,), help="Undo brings this one back.")


def _shown(draft: Draft, name: str) -> str:
    value = getattr(draft, name)
    if name == "joined":
        return "\n".join(f"{part.weight:g} x {part.name}" for part in value) or "none"
    return "none" if value in (None, "") else str(value)


def _take(clash: Clash) -> None:
    if clash.fields:
        drafts.edit(**{name: getattr(clash.theirs, name) for name in clash.fields})
    else:
        drafts.put(clash.theirs)
    drafts.settle_clash()
    drafts.renew_form()
