"""Embeddings of names, remembered per language model, in memory and on disk."""

from collections.abc import Sequence

from likeness.encoders import TextEncoder, embed_texts
from likeness.language.family import Vectors
from likeness.language.models import language_model


def embed_names(texts: Sequence[str], model: TextEncoder | str = "minilm", device: str = "auto") -> Vectors:
    """Vectors of names or sentences; each text is embedded once per model and then remembered, and the model is loaded only for new ones.

    Args:
        texts: n texts, read as they are: put class names into a primer first (`likeness.language.prime`).
        model: a name that `likeness.language.language_model` knows, or an object with `encode_texts`. Of an object that
            nothing names (`likeness.encoders.encoder_identity`) nothing is remembered.
        device: where a model given by name computes; "auto" or a torch device.

    Returns:
        (n, d) float32. Unit rows from "minilm" and from CLIP; rows of any length from the others.

    Raises:
        InputError: if there is no text, one is no string, or the model is unknown, not here, or gives no finite vector.
    """
    return embed_texts(language_model(model, device), texts).vectors
