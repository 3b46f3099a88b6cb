"""Words that an encoder does not know and texts that it truncates, with messages for pages and commands."""

import json
from collections.abc import Callable, Collection, Sequence
from functools import lru_cache
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from likeness.encoders.load import encoder_is_here, load_encoder
from likeness.encoders.models.load_model import open_clip_published_tokenizer
from likeness.encoders.models.minilm import minilm_tokenizer
from likeness.encoders.models.words_outside import TokenCount, open_clip_count, token_count, uncut_tokenizer, words_outside
from likeness.encoders.names import parse_name, reads_text
from likeness.encoders.objects import EncoderLike, as_encoder
from likeness.errors import InputError
from likeness.io import as_path, plain_name

if TYPE_CHECKING:
    from tokenizers import Tokenizer

_USUAL_CONTEXT = 77  # of CLIP
_SHORTEST_CONTEXT = 16  # of the models that open_clip knows
_SHOWN = 6  # words


class CutText(NamedTuple):
    """A text with more `tokens`, including special ones, than the `limit` of an encoder."""

    text: str
    tokens: int
    limit: int


def unknown_words(encoder: EncoderLike, text: str) -> list[str]:
    """Like `Encoder.unknown_words`, without loading the model: reads only the tokenizer of a local folder, or of "photos". [] for other encoders
    (published models spell any word).
    """
    if not isinstance(encoder, str):
        return as_encoder(encoder).unknown_words(text)
    found = _tokenizer(encoder)
    return words_outside(found[0], text) if found else []


def cut_texts(encoder: EncoderLike, texts: Sequence[str]) -> list[CutText]:
    """The texts that an encoder truncates, each once, in order.

    A model is loaded only if its tokenizer is not available otherwise and texts may be too long, and never downloaded. For objects, a method
    `token_count(text)` returns `tokens` and `limit`; without it, nothing is known.

    Example:
        >>> cut_texts("cars", ["a red car", "very " * 40 + "red car"])[0][1:]
        (44, 32)
    """
    counts = ((text, _count(encoder, text)) for text in dict.fromkeys(texts))
    return [CutText(text, found.tokens, found.limit) for text, found in counts if found is not None and found.tokens > found.limit]


def reads_nothing(encoder: EncoderLike, text: str) -> bool:
    """Whether a text is blank or has no word that the encoder knows."""
    if not text.strip():
        return True
    if not isinstance(encoder, str) or _tokenizer(encoder) is None:
        return False
    found = _count(encoder, text)
    return found is not None and not found.known


def text_warnings(encoder: EncoderLike, texts: Sequence[str]) -> list[str]:
    """Warnings about unknown words and truncated texts; [] if the encoder reads everything.

    Example:
        >>> text_warnings("cars", ["a red submarine"])
        ['The encoder does not know submarine and reads a blank instead.']
    """
    return list(filter(None, [unread_words(sorted(unknown_words(encoder, "\n".join(texts)))), cut_ends(cut_texts(encoder, texts))]))


def check_text(encoder: EncoderLike | None, text: str) -> None:
    """InputError: an encoder knows no word of a search text. Empty ones are reported by `Space.text_query`."""
    if text.strip() and encoder is not None and reads_nothing(encoder, text):
        raise InputError(f"The encoder knows no word of '{plain_name(text)}'; search with other words, or by image.")


def cut_ends(cut: Sequence[CutText]) -> str:
    """A sentence about texts that an encoder truncates; "" if there are none."""
    if not cut:
        return ""
    longest = max(cut, key=lambda each: each.tokens)
    named, reads = f"“{plain_name(longest.text)}”", f"The encoder reads the first {longest.limit:,} tokens of a text"
    if len(cut) == 1:
        return f"{reads}, and {named} has {longest.tokens:,}: its end is cut off; shorten it."
    return f"{reads}, and {len(cut):,} texts have more, up to {longest.tokens:,} in {named}: their ends are cut off; shorten them."


def unread_words(words: Collection[str]) -> str:
    """A sentence about words that an encoder does not know; "" if there are none."""
    if not words:
        return ""
    named = ", ".join(list(words)[:_SHOWN]) + (" ..." if len(words) > _SHOWN else "")
    return f"The encoder does not know {named} and reads a blank instead."


def _count(encoder: EncoderLike, text: str) -> TokenCount | None:
    """None if the text is short enough for any limit, or the count is unknown."""
    if not isinstance(encoder, str):
        count: Callable[[str], TokenCount] | None = getattr(encoder, "token_count", None)
        return count(text) if count else None
    found = _tokenizer(encoder)
    if found:
        return token_count(found[0], text, found[1])
    source = parse_name(encoder)
    context = _published_context(source.target.partition("/")[0]) if source.kind == "open_clip" else None
    if len(text.encode("utf-8", "replace")) + 2 <= (context or (_SHORTEST_CONTEXT, False))[0]:  # no token is shorter than a byte
        return None
    if context and not context[1]:
        return open_clip_count(open_clip_published_tokenizer(source.target.partition("/")[0]), text)
    loaded: Any = load_encoder(encoder) if reads_text(encoder) and encoder_is_here(encoder) else None
    return loaded.token_count(text) if hasattr(loaded, "token_count") else None


def _tokenizer(encoder: str) -> "tuple[Tokenizer, int] | None":
    """The tokenizer of an encoder, without truncation, and how many tokens the encoder reads; None if it is in no folder on this machine."""
    source = parse_name(encoder)
    if source.kind == "photos":
        try:
            return minilm_tokenizer()
        except InputError:  # not installed, so no text is read at all
            return None
    folder = Path(source.target).expanduser()
    file = folder / "tokenizer.json"
    if source.kind != "local-dir" or not file.is_file():
        return None
    return uncut_tokenizer(str(file), file.stat().st_mtime_ns), _context(folder / "open_clip_config.json")


def _context(config: Path) -> int:
    try:
        return int(json.loads(as_path(config).read_text("utf-8"))["model_cfg"]["text_cfg"].get("context_length", _USUAL_CONTEXT))
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return _USUAL_CONTEXT


@lru_cache(maxsize=64)
def _published_context(model: str) -> tuple[int, bool] | None:
    """Context length of an open_clip model, and whether its tokenizer is of transformers; without importing the library."""
    spec = find_spec("open_clip")
    places = [Path(place) / "model_configs" / f"{model}.json" for place in (spec.submodule_search_locations if spec else None) or ()]
    file = next((place for place in places if place.is_file()), None)
    if file is None or "/" in model:
        return None
    text = json.loads(file.read_text("utf-8")).get("text_cfg", {})
    return int(text.get("context_length", _USUAL_CONTEXT)), bool(text.get("hf_tokenizer_name"))
