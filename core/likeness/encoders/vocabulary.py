"""Which words an encoder with a word vocabulary cannot tell apart."""

from pathlib import Path
from typing import TYPE_CHECKING

from likeness.encoders.models.words_outside import words_outside
from likeness.encoders.names import parse_name
from likeness.encoders.objects import EncoderLike, as_encoder

if TYPE_CHECKING:
    from tokenizers import Tokenizer


def unknown_words(encoder: EncoderLike, text: str) -> list[str]:
    """Like `Encoder.unknown_words`, without loading the model: reads only the tokenizer of a local folder.

    Encoders that are no folder (published models spell any word) give [].
    """
    if not isinstance(encoder, str):
        return as_encoder(encoder).unknown_words(text)
    source = parse_name(encoder)
    file = Path(source.target).expanduser() / "tokenizer.json"
    if source.kind != "local-dir" or not file.is_file():
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
