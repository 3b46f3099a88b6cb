"""Backbones by name, before anything is loaded: which one an encoder has, and the images that it was made for."""

from likeness import encoders
from likeness.defaults import PHOTOS_ENCODER
from likeness.errors import InputError

_CLIP = "clip:"
_CLIP_KINDS = ("open_clip", "hf-hub", "local-dir")


def backbone_of(encoder: str) -> str:
    """The name of the backbone that an encoder, or any text, embeds images with; empty for one that no run can begin from, such as another run."""
    if encoder == PHOTOS_ENCODER:
        return encoder
    if not encoders.is_encoder_name(encoder):
        return ""
    kind, target = encoders.parse_name(encoder)
    if kind in _CLIP_KINDS:
        return f"{_CLIP}{encoder}"
    return target if kind == "timm" and ":" not in target else ""


def encoder_of(backbone: str) -> str:
    """The encoder whose network a backbone is: the reverse of `backbone_of`."""
    if backbone.startswith(_CLIP):
        return backbone.removeprefix(_CLIP)
    return backbone if backbone == PHOTOS_ENCODER else f"timm:{backbone}"


def native_size(backbone: str) -> int:
    """Side in pixels of the images that a backbone's published weights were trained on, from its name: nothing is loaded or downloaded.

    Raises InputError for a name of no backbone, or a CLIP of the hub that is not on this machine.
    """
    encoder = encoder_of(backbone)
    if not backbone or backbone_of(encoder) != backbone:
        raise InputError(
            f"There is no network '{backbone}' to train; write '{PHOTOS_ENCODER}', the name of a timm model such as 'resnet50', or '{_CLIP}' and the "
            f"name of a CLIP such as '{_CLIP}ViT-B-32/openai'."
        )
    return encoders.native_size(encoder)
