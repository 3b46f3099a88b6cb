"""Language models by name, all behind one interface: texts in, vectors out."""

from pathlib import Path
from typing import Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from likeness.encoders.names import SHIPPED
from likeness.errors import InputError

Vectors = NDArray[np.float32]

# Short names, by what they stand for. Tables 3 and S2 of the paper: "clip" is its "CLIP-L", the text side of ViT-B/32.
LANGUAGE_MODELS: dict[str, str] = {
    "minilm": "minilm",
    "clip:cars": "clip:cars",
    "clip": "clip:ViT-B-32/openai",
    "bert": "transformers:bert-base-uncased",
    "distilbert": "transformers:distilbert-base-uncased",
    "roberta-base": "transformers:roberta-base",
    "roberta-large": "transformers:roberta-large",
    "distilroberta": "transformers:distilroberta-base",
    "reformer": "transformers:google/reformer-crime-and-punishment",
    "mpnet": "transformers:microsoft/mpnet-base",
    "gpt2": "transformers:gpt2",
}

# "Top 3" of Tables 3 and S2: the mean of these models' similarities.
TOP_3 = ("clip", "roberta-large", "gpt2")

FORMS = (
    "'clip:ENCODER' (as in 'clip:ViT-B-32/openai'), 'transformers:HUB-ID-OR-FOLDER' or 'vectors:FILE'; "
    "for similarities also 'wordnet', 'hierarchy:FILE' or 'hierarchy:wordnet'"
)


@runtime_checkable
class LanguageModel(Protocol):
    """A model that embeds texts.

    Attributes:
        name: as given to `language_model`.
        reads_sentences: whether word order and primer mean something to it; false for word vectors.
    """

    name: str
    reads_sentences: bool

    @property
    def identity(self) -> str:
        """Short hex digest of all that changes the vectors."""
        ...

    @property
    def has_text(self) -> bool:
        """Whether texts can be encoded; an encoder that has no text side answers with an InputError."""
        ...

    def encode_texts(self, texts: list[str]) -> Vectors:
        """Rows (n, d), float32, of any length."""
        ...


def language_model(name: str, device: str = "auto") -> LanguageModel:
    """The model of that name; its weights are loaded when it first embeds a text.

    Args:
        name: one of `LANGUAGE_MODELS`; "clip:ENCODER" or the encoder's own name, for the text side of whatever `likeness.encoders` loads
            ("cars", "ViT-B-32/openai", "hf-hub:...", "local-dir:..."); "transformers:X" with a hub id or a folder, where "X@pooler" takes
            the model's own pooled output in place of the mean over tokens; "vectors:FILE", a text file of GloVe or FastText.
        device: "auto" (CUDA, MPS or the processor, the first that is there) or a torch device.

    Raises:
        InputError: if the name has no known form, or a file or folder is missing.
    """
    if not isinstance(name, str):
        raise InputError(f"The language model {name!r} is not a name; write {', '.join(LANGUAGE_MODELS)}, {FORMS}.")
    base, pooling = _split_pooling(name)
    kind, _, target = LANGUAGE_MODELS.get(base, base).partition(":")
    if pooling and kind != "transformers":
        raise InputError(f"The language model '{base}' has its own way to make one vector of a text; leave '@{pooling}' away.")
    if name == "minilm":
        from likeness.language.minilm import minilm_model

        return minilm_model(device)
    if kind == "transformers" and target:
        from likeness.language.transformers_model import TransformersModel

        return TransformersModel(name, target, pooling or "mean", device)
    if kind == "vectors" and target:
        from likeness.language.word_vectors import WordVectors

        return WordVectors(name, Path(target).expanduser())
    encoder = target if kind == "clip" else name
    if encoder and (kind in ("clip", "hf-hub", "local-dir") or encoder in SHIPPED or _is_open_clip(encoder)):
        from likeness.language.clip_text import ClipText

        return ClipText(name, encoder, device)
    raise InputError(f"There is no language model '{name}'; write {', '.join(LANGUAGE_MODELS)}, {FORMS}.")


def _is_open_clip(name: str) -> bool:
    model, slash, weights = name.partition("/")
    return bool(model.strip(".~") and slash and weights and ":" not in name) and not Path(name).exists()


def _split_pooling(name: str) -> tuple[str, str]:
    """The name without "@mean" or "@pooler", and which of them it had."""
    base, at, pooling = name.rpartition("@")
    return (base, pooling) if at and pooling in ("mean", "pooler") else (name, "")
