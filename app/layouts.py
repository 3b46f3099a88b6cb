"""Where the points of each map lie: PCA at once, UMAP when it is ready; a new layout is turned to lie on the old one."""

from collections.abc import Sequence

import numpy as np
import streamlit as st
from numpy.typing import NDArray

import cached
from likeness.projection import align
from likeness.spaces import Space

METHODS = ("UMAP", "PCA")
Positions = NDArray[np.float32]


def choose_method() -> str:
    """The control above the maps."""
    return (
        st.segmented_control(
            "Layout",
            METHODS,
            default="UMAP",
            required=True,
            key="layout",
            bind="query-params",
            label_visibility="collapsed",
            help="UMAP keeps close images close; PCA shows the directions of largest variation, at once.",
        )
        or "UMAP"
    )


def lay_out(spaces: Sequence[Space], method: str, slot: str) -> list[Positions]:
    """Positions (n, 2) of each space.

    Until a UMAP is ready, a map keeps what `slot` showed in its place, or shows the PCA. The first map is turned to lie on what
    was shown last, the others on the first, so that what has not changed stays where it was.
    """
    n = len(spaces[0].table)
    shown: list[Positions] = [last for last in st.session_state.get(f"positions_{slot}", []) if len(last) == n]
    placed: list[Positions] = []
    for place, space in enumerate(spaces):
        last = shown[place] if place < len(shown) else None
        layout = cached.umap(space, last) if method == "UMAP" else cached.pca(space)
        if layout is None:
            st.session_state.setdefault("waited_for", []).append(space)
            layout = cached.pca(space) if last is None else last
        reference = placed[0] if placed else last
        placed.append(layout if reference is None else align(layout, reference))
    st.session_state[f"positions_{slot}"] = placed
    return placed


def watch() -> None:
    """Redraws the page once every layout that its maps wait for is ready; called once a run, after the page."""
    waited_for: list[Space] = st.session_state.pop("waited_for", [])
    if waited_for:
        _watch(waited_for)


@st.fragment(run_every=0.5)
def _watch(spaces: Sequence[Space]) -> None:
    if all(cached.umap(space) is not None for space in spaces):
        st.rerun()
