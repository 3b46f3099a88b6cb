"""What an encoder cannot read of a notion, in a sentence."""

from likeness.notions import Notion
from likeness.space import Space
from shared import cached
from shared.plain import plain

_SHOWN = 6  # words


def sentence(base: Space, notion: Notion) -> str:
    """Names the words of the prompts that the encoder does not know; "" where it knows all."""
    unknown = cached.unknown_words_of(base, notion)
    if not unknown:
        return ""
    named = ", ".join(unknown[:_SHOWN]) + (" ..." if len(unknown) > _SHOWN else "")
    return f"The encoder does not know {plain(named)} and reads a blank instead."
