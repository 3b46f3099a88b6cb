"""What an encoder does not read of texts, in sentences: for pages and for every command that takes texts."""

from collections.abc import Collection, Sequence

from likeness.encoders.objects import EncoderLike
from likeness.encoders.vocabulary import CutText, cut_texts, reads_nothing, unknown_words
from likeness.errors import InputError
from likeness.io import plain_name

_SHOWN = 6  # words


def text_warnings(encoder: EncoderLike, texts: Sequence[str]) -> list[str]:
    """What of some texts an encoder does not read, a sentence for words that it does not know and one for ends that are cut off; [] if it reads all.

    Example:
        >>> text_warnings("cars", ["a red submarine"])
        ['The encoder does not know submarine and reads a blank instead.']
    """
    return list(filter(None, [unread_words(sorted(unknown_words(encoder, "\n".join(texts)))), cut_ends(cut_texts(encoder, texts))]))


def check_text(encoder: EncoderLike | None, text: str) -> None:
    """Raises InputError where an encoder knows no word of a text that is searched for; of an empty one, `Space.text_query` says so."""
    if text.strip() and encoder is not None and reads_nothing(encoder, text):
        raise InputError(f"The encoder knows no word of '{plain_name(text)}'; search with other words, or by image.")


def cut_ends(cut: Sequence[CutText]) -> str:
    """A sentence that says which texts are longer than what an encoder reads; "" where there is none."""
    if not cut:
        return ""
    longest = max(cut, key=lambda each: each.tokens)
    named, reads = f"“{plain_name(longest.text)}”", f"The encoder reads the first {longest.limit:,} tokens of a text"
    if len(cut) == 1:
        return f"{reads}, and {named} has {longest.tokens:,}: its end is cut off; shorten it."
    return f"{reads}, and {len(cut):,} texts have more, up to {longest.tokens:,} in {named}: their ends are cut off; shorten them."


def unread_words(words: Collection[str]) -> str:
    """A sentence that names words which an encoder does not know; "" where there is none."""
    if not words:
        return ""
    named = ", ".join(list(words)[:_SHOWN]) + (" ..." if len(words) > _SHOWN else "")
    return f"The encoder does not know {named} and reads a blank instead."
