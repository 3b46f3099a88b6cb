"""What is wrong with a notion, and what of it an encoder cannot read, in sentences: for the editor and for every command that fits."""

from collections.abc import Collection, Mapping
from typing import TYPE_CHECKING

from likeness.encoders import text_warnings
from likeness.notions import Composition, Notion, check, parts_of

if TYPE_CHECKING:
    from likeness.encoders import EncoderLike


def notion_warnings(
    notion: Notion | Composition, encoder: "EncoderLike | None" = None, vocabularies: Mapping[str, Collection[str]] | None = None
) -> list[str]:
    """A sentence for each thing that makes a notion's fit worse than it looks: repeated aspects, whole prompts in place of aspects, a second thing
    that varies (`likeness.notions.check`), words that the encoder does not know, and prompts that are longer than what it reads.

    Args:
        notion: one, or several that are joined.
        encoder: that reads the prompts; None: no word is looked up.
        vocabularies: as for `likeness.notions.check`.

    Example:
        >>> notion_warnings(Notion("color", "a {} car", ["red", "blue", "red"]))
        ["'red' is listed 2 times, so it weighs 2 times as much; keep one if unintended."]
    """
    parts = [each for _, each in parts_of(notion)]
    found = [warning.message for each in parts for warning in check(each.templates, each.aspects, vocabularies)]
    if encoder is not None:
        found += [sentence for each in parts for sentence in text_warnings(encoder, each.prompts)]
    return found
