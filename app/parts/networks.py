"""The networks that pages offer for training; others can be typed."""

from typing import Any

import streamlit as st

from likeness.defaults import PHOTOS_ENCODER
from likeness.errors import InputError
from likeness.training import backbone_of, native_size
from parts.config_access import resolve_backbone
from server.access import redact

NETWORKS = {
    "photos": "Photos (shipped)",
    "clip:cars": "Cars (shipped)",
    "clip:cars-small": "Cars, smaller (shipped)",
    "mobilenetv2_100": "MobileNetV2",
    "resnet18": "ResNet-18",
    "resnet50": "ResNet-50",
    "inception_v3": "Inception v3",
}

_HELP = (
    "The shipped ones, MobileNetV2 for photos and two small CLIPs for rendered cars, need no download. You can also type the name of a timm model, "
    "or clip: and the name of a CLIP model; missing weights are downloaded."
)


def choose_network(label: str, *own: str, more_help: str = "", **options: Any) -> str:
    """Draws the choice; returns the backbone's name, known or not.

    Args:
        label: the field's label.
        own: names offered first, listed or not.
        more_help: appended to the field's help.
        options: of `st.selectbox`.
    """
    chosen: str = st.selectbox(
        label,
        list(dict.fromkeys([*own, *NETWORKS])),
        format_func=network_title,
        accept_new_options=True,
        help=f"{_HELP} {more_help}".strip(),
        **options,
    )
    return chosen.strip()


def network_title(name: str) -> str:
    """A network's display name."""
    return NETWORKS.get(name, name)


def network_of(encoder: str) -> tuple[str, int, str]:
    """The backbone of an encoder, its image size in pixels, and "".

    If it cannot be trained here: the shipped photo network, its size, and the reason.

    Args:
        encoder: the encoder's name as visitors write it, or None.
    """
    name = backbone_of(encoder)
    try:
        if name:
            return name, native_size(resolve_backbone(name)), ""
        why = "is a trained run, and training starts from published weights" if encoder.startswith("run:") else "has no network that can be trained"
        why = f"The encoder of these images {why}."
    except InputError as error:  # a removed folder, or not downloaded yet
        why = redact(error)
    return PHOTOS_ENCODER, native_size(PHOTOS_ENCODER), why
