"""What an encoder cannot read of a notion, in a sentence."""

from likeness.encoders import cut_ends, unread_words
from likeness.notions import Notion
from likeness.space import Space
from shared import cached
from shared.plain import plain


def sentence(base: Space, notion: Notion) -> str:
    """Names words of the prompts that the encoder does not know, and prompts that are longer than what it reads; "" where it reads all."""
    unknown = unread_words([plain(word) for word in cached.unknown_words_of(base, notion)])
    return " ".join(filter(None, [unknown, plain(cut_ends(cached.cut_texts(base, notion.prompts)))]))
