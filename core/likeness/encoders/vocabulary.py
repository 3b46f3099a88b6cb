"""Which words an encoder with a word vocabulary cannot tell apart."""

from pathlib import Path
from typing import TYPE_CHECKING

from likeness.encoders.names import parse_name

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


def unknown_words(encoder_name: str, text: str) -> list[str]:
    """Like `Encoder.unknown_words`, without loading the model: reads only the tokenizer of a local folder.

    Encoders that are no folder (published models spell any word) give [].
    """
    parsed = parse_name(encoder_name)
    file = Path(parsed.target).expanduser() / "tokenizer.json"
    if parsed.kind != "local-dir" or not file.is_file():
        return []
    return words_outside(_read(str(file), file.stat().st_mtime_ns), text)


def _read(file: str, mtime_ns: int) -> "Tokenizer":
    key = (file, mtime_ns)
    if key not in _read_before:
        from tokenizers import Tokenizer

        tokenizer = Tokenizer.from_file(file)
        tokenizer.no_truncation()
        tokenizer.no_padding()
        _read_before[key] = tokenizer
    return _read_before[key]


_read_before: dict[tuple[str, int], "Tokenizer"] = {}
