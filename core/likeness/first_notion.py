"""Which notion to show first for given images."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from likeness.space import Space

if TYPE_CHECKING:
    from likeness.notions import Notion


def most_dividing(space: Space, notions: "Sequence[Notion]", seed: int = 0) -> "Notion | None":
    """The notion whose aspects divide the images most clearly, as `likeness.notions.division_scores` measures it without labels, of those that can
    be relied on with these images (`likeness.notion_trust`).

    Args:
        space: of an encoder that reads text; of a notion's space, the one that it is made from counts.
        notions: to choose from.
        seed: of the measure.

    Returns:
        One of `notions`; None where none that can be relied on says more than words that mean nothing, or there are fewer than three images.

    Raises:
        InputError: the space reads no text.

    Example:
        >>> import likeness as lk
        >>> color, season = lk.Notion("color", "a {} car", ["red", "green", "blue"]), lk.Notion("season", "{}", ["summer", "winter"])
        >>> most_dividing(lk.embed(lk.read("cars"), "cars"), [season, color]).name
        'color'
    """
    from likeness.notion_trust import FEWEST_IMAGES, notion_trust
    from likeness.notions import FEWEST_DIVIDED, division_scores

    base = space.base or space
    if not notions or len(base) < FEWEST_IMAGES:
        return None
    scores = division_scores(base.vectors, [base.embed_aspects(notion)[0] for notion in notions], seed)
    ranked = sorted((place for place, score in enumerate(scores) if score >= FEWEST_DIVIDED), key=lambda place: -scores[place])
    return next((notions[place] for place in ranked if notion_trust(base, notions[place], seed).reads), None)
