"""Embeddings of names, remembered per language model, in memory and on disk."""

from collections.abc import Sequence
from typing import cast

from likeness.encoders.encoder import Encoder
from likeness.encoders.store.texts import embed_texts
from likeness.language.models import LanguageModel, Vectors, language_model


def embed_names(texts: Sequence[str], model: LanguageModel | str = "minilm", device: str = "auto") -> Vectors:
    """Vectors of names or sentences; each text is embedded once per model and then remembered, and the model is loaded only for new ones.

    Args:
        texts: n texts, read as they are: put class names into a primer first (`likeness.language.prime`).
        model: a name that `likeness.language.language_model` knows, or such a model.
        device: where a model given by name computes; "auto" or a torch device.

    Returns:
        (n, d) float32. Unit rows from "minilm" and from CLIP; rows of any length from the others.

    Raises:
        InputError: if there is no text, one is no string, or the model is unknown, not here, or gives no finite vector.
    """
    chosen = language_model(model, device) if isinstance(model, str) else model
    # embed_texts asks an encoder for its name, identity and text side only, and language models have these.
    return embed_texts(cast(Encoder, chosen), texts).vectors
