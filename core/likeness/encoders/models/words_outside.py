"""Unknown words and token counts of a text, by its tokenizer."""

import unicodedata
from functools import lru_cache
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from tokenizers import Tokenizer


@lru_cache(maxsize=64)
def uncut_tokenizer(file: str, mtime_ns: int) -> "Tokenizer":
    """Tokenizer of a tokenizer.json, reloaded when that changes, without truncation and padding."""
    from tokenizers import Tokenizer

    tokenizer = Tokenizer.from_file(file)
    tokenizer.no_truncation()
    tokenizer.no_padding()
    return tokenizer


class TokenCount(NamedTuple):
    """Token counts of a text.

    Attributes:
        tokens: tokens of the text, including special ones.
        limit: maximum number that the encoder reads.
        known: tokens of the text without special and unknown ones.
    """

    tokens: int
    limit: int
    known: int


def words_outside(tokenizer: "Tokenizer", text: str) -> list[str]:
    """Words of `text` that the tokenizer maps to its unknown token, as written, each once; [] if it has none (byte pairs). Characters that it skips,
    such as emoji, count as words, too.
    """
    unknown = _unknown_token(tokenizer)
    if unknown is None:
        return []
    encoding = tokenizer.encode(text, add_special_tokens=False)
    spans = list(zip(encoding.tokens, encoding.offsets, strict=True))
    covered = {place for _, (start, end) in spans for place in range(start, end)}
    words = [(start, text[start:end]) for token, (start, end) in spans if token == unknown]
    words += [(place, sign) for place, sign in enumerate(text) if unicodedata.category(sign) == "So" and place not in covered]
    return list(dict.fromkeys(word for _, word in sorted(words)))


def token_count(tokenizer: "Tokenizer", text: str, limit: int) -> TokenCount:
    """Count of a tokenizer without truncation."""
    encoding, unknown = tokenizer.encode(text), _unknown_token(tokenizer)
    own = [token for token, special in zip(encoding.tokens, encoding.special_tokens_mask, strict=True) if not special]
    return TokenCount(len(encoding.ids), limit, sum(token != unknown for token in own))


def open_clip_count(tokenizer: Any, text: str) -> TokenCount:
    """Count of an open_clip tokenizer: its own byte pairs with a token at both ends, or one of transformers."""
    limit = int(tokenizer.context_length)
    inner = getattr(tokenizer, "tokenizer", None)
    if inner is None:
        own = len(tokenizer.encode(text))
        return TokenCount(own + 2, limit, own)
    text = tokenizer.clean_fn(text)
    return TokenCount(len(inner(text)["input_ids"]), limit, len(inner(text, add_special_tokens=False)["input_ids"]))


def _unknown_token(tokenizer: "Tokenizer") -> str | None:
    found: str | None = getattr(tokenizer.model, "unk_token", None)
    return found if type(tokenizer.model).__name__ in ("WordLevel", "WordPiece") else None
