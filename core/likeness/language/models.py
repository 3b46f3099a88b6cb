"""Registry of language models: they embed texts, or compare names directly."""

from collections.abc import Sequence
from typing import Any, NoReturn

from likeness.encoders import PathChange, TextEncoder, embed_texts, map_path
from likeness.errors import InputError
from likeness.language.clip_text import CLIP_TEXT
from likeness.language.family import LanguageFamily, SimilaritySource, Vectors
from likeness.language.hierarchy import HIERARCHY
from likeness.language.transformers_model import MINILM, TRANSFORMERS, split_pooling
from likeness.language.word_vectors import WORD_VECTORS
from likeness.language.wordnet import WORDNET


def _missing(name: str, target: str, device: str) -> NoReturn:
    raise InputError("The run uses a custom language model; pass it again: train(config, folder, language=...).")


# what a saved config says of a language model that was given as an object
_CUSTOM = LanguageFamily("custom", "Own model", "The custom object passed to `likeness.train` as `language`.", _missing, listed=False)
LANGUAGE_FAMILIES: dict[str, LanguageFamily | SimilaritySource] = {
    family.name: family for family in (MINILM, CLIP_TEXT, TRANSFORMERS, WORD_VECTORS, WORDNET, HIERARCHY, _CUSTOM)
}
# "Top 3" of Tables 3 and S2: the mean of these models' similarities.
TOP_3 = ("clip", "roberta-large", "gpt2")


def short_names() -> dict[str, str]:
    """Short names that need no file or hub id, mapped to full ones; offered in menus."""
    families = [family for family in LANGUAGE_FAMILIES.values() if isinstance(family, LanguageFamily) and family.listed]
    return {short: target for family in families for short, target in family.short_names.items()}


def check_language(name: str) -> str:
    """The problem of a language model's name as a sentence; empty if it is valid."""
    try:
        _family_of(name)
    except InputError as error:
        return str(error)
    return ""


def gives_vectors(name: str) -> bool:
    """True if a model returns vectors, not only similarities of names; raises InputError for an invalid name."""
    return isinstance(_family_of(name)[0], LanguageFamily)


def language_model(model: str | TextEncoder, device: str = "auto") -> TextEncoder:
    """The model of a name; its weights are loaded on first use. InputError: an invalid name, or a missing file or folder.

    Args:
        model: one of `short_names`; "clip:ENCODER" or the encoder's own name, for the text side of whatever `likeness.encoders` loads ("cars",
            "ViT-B-32/openai", "hf-hub:...", "local-dir:..."); "transformers:X" with a hub id or a folder, where "X@pooler" uses the model's own
            pooled output instead of the mean over tokens; "vectors:FILE", a text file of GloVe or FastText. Objects with `encode_texts` are returned
            unchanged.
        device: "auto" (the first available of CUDA, MPS and CPU) or a torch device.
    """
    if not isinstance(model, str):
        if not hasattr(model, "encode_texts"):
            raise InputError(f"The language model {model!r} is not a name and has no encode_texts; write {_known()}.")
        return model
    family, target = _family_of(model)
    if isinstance(family, SimilaritySource):
        raise InputError(f"'{model}' returns similarities of names, not vectors; choose a language model such as 'minilm'.")
    made: TextEncoder = family.make(model, target, device)
    return made


def embed_names(texts: Sequence[str], model: TextEncoder | str = "minilm", device: str = "auto") -> Vectors:
    """Vectors (n, d) of names or sentences, float32: unit rows from "minilm" and from CLIP, rows of any length from the others.

    Embeddings are cached per model, which is only loaded for new texts. InputError: no text, one that is not a string, an unknown or unavailable
    model, or a vector that is not finite.

    Args:
        texts: n texts, embedded unchanged: put class names into a primer first (`likeness.language.prime`).
        model: a name that `likeness.language.language_model` knows, or an object with `encode_texts`. Objects without identity
            (`likeness.encoders.encoder_identity`) are not cached.
    """
    return embed_texts(language_model(model, device), texts).vectors


def language_is_here(name: str) -> bool:
    """True if a language model can be loaded without a download. Raises InputError for an invalid name, or a missing folder."""
    family, target = _family_of(name)
    return isinstance(family, SimilaritySource) or family.is_here(target)


def similarity_source(model: Any) -> tuple[SimilaritySource, str] | None:
    """The similarity source of a name, with its target; None for a language model. Raises InputError for an invalid name."""
    if not isinstance(model, str):
        return None
    family, target = _family_of(model)
    return (family, target) if isinstance(family, SimilaritySource) else None


def map_language_path(name: str, change: PathChange) -> str:
    """A language model's name with `change` applied to its path, and normalized prefixes, as `likeness.encoders.map_path`. `change` also gets hub
    ids, if they are allowed instead of a path.
    """
    base, pooling = split_pooling(name)
    prefix, _, target = base.partition(":")
    family = LANGUAGE_FAMILIES.get(prefix.strip().lower())
    if family is None or not target:
        return map_path(name, change)
    return f"{family.name}:{family.map_path(target, change)}{f'@{pooling}' if pooling else ''}"


def _family_of(name: str) -> tuple[LanguageFamily | SimilaritySource, str]:
    """The family of a name, and its target, including "@POOLING"."""
    base, pooling = split_pooling(name)
    prefix, colon, target = short_names().get(base, base).partition(":")
    family = LANGUAGE_FAMILIES.get(prefix.strip().lower())
    if family is None or bool(target) != bool(family.form) or (colon and not target):
        families = [each for each in LANGUAGE_FAMILIES.values() if isinstance(each, LanguageFamily)]
        family, target = next((each for each in families if each.claims(base)), None), base
    if family is None:
        raise InputError(f"There is no language model '{name}'; write {_known()}.")
    if pooling and not (isinstance(family, LanguageFamily) and family.pools):
        raise InputError(f"The language model '{base}' has a fixed pooling; remove '@{pooling}'.")
    return family, f"{target}@{pooling}" if pooling else target


def _known() -> str:
    models, sources = [], []
    for family in LANGUAGE_FAMILIES.values():
        if family.listed and isinstance(family, SimilaritySource):
            sources.append(family.form or f"'{family.name}'")
        elif family.listed and family.form:
            models.append(family.form)
    return f"{', '.join([*short_names(), *models])}; for similarities also {', '.join(sources)}"
