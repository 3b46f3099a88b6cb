"""Query vectors for an image with another aspect of a notion: "this one, but red"."""

import numpy as np
from numpy.typing import NDArray

from likeness.errors import InputError
from likeness.notions import Notion, best_aspects
from likeness.space import Space

# Of the aspect that the image has, beside the whole of the one that it is to have; `python -m experiments.analyses changed-images` measures it.
_TAKEN = 0.5


def known_aspect(notion: Notion, aspect: str) -> str:
    """The aspect of a notion in its spelling, ignoring case; raises InputError if there is none."""
    known = {each.casefold(): each for each in notion.aspects}
    wanted = known.get(aspect.strip().casefold())
    if wanted is None:
        raise InputError(f"'{notion.name}' has no aspect '{aspect.strip()[:60]}'; its aspects are {', '.join(notion.aspects[:8])} ...")
    return wanted


def changed_place(space: Space, row: int, notion: Notion, aspect: str) -> NDArray[np.float32]:
    """Query vector (d,), of unit length, of an image with another aspect: its own vector, plus that of the aspect's prompt, minus half of that of the
    aspect which the encoder sees in it.

    Without the last term the image's own aspect dominates. It works best in the joint space of the notion to keep and the notion to change. Search
    with `space.nearest(place, exclude=[row])`, which uses the index if there is one.

    Args:
        space: that is to be searched.
        notion: what is to change.
        aspect: of the notion, ignoring case.

    Raises:
        InputError: no such row or aspect, or the space reads no text.

    Example:
        >>> import likeness as lk
        >>> from likeness.notions import get_notion
        >>> color, body = get_notion("car color"), get_notion("car model")
        >>> both = lk.embed(lk.read("cars"), "cars").refit(color + body)
        >>> both.nearest(changed_place(both, 12, color, "red"), k=5, exclude=[12]).rows.shape
        (5,)
    """
    wanted = known_aspect(notion, aspect)
    base = space.base or space
    seen = notion.aspects[int(best_aspects(base.vectors[[space.check_row(row)]], base.embed_aspects(notion)[0])[0])]
    place = space.vectors[row] + _text(space, notion, wanted)
    if seen != wanted:
        place = place - _TAKEN * _text(space, notion, seen)
    return np.asarray(place / max(float(np.linalg.norm(place)), float(np.finfo(np.float32).tiny)), np.float32)


def _text(space: Space, notion: Notion, aspect: str) -> NDArray[np.float32]:
    return np.asarray(space.text_query(notion.templates[0].replace("{}", aspect))[0])
