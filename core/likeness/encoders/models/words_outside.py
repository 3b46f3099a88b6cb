"""What a tokenizer makes of a text: words that it maps to its unknown token, and how many tokens there are."""

import unicodedata
from functools import lru_cache
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from tokenizers import Tokenizer


@lru_cache(maxsize=64)
def uncut_tokenizer(file: str, mtime_ns: int) -> "Tokenizer":
    """Of a tokenizer.json, read anew when it changes; it cuts nothing and pads nothing."""
    from tokenizers import Tokenizer

    tokenizer = Tokenizer.from_file(file)
    tokenizer.no_truncation()
    tokenizer.no_padding()
    return tokenizer


class TokenCount(NamedTuple):
    """How much of a text an encoder reads.

    Attributes:
        tokens: of the text, with those that the tokenizer puts around it.
        limit: how many of them the encoder reads.
        known: those of the text that stand for something, so without the unknown token.
    """

    tokens: int
    limit: int
    known: int


def words_outside(tokenizer: "Tokenizer", text: str) -> list[str]:
    """Words of `text` that the tokenizer maps to its unknown token, as written, each once; [] if it has none (byte pairs). A sign such as an emoji
    that it passes over without a token is such a word, too.
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
    """Of a tokenizer that cuts nothing itself."""
    encoding, unknown = tokenizer.encode(text), _unknown_token(tokenizer)
    own = [token for token, special in zip(encoding.tokens, encoding.special_tokens_mask, strict=True) if not special]
    return TokenCount(len(encoding.ids), limit, sum(token != unknown for token in own))


def open_clip_count(tokenizer: Any, text: str) -> TokenCount:
    """Of a tokenizer of open_clip: its own byte pairs with a token at both ends, or one of transformers."""
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
