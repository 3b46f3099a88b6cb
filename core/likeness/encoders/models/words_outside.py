"""Words that a tokenizer maps to its unknown token."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tokenizers import Tokenizer


def words_outside(tokenizer: "Tokenizer", text: str) -> list[str]:
    """Words of `text` that the tokenizer maps to its unknown token, as written, each once; [] if it has none (byte pairs)."""
    unknown = getattr(tokenizer.model, "unk_token", None)
    if unknown is None or type(tokenizer.model).__name__ not in ("WordLevel", "WordPiece"):
        return []
    encoding = tokenizer.encode(text, add_special_tokens=False)
    words = [text[start:end] for token, (start, end) in zip(encoding.tokens, encoding.offsets, strict=True) if token == unknown]
    return list(dict.fromkeys(words))
