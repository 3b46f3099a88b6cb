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


def lay_out(spaces: Sequence[Space], method: str, slot: str) -> tuple[list[Positions], bool]:
    """Positions (n, 2) of each space and whether a better layout is still on its way.

    Until a UMAP is ready, a map keeps what `slot` showed in its place, or shows the PCA. The first map is turned to lie on what
    was shown last, the others on the first, so that what has not changed stays where it was.
    """
    n = len(spaces[0].table)
    shown: list[Positions] = [last for last in st.session_state.get(f"positions_{slot}", []) if len(last) == n]
    placed: list[Positions] = []
    waiting = False
    for place, space in enumerate(spaces):
        last = shown[place] if place < len(shown) else None
        layout = cached.umap(space, last) if method == "UMAP" else cached.pca(space)
        waiting |= layout is None
        if layout is None:
            layout = cached.pca(space) if last is None else last
        reference = placed[0] if placed else last
        placed.append(layout if reference is None else align(layout, reference))
    st.session_state[f"positions_{slot}"] = placed
    return placed, waiting


def watch_if(waiting: bool, spaces: Sequence[Space]) -> None:
    """Redraws the page once every layout of `spaces` is ready.

    The container is there in every run: a rerun of the fragment that arrives late then finds a place of its own.
    """
    with st.container():
        if waiting:
            _watch(spaces)


@st.fragment(run_every=0.5)
def _watch(spaces: Sequence[Space]) -> None:
    if all(cached.umap(space) is not None for space in spaces):
        st.rerun()
    st.caption("The map is being laid out; the points move when it is ready.")
