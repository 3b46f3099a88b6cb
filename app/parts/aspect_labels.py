"""Labels from a notion's aspects, guessed by the encoder, for images without labels; an attribute on every page."""

from collections.abc import Iterable

import streamlit as st

from parts import cached, sidebar
from parts.errors import toast_errors
from parts.plain import plain
from parts.sidebar import ASPECTS, listed, readable
from parts.view import View
from server import added_labels
from server.access import check_may
from state import state

_GROWING = "Images are still being embedded. Label them when all are ready."


def offer(view: View, needed: str) -> None:
    """Shows what a page needs, and offers labels by aspects or one's own labels."""
    st.info(needed, icon=":material/info:")
    shown = (view.color or "").removeprefix(ASPECTS)
    names = sorted(view.notions, key=lambda name: (name != shown, name == sidebar.DRAFT))  # the edited notion, which may be unchanged, comes last
    if names:
        st.markdown("**Let the encoder label the images**: each gets the aspect of a notion that it matches best.")
        with st.container(horizontal=True, vertical_alignment="bottom"):
            keep_button(view, st.selectbox("Aspects of", names, format_func=readable, key="label_by", width=280))
        st.markdown("**Or add your own labels**: one folder per class, or a table with a column of labels.")
    st.page_link("pages/images/page.py", label="Add images with labels", icon=":material/add_photo_alternate:")


def keep_button(view: View, name: str) -> None:
    """Draws a button that saves a notion's aspects as an attribute of the images."""
    reason = added_labels.refusal_to_label(view.entry) or (_GROWING if view.entry.id != view.dataset else "")
    help = reason or "Gives each image its aspect as a label to filter by, color by and train on."
    st.button("Keep as labels", icon=":material/label:", key="label_images", on_click=_label, args=(view, name), disabled=bool(reason), help=help)


def caution(attributes: Iterable[str | None]) -> None:
    """Says that labels are guesses of an encoder; nothing for other labels."""
    made = added_labels.made_by_encoder([name for name in attributes if name])
    if made:
        names = listed([plain(readable(name)) for name in dict.fromkeys(made)])
        st.caption(f":material/info: {names}: guesses of the encoder. Use your own labels to evaluate it.")


def tell_damaged(view: View) -> None:
    """Warns about added labels whose files are damaged."""
    for name in added_labels.damaged(view.entry):
        st.warning(
            f"The labels “{plain(readable(name))}” are damaged and left out. Remove them and label the images again.",
            icon=":material/warning:",
        )
        offer_to_remove(view, name, key=f"remove_damaged_{name}")


def offer_to_remove(view: View, attribute: str, key: str = "remove_labels") -> None:
    """Draws a button that removes labels by aspects."""
    reason = added_labels.refusal_to_label(view.entry)
    label, icon, args = "Remove these labels", ":material/label_off:", (view, attribute)
    st.button(label, icon=icon, key=key, on_click=_remove, args=args, disabled=bool(reason), help=reason or None)


@toast_errors()
def _remove(view: View, attribute: str) -> None:
    check_may("edit")
    added_labels.remove(view.entry, attribute)
    cached.forget(view.dataset)


@toast_errors()
def _label(view: View, name: str) -> None:
    check_may("edit")
    notion = view.notions[name]
    state.next_color = added_labels.add(view.entry, view.base.table, notion, view.base.best_aspects(notion).tolist())
    cached.forget(view.dataset)
