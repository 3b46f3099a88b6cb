"""How similar all images are to a query, with what is not meant: computed once for all who ask the same, and kept within bounds."""

import hashlib

import numpy as np
import streamlit as st

from likeness.cutoffs import SpaceMatches, other_prompts
from likeness.space import Space
from shared import neighbors, sidebar
from shared.bounded import BoundedCache
from shared.neighbors import Query
from shared.view import View

MOST_NEGATIVES = 200
_MOST_BYTES = 300_000_000
_BYTES = 64  # of one image


def matches(view: View, query: Query, space: Space, negatives: tuple[str, ...], wrong: float) -> SpaceMatches:
    """The cut-offs of a query among the images that the filters leave.

    Raises:
        InputError: too few images, texts that the space cannot read, or a picture that is not kept any more.
    """
    allowed = None if view.hidden is None else ~view.hidden
    digest = "" if allowed is None else hashlib.sha256(np.packbits(allowed).tobytes()).hexdigest()
    key = (space.key, query.all_terms, negatives, wrong, digest)
    return _kept().get(key, lambda: SpaceMatches(space, neighbors.in_space(space, query), negatives, allowed=allowed, fdr=wrong))


@st.cache_resource(show_spinner=False)
def _kept() -> BoundedCache[SpaceMatches]:
    return BoundedCache(_MOST_BYTES, lambda found: _BYTES * len(found.rows))


def other_aspects(view: View, query: Query, space: Space) -> list[str]:
    """Prompts of the space's notion with aspects that a text does not name, where it names one; empty for any other query."""
    if not query.text:
        return []
    name = st.session_state.get("b" if space is view.b else "a")
    notion = sidebar.notion_by(name) if name in sidebar.notion_names(view.base) else None
    return other_prompts(notion, query.text)[:MOST_NEGATIVES] if notion else []
