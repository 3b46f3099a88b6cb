"""From which similarity on two images count as duplicates: a suggestion, a slider, and pairs on both sides of it."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import streamlit as st

from likeness.duplicates import NearPairs, SuggestedThreshold, stored_threshold
from likeness.space import Space
from pages.duplicates import search
from parts import progress
from parts.gallery import Section, gallery
from parts.plain import plain
from parts.view import View
from server.access import redact
from state import Item

_USUAL, _USUAL_IN_NOTIONS = 0.95, 0.999  # where nothing can be measured
_FEW_FOUND = 0.7  # of altered copies; that others reach the threshold as well says little, since real copies do
_STEPS = 48
_SHOWN = 4  # pairs on each side
_COLUMNS, _TILE = 4, 92


class _Chosen:
    """What a person has chosen; a threshold by the key of its space."""

    prefix = "copies_"
    levels = Item[dict[str, float]](make=dict)


_chosen = _Chosen()


@dataclass(frozen=True)
class Threshold:
    """A similarity, and whether it was measured that it tells copies of these images from others: without that no image is called a duplicate."""

    similarity: float
    is_measured: bool


def choose(space: Space) -> Threshold | None:
    """Draws the slider. None in a notion's space while the suggestion is being measured, since no value is usual there: it may take in everything."""
    suggested, problem = _suggestion(space)
    levels = _chosen.levels
    if suggested is None and not problem and space.base is not None and space.key not in levels:
        return None
    first = round(suggested.threshold, 5) if suggested else _USUAL if space.base is None else _USUAL_IN_NOTIONS
    options = sorted({first, levels.get(space.key, first), *(round(1 - float(distance), 5) for distance in np.geomspace(0.5, 1e-5, _STEPS))})
    key = f"copies_line_{space.key}"
    st.session_state[key] = levels.get(space.key, first)
    with st.container(horizontal=True, vertical_alignment="bottom"):
        level = st.select_slider(
            "Similarity threshold",
            options,
            format_func=lambda value: _digits(value) + (" (suggested)" if suggested and value == first else ""),
            key=key,
            on_change=_move,
            args=(key, space.key),
            help=f"Pairs at or above it are shown as groups. Move it right to find fewer.\n\n{_measured(suggested) if suggested else ''}",
        )
        if level != first:
            label = "Use the suggested threshold" if suggested else "Reset the threshold"
            st.button(label, key="copies_suggested", icon=":material/replay:", on_click=levels.pop, args=(space.key, None))
    is_reliable = suggested is not None and suggested.found >= _FEW_FOUND
    if suggested and not is_reliable:
        st.caption(
            ":material/warning: In these images, copies can hardly be told from other similar images. Compare the pictures before you remove any."
        )
    elif not suggested:
        st.caption(
            f"{plain(problem)} {first} is only a starting point." if problem else f"{first} is a starting point until a threshold is measured."
        )
    return Threshold(float(level), is_reliable)


def _suggestion(space: Space) -> tuple[SuggestedThreshold | None, str]:
    """The suggested threshold, or why there is none; neither while it is being measured."""
    if space.embed_images is None:
        return None, "No threshold can be suggested because these vectors came without their encoder."
    if found := stored_threshold(space):
        return found, ""
    job = search.measure_threshold(space)
    if job.finished and job.error:
        return None, f"No threshold can be suggested: {redact(job.error)}"
    if progress.follow(job, resume="Measure the threshold", stopped="The measurement was stopped."):
        return job.result, ""
    return None, "No threshold was measured." if job.finished else ""


def _measured(suggested: SuggestedThreshold) -> str:
    return (
        f"The suggested {_digits(suggested.threshold)} was measured on {suggested.copies} altered copies of these images (resaved, resized, cropped, "
        f"brightened): it finds {suggested.found:.0%} of them; {suggested.confused:.0%} also match another image, which may be a real copy. "
        f"{suggested.pairs_message}"
    ).rstrip()


def show_pairs(view: View, pairs: NearPairs, level: float) -> None:
    """Draws the pairs just above and just below a similarity."""
    for title, places in zip(("Just above the threshold", "Just below"), pairs.at_line(level, _SHOWN), strict=True):
        if len(places):
            st.markdown(f"**{title}**")
            draw_pairs(view, [pairs.rows[place].tolist() for place in places], pairs.similarities[places].tolist(), key=f"copies_{title}")
    if not len(pairs.rows):
        st.caption("No pair is nearly as similar as this.")


def draw_pairs(
    view: View, pairs: Sequence[Sequence[int]], similarities: Sequence[float], *, key: str, captions: Sequence[Sequence[str]] | None = None
) -> None:
    """Draws pairs of pictures side by side, with their similarity."""
    named = captions or [[name_of(view, row) for row in rows] for rows in pairs]
    sections = [
        Section("", rows, captions=names, note=f"Similarity {_digits(similarity)}")
        for rows, similarity, names in zip(pairs, similarities, named, strict=True)
    ]
    for number, column in enumerate(st.columns(_COLUMNS)):
        if part := sections[number::_COLUMNS]:
            with column:
                gallery(part, thumbnails=view.thumbnails, key=f"{key}_{number}", tile=_TILE)


def name_of(view: View, row: int) -> str:
    """The last step of an image's path."""
    return str(view.base.table.frame["path"].iloc[row]).rsplit("/", 1)[-1]


def _digits(similarity: float) -> str:
    """With as many digits as tell it from 1."""
    return f"{similarity:.4f}" if similarity < 0.99 else f"{similarity:.5f}"


def _move(key: str, space_key: str) -> None:
    _chosen.levels[space_key] = st.session_state[key]
