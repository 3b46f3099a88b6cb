"""What an encoder reads of a text: words that it cannot tell apart, and how much is cut off."""

import json
from collections.abc import Callable, Sequence
from functools import lru_cache
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from likeness.encoders.load import encoder_is_here, load_encoder
from likeness.encoders.models.minilm import minilm_tokenizer
from likeness.encoders.models.words_outside import TokenCount, open_clip_count, token_count, words_outside
from likeness.encoders.names import parse_name, reads_text
from likeness.encoders.objects import EncoderLike, as_encoder
from likeness.errors import InputError
from likeness.io import as_path

if TYPE_CHECKING:
    from tokenizers import Tokenizer

_USUAL_CONTEXT = 77  # of CLIP
_SHORTEST_CONTEXT = 16  # of the models that open_clip knows


class CutText(NamedTuple):
    """A text of which an encoder reads only the beginning.

    Attributes:
        text: the whole.
        tokens: how many it has, with those that the encoder's tokenizer puts around it.
        limit: how many of them are read.
    """

    text: str
    tokens: int
    limit: int


def unknown_words(encoder: EncoderLike, text: str) -> list[str]:
    """Like `Encoder.unknown_words`, without loading the model: reads only the tokenizer of a local folder, or of "photos".

    Encoders of other kinds (published models spell any word) give [].
    """
    if not isinstance(encoder, str):
        return as_encoder(encoder).unknown_words(text)
    found = _tokenizer(encoder)
    return words_outside(found[0], text) if found else []


def cut_texts(encoder: EncoderLike, texts: Sequence[str]) -> list[CutText]:
    """The texts that are longer than what an encoder reads, each once, in order.

    A model is loaded only where its tokenizer is not to be had otherwise, for texts that may be too long, and never downloaded. An object may say how
    it reads a text by a method `token_count(text)`, whose result has `tokens` and `limit`; of one without it nothing is known.

    Example:
        >>> cut_texts("cars", ["a red car", "very " * 40 + "red car"])[0][1:]
        (44, 32)
    """
    counts = ((text, _count(encoder, text)) for text in dict.fromkeys(texts))
    return [CutText(text, found.tokens, found.limit) for text, found in counts if found is not None and found.tokens > found.limit]


def reads_nothing(encoder: EncoderLike, text: str) -> bool:
    """Whether nothing of a text means anything to an encoder: it is blank, or has no word that the encoder knows."""
    if not text.strip():
        return True
    if not isinstance(encoder, str) or _tokenizer(encoder) is None:
        return False
    found = _count(encoder, text)
    return found is not None and not found.known


def _count(encoder: EncoderLike, text: str) -> TokenCount | None:
    """None where the text is short enough for any limit, or it is not known."""
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
        return open_clip_count(_published_tokenizer(source.target.partition("/")[0]), text)
    loaded: Any = load_encoder(encoder) if reads_text(encoder) and encoder_is_here(encoder) else None
    return loaded.token_count(text) if hasattr(loaded, "token_count") else None


def _tokenizer(encoder: str) -> "tuple[Tokenizer, int] | None":
    """The tokenizer of an encoder, which cuts nothing, and how many tokens the encoder reads; None where it lies in no folder on this machine."""
    source = parse_name(encoder)
    if source.kind == "photos":
        try:
            return minilm_tokenizer()
        except InputError:  # not installed, so that no text is read at all
            return None
    folder = Path(source.target).expanduser()
    file = folder / "tokenizer.json"
    if source.kind != "local-dir" or not file.is_file():
        return None
    return _read(str(file), file.stat().st_mtime_ns), _context(folder / "open_clip_config.json")


def _context(config: Path) -> int:
    try:
        return int(json.loads(as_path(config).read_text("utf-8"))["model_cfg"]["text_cfg"].get("context_length", _USUAL_CONTEXT))
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return _USUAL_CONTEXT


@lru_cache(maxsize=64)
def _published_context(model: str) -> tuple[int, bool] | None:
    """Context of a model of open_clip, and whether its tokenizer is one of transformers; without importing the library."""
    spec = find_spec("open_clip")
    places = [Path(place) / "model_configs" / f"{model}.json" for place in (spec.submodule_search_locations if spec else None) or ()]
    file = next((place for place in places if place.is_file()), None)
    if file is None or "/" in model:
        return None
    text = json.loads(file.read_text("utf-8")).get("text_cfg", {})
    return int(text.get("context_length", _USUAL_CONTEXT)), bool(text.get("hf_tokenizer_name"))


@lru_cache(maxsize=4)
def _published_tokenizer(model: str) -> Any:
    from likeness.encoders.models.load_model import open_clip_published_tokenizer

    return open_clip_published_tokenizer(model)


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
