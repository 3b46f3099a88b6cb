"""From which similarity on two images look like copies: a suggestion, a slider, and pairs on both sides of the line."""

import html

import numpy as np
import streamlit as st

from access import redact
from likeness.duplicates import NearPairs, SuggestedThreshold, stored_threshold
from likeness.space import Space
from pages.copies import search
from shared import progress
from shared.plain import plain
from shared.view import View

_USUAL, _USUAL_IN_NOTIONS = 0.95, 0.999  # where nothing can be measured
_FEW_FOUND = 0.7  # of altered copies; that others reach the line as well says little, since real copies do
_STEPS = 48
_SHOWN = 4  # pairs on each side
_LEVELS = "copy_levels"  # of the session, where a person has moved the line, by space


def choose(space: Space) -> float | None:
    """Draws the slider. None in a notion's space while the suggestion is being measured, since no line is usual there: it may take in everything."""
    suggested, problem = _suggestion(space)
    levels: dict[str, float] = st.session_state.setdefault(_LEVELS, {})
    if suggested is None and not problem and space.base is not None and space.key not in levels:
        return None
    usual = _USUAL if space.base is None else _USUAL_IN_NOTIONS
    first = round(suggested.threshold, 5) if suggested else usual
    options = sorted({first, levels.get(space.key, first), *(round(1 - float(distance), 5) for distance in np.geomspace(0.5, 1e-5, _STEPS))})
    key = f"copies_line_{space.key}"
    st.session_state[key] = levels.get(space.key, first)
    with st.container(horizontal=True, vertical_alignment="bottom"):
        level = st.select_slider(
            "Similarity from which on two images look like copies",
            options,
            format_func=lambda value: _text(value) + (" (suggested)" if suggested and value == first else ""),
            key=key,
            on_change=_move,
            args=(key, space.key),
            help="Further to the right, fewer images are taken for copies. Steps are finer near 1, where copies lie.",
        )
        if level != first:
            label = "Take the suggested line" if suggested else "Back to the usual line"
            st.button(label, key="copies_suggested", icon=":material/replay:", on_click=levels.pop, args=(space.key, None))
    if suggested:
        st.caption(_said(suggested))
        if suggested.found < _FEW_FOUND:
            st.caption(
                ":material/warning: Here, copies can hardly be told from other images that are alike. Look at the pairs before you leave any out; "
                "further to the right, fewer images are taken for copies."
            )
    else:
        st.caption(f"{plain(problem)} The line begins at {usual}." if problem else f"The line is at {usual} until the suggested one is measured.")
    return float(level)


def _suggestion(space: Space) -> tuple[SuggestedThreshold | None, str]:
    """The suggested threshold, or why there is none; neither while it is being measured."""
    if space.embed_images is None:
        return None, "No line can be suggested, because these vectors came without a model that could read altered copies."
    if found := stored_threshold(space):
        return found, ""
    job = search.measure_threshold(space)
    if job.finished and job.error:
        return None, f"No line can be suggested: {redact(job.error)}"
    done = progress.follow(job, resume="Measure the suggested line", stopped="No line is suggested, because measuring it was stopped.")
    if done:
        return job.result, ""
    return None, "The suggested line was not measured." if job.finished else ""


def _said(suggested: SuggestedThreshold) -> str:
    own = f" {suggested.pairs_message}" if suggested.pairs else ""
    return (
        f"Suggested: {_text(round(suggested.threshold, 5))}.{own} It was measured on {suggested.copies} altered copies of these images (saved again, "
        f"made smaller, cropped, brightened): {suggested.found:.0%} of them are found, and {suggested.confused:.0%} are also taken for copies of "
        "another image, real copies among these included."
    )


def show_pairs(view: View, pairs: NearPairs, level: float) -> None:
    """Pairs just above and just below the line."""
    above, below = pairs.at_line(level, _SHOWN)
    if not len(above) and not len(below):
        return
    with st.expander("Pairs at the line", expanded=True, icon=":material/horizontal_rule:"):
        for title, places, nothing in (
            ("Just above the line: these look like copies", above, "No pair is as similar as this."),
            ("Just below: these do not", below, "None was found just below."),
        ):
            st.markdown(f"**{title}**")
            if len(places):
                st.html(f'<div class="pairs">{"".join(_pair(view, pairs, int(place)) for place in places)}</div>')
            else:
                st.caption(nothing)


def _pair(view: View, pairs: NearPairs, place: int) -> str:
    rows, similarity = pairs.rows[place].tolist(), float(pairs.similarities[place])
    pictures = "".join(f'<img src="{view.thumbnails.format(row=row)}" alt="{html.escape(name_of(view, row))}">' for row in rows)
    return f'<figure class="pair"><div>{pictures}</div><figcaption>{_text(similarity)}</figcaption></figure>'


def name_of(view: View, row: int) -> str:
    """The last step of an image's path."""
    return str(view.base.table.frame["path"].iloc[row]).rsplit("/", 1)[-1]


def _text(similarity: float) -> str:
    """With as many digits as tell it from 1."""
    return f"{similarity:.4f}" if similarity < 0.99 else f"{similarity:.5f}"


def _move(key: str, space_key: str) -> None:
    st.session_state[_LEVELS][space_key] = st.session_state[key]
