"""The functions of a space by its encoder, which can be pickled: the model is loaded again where they are called."""

from functools import partial
from typing import Any

from likeness.arrays import as_unit_rows
from likeness.encoders import TowerEncoder, embed_texts, load_encoder, reads_text
from likeness.errors import InputError


def encoder_functions(encoder: Any) -> dict[str, Any]:
    """`embed_texts`, `embed_images` and `differentiable` of a `Space` by an encoder, given by name or as an object."""
    texts = partial(_text_rows, encoder) if reads_text(encoder) else None
    return {"embed_texts": texts, "embed_images": partial(_image_rows, encoder), "differentiable": partial(_image_model, encoder)}


def mapped_functions(space: Any, transform: Any, head: Any = None) -> dict[str, Any]:
    """The same of a space mapped by a function of rows, and by `head`, which is that of tensors."""
    model, embed = space.differentiable, {name: getattr(space, name) for name in ("embed_texts", "embed_images")}
    mapped = {name: each and partial(_mapped, each, transform) for name, each in embed.items()}
    return mapped | {"differentiable": partial(_model_through, model, head) if model and head else None}


def _text_rows(encoder: Any, texts: Any) -> Any:
    return embed_texts(encoder, list(texts)).vectors


def _image_rows(encoder: Any, images: Any) -> Any:
    return load_encoder(encoder).encode_images(list(images))


def _mapped(embed: Any, transform: Any, new: Any) -> Any:
    return as_unit_rows(transform(embed(new)), "The queries", zeros=True)


def _image_model(encoder: Any) -> Any:
    from likeness.saliency import ImageModel

    loaded = load_encoder(encoder)
    if not isinstance(loaded, TowerEncoder):
        raise InputError(f"The encoder '{loaded.name}' provides no gradients; choose an open_clip or timm model.")
    return ImageModel(loaded.tower)


def _model_through(model: Any, head: Any) -> Any:
    return model().then(partial(_unit_head, head))


def _unit_head(head: Any, rows: Any) -> Any:
    from torch.nn.functional import normalize

    return normalize(head(rows), dim=1)
