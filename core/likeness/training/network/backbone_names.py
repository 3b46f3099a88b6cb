"""Backbones by name, without loading them: the backbone of an encoder, and its native image size."""

from likeness import encoders
from likeness.defaults import PHOTOS_ENCODER
from likeness.errors import InputError

_CLIP = "clip:"
_CLIP_KINDS = ("open_clip", "hf-hub", "local-dir")


def backbone_of(encoder: str) -> str:
    """The backbone of an encoder; empty if no run can start from it, such as another run."""
    if encoder == PHOTOS_ENCODER:
        return encoder
    if not encoders.is_encoder_name(encoder):
        return ""
    kind, target = encoders.parse_name(encoder)
    if kind in _CLIP_KINDS:
        return f"{_CLIP}{encoder}"
    return target if kind == "timm" and ":" not in target else ""


def encoder_of(backbone: str) -> str:
    """The encoder of a backbone: the inverse of `backbone_of`."""
    if backbone.startswith(_CLIP):
        return backbone.removeprefix(_CLIP)
    return backbone if backbone == PHOTOS_ENCODER else f"timm:{backbone}"


def native_size(backbone: str) -> int:
    """Side in pixels of the images that a backbone's published weights were trained on, from its name: nothing is loaded or downloaded.

    InputError: an unknown backbone, or a CLIP of the hub that is not on this machine.
    """
    encoder = encoder_of(backbone)
    if not backbone or backbone_of(encoder) != backbone:
        raise InputError(
            f"There is no network '{backbone}' to train; write '{PHOTOS_ENCODER}', the name of a timm model such as 'resnet50', or '{_CLIP}' and the "
            f"name of a CLIP such as '{_CLIP}ViT-B-32/openai'."
        )
    return encoders.native_size(encoder)
