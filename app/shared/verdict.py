"""Whether notions can be relied on with the images at hand, in words."""

from collections.abc import Callable, Sequence

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from likeness.errors import InputError
from likeness.notions import Composition, Notion
from shared import cached, sidebar
from shared.plain import plain
from shared.view import View

_ALL_READ = ":gray[:material/visibility: The encoder reads all of these in these images. What it guesses can still be wrong.]"


def of_notion(view: View, notion: Notion | Composition) -> Callable[[], None]:
    """A line that says how far a notion can be relied on with these images; nothing where that cannot be told.

    Returns:
        What fills the line, for the end of the page: where the answer is not known yet, the map does not wait for it.
    """
    return _line(view, [notion], lambda place: _tell(view, notion, place))


def of_colors(view: View, names: Sequence[str]) -> Callable[[], None]:
    """The same of several notions, by their names in `sidebar.notion_names`: which of them cannot be relied on."""
    return _line(view, [sidebar.notion_by(name) for name in names], lambda place: _warn(view, names, place))


def _line(view: View, notions: Sequence[Notion | Composition], tell: Callable[[DeltaGenerator], None]) -> Callable[[], None]:
    place = st.empty()

    def end() -> None:
        try:
            tell(place)
        except InputError:  # as the page says elsewhere
            place.empty()

    if all(cached.is_trust_known(view.base, notion) for notion in notions):
        end()
        return lambda: None
    which = "this notion" if len(notions) == 1 else "these notions"
    place.markdown(f":gray[Looking whether the encoder reads {which} in these images ...]")  # of the same height, so that nothing jumps
    return end


def _tell(view: View, notion: Notion | Composition, place: DeltaGenerator) -> None:
    trust = cached.trust(view.base, notion)
    help = (
        f"Without a label. In other words, the same images are similar to {100 * trust.stability:.1f} %; of what the images vary along the prompts, "
        f"{100 * trust.alignment:.0f} % is more than they vary along any words."
    )
    place.markdown(
        f":gray[:material/visibility: {trust.sentence}]" if trust.reads else f":orange[:material/warning: {trust.sentence}]",
        help=help,
    )


def _warn(view: View, names: Sequence[str], place: DeltaGenerator) -> None:
    doubtful = [name for name in names if not cached.trust(view.base, sidebar.notion_by(name)).reads]
    if not doubtful:
        place.markdown(_ALL_READ)
        return
    named = sidebar.listed([plain(sidebar.readable(name)) for name in doubtful])
    place.markdown(f":orange[:material/warning:] Not to be relied on with these images: {named}.")
