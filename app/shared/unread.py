"""What an encoder cannot read of a notion, in a sentence."""

from likeness.notion_check import unread_words
from likeness.notions import Notion
from likeness.space import Space
from shared import cached
from shared.plain import plain


def sentence(base: Space, notion: Notion) -> str:
    """Names the words of the prompts that the encoder does not know; "" where it knows all."""
    return unread_words([plain(word) for word in cached.unknown_words_of(base, notion)])
