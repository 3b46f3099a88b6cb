"""Language models by name, a line for each family: texts in, vectors out, or similarities of names at once."""

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
    raise InputError("The run is guided by a language model that was given as an object; pass it again: train(config, folder, language=...).")


# what a saved config says of a language model that was given as an object
_CUSTOM = LanguageFamily("custom", "Own model", "The object that was given to `likeness.train` as `language`.", _missing, listed=False)
LANGUAGE_FAMILIES: dict[str, LanguageFamily | SimilaritySource] = {
    family.name: family for family in (MINILM, CLIP_TEXT, TRANSFORMERS, WORD_VECTORS, WORDNET, HIERARCHY, _CUSTOM)
}
# "Top 3" of Tables 3 and S2: the mean of these models' similarities.
TOP_3 = ("clip", "roberta-large", "gpt2")


def short_names() -> dict[str, str]:
    """Names that need no file or hub id, by what each stands for: those that menus offer."""
    families = [family for family in LANGUAGE_FAMILIES.values() if isinstance(family, LanguageFamily) and family.listed]
    return {short: target for family in families for short, target in family.short_names.items()}


def check_language(name: str) -> str:
    """What is wrong with the form of a language model's name, in one sentence; empty where nothing is."""
    try:
        _family_of(name)
    except InputError as error:
        return str(error)
    return ""


def gives_vectors(name: str) -> bool:
    """Whether what a name stands for has vectors of texts, not similarities of names only; raises InputError for a name of no known form."""
    return isinstance(_family_of(name)[0], LanguageFamily)


def language_model(model: str | TextEncoder, device: str = "auto") -> TextEncoder:
    """The model of that name; its weights are loaded when it first embeds a text.

    Args:
        model: one of `short_names`; "clip:ENCODER" or the encoder's own name, for the text side of whatever `likeness.encoders` loads ("cars",
            "ViT-B-32/openai", "hf-hub:...", "local-dir:..."); "transformers:X" with a hub id or a folder, where "X@pooler" takes the model's own
            pooled output in place of the mean over tokens; "vectors:FILE", a text file of GloVe or FastText. An object with `encode_texts` is taken
            as it is.
        device: "auto" (CUDA, MPS or the processor, the first that is there) or a torch device.

    Raises:
        InputError: the name has no known form, or a file or folder is missing.
    """
    if not isinstance(model, str):
        if not hasattr(model, "encode_texts"):
            raise InputError(f"The language model {model!r} is not a name and has no encode_texts; write {_known()}.")
        return model
    family, target = _family_of(model)
    if isinstance(family, SimilaritySource):
        raise InputError(f"'{model}' gives similarities of names and no vectors; choose a language model such as 'minilm'.")
    made: TextEncoder = family.make(model, target, device)
    return made


def embed_names(texts: Sequence[str], model: TextEncoder | str = "minilm", device: str = "auto") -> Vectors:
    """Vectors (n, d) of names or sentences, float32: unit rows from "minilm" and from CLIP, rows of any length from the others.

    Each text is embedded once per model and then remembered, and the model is loaded only for new ones.

    Args:
        texts: n texts, read as they are: put class names into a primer first (`likeness.language.prime`).
        model: a name that `likeness.language.language_model` knows, or an object with `encode_texts`. Of an object that nothing names
            (`likeness.encoders.encoder_identity`) nothing is remembered.

    Raises:
        InputError: there is no text, one is no string, or the model is unknown, not here, or gives no finite vector.
    """
    return embed_texts(language_model(model, device), texts).vectors


def language_is_here(name: str) -> bool:
    """Whether nothing that a language model needs of the hub is missing on this machine. Raises InputError for a name of no known form, or a
    folder that is missing.
    """
    family, target = _family_of(name)
    return isinstance(family, SimilaritySource) or family.is_here(target)


def similarity_source(model: Any) -> tuple[SimilaritySource, str] | None:
    """The source of similarities that a name stands for, with its target; None for a language model. Raises InputError for a name of no known
    form.
    """
    if not isinstance(model, str):
        return None
    family, target = _family_of(model)
    return (family, target) if isinstance(family, SimilaritySource) else None


def map_language_path(name: str, change: PathChange) -> str:
    """A language model's name with `change` of the path in it, and its prefixes in one spelling, as `likeness.encoders.map_path`. Where an id of
    the hub may stand in a path's place, `change` is given that, too.
    """
    base, pooling = split_pooling(name)
    prefix, _, target = base.partition(":")
    family = LANGUAGE_FAMILIES.get(prefix.strip().lower())
    if family is None or not target:
        return map_path(name, change)
    return f"{family.name}:{family.map_path(target, change)}{f'@{pooling}' if pooling else ''}"


def _family_of(name: str) -> tuple[LanguageFamily | SimilaritySource, str]:
    """The family of a name, and its target, which ends in "@POOLING" where the name does."""
    base, pooling = split_pooling(name)
    prefix, colon, target = short_names().get(base, base).partition(":")
    family = LANGUAGE_FAMILIES.get(prefix.strip().lower())
    if family is None or bool(target) != bool(family.form) or (colon and not target):
        families = [each for each in LANGUAGE_FAMILIES.values() if isinstance(each, LanguageFamily)]
        family, target = next((each for each in families if each.claims(base)), None), base
    if family is None:
        raise InputError(f"There is no language model '{name}'; write {_known()}.")
    if pooling and not (isinstance(family, LanguageFamily) and family.pools):
        raise InputError(f"The language model '{base}' has its own way to make one vector of a text; leave out '@{pooling}'.")
    return family, f"{target}@{pooling}" if pooling else target


def _known() -> str:
    models, sources = [], []
    for family in LANGUAGE_FAMILIES.values():
        if family.listed and isinstance(family, SimilaritySource):
            sources.append(family.form or f"'{family.name}'")
        elif family.listed and family.form:
            models.append(family.form)
    return f"{', '.join([*short_names(), *models])}; for similarities also {', '.join(sources)}"
