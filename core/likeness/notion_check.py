"""What is wrong with a notion, and what of it an encoder cannot read, in sentences: for the editor and for every command that fits."""

from collections.abc import Collection, Mapping
from typing import TYPE_CHECKING

from likeness.encoders import unknown_words
from likeness.notions import Composition, Notion, check, parts_of

if TYPE_CHECKING:
    from likeness.encoders import EncoderLike

_SHOWN = 6  # words


def notion_warnings(
    notion: Notion | Composition, encoder: "EncoderLike | None" = None, vocabularies: Mapping[str, Collection[str]] | None = None
) -> list[str]:
    """A sentence for each thing that makes a notion's fit worse than it looks: repeated aspects, whole prompts in place of aspects, a second thing
    that varies (`likeness.notions.check`), and words that the encoder does not know.

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
        found += filter(None, [unread_words(sorted(unknown_words(encoder, "\n".join(each.prompts)))) for each in parts])
    return found


def unread_words(words: Collection[str]) -> str:
    """A sentence that names words which an encoder does not know; "" where there is none."""
    if not words:
        return ""
    named = ", ".join(list(words)[:_SHOWN]) + (" ..." if len(words) > _SHOWN else "")
    return f"The encoder does not know {named} and reads a blank instead."
