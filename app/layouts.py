"""Where the points of each map lie: PCA at once, UMAP when it is ready; a new layout is turned to lie on the old one."""

from collections.abc import Sequence

import cached
import numpy as np
import streamlit as st
from numpy.typing import NDArray

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

    The first map is turned to lie on what `slot` showed last, the others on the first, so that what has not changed stays where it was.
    """
    found = [cached.umap(space) if method == "UMAP" else None for space in spaces]
    waiting = method == "UMAP" and any(layout is None for layout in found)
    layouts = [cached.pca(space) if layout is None else layout for space, layout in zip(spaces, found, strict=True)]
    last = st.session_state.get(f"positions_{slot}")
    reference = last if last is not None and len(last) == len(layouts[0]) else layouts[0]
    placed: list[Positions] = []
    for layout in layouts:
        placed.append(align(layout, placed[0] if placed else reference))
    st.session_state[f"positions_{slot}"] = placed[0]
    return placed, waiting


@st.fragment(run_every=0.5)
def watch(spaces: Sequence[Space]) -> None:
    """Redraws the page once every layout of `spaces` is ready."""
    if all(cached.umap(space) is not None for space in spaces):
        st.rerun()
    st.caption("UMAP is on its way; until then the map shows the PCA.")
