"""Whether a notion can be relied on with the images at hand, in words."""

from collections.abc import Sequence

from streamlit.delta_generator import DeltaGenerator

from likeness.errors import InputError
from likeness.notions import Composition, Notion
from shared import cached, sidebar
from shared.plain import plain
from shared.view import View


def show(view: View, notion: Notion | Composition, place: DeltaGenerator) -> None:
    """Says how far the notion can be relied on with these images; nothing where that cannot be told."""
    try:
        trust = cached.trust(view.base, notion)
    except InputError:  # as the page says elsewhere
        place.empty()
        return
    help = (
        f"Without a label. In other words, the same images are similar to {100 * trust.stability:.1f} %; of what the images vary along the prompts, "
        f"{100 * trust.alignment:.0f} % is more than they vary along any words."
    )
    icon, color = (":material/check_circle:", "green") if trust.reads else (":material/warning:", "orange")
    place.markdown(f":{color}[{icon}] {trust.sentence}", help=help)


def warn(view: View, names: Sequence[str], place: DeltaGenerator) -> None:
    """Names those of several notions that cannot be relied on with these images."""
    try:
        doubtful = [name for name in names if not cached.trust(view.base, sidebar.notion_by(name)).reads]
    except InputError:  # as `show`
        doubtful = []
    if not doubtful:
        place.empty()
        return
    named = sidebar.listed([plain(sidebar.readable(name)) for name in doubtful])
    place.markdown(f":orange[:material/warning:] Not to be relied on with these images: {named}.")
