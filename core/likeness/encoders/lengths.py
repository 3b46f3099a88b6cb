"""Lengths of image features before scaling to unit length."""

from collections.abc import Callable
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from likeness.data import ImageTable
from likeness.encoders.digests import digest
from likeness.encoders.encoder import Encoder, TowerEncoder, Vectors
from likeness.encoders.load import load_encoder
from likeness.encoders.models.device import fetch_later
from likeness.encoders.models.tower import ImagesOnly, ImageTower
from likeness.encoders.names import encoder_identity
from likeness.encoders.objects import EncoderLike
from likeness.encoders.store.images import embed_images
from likeness.errors import InputError


def image_lengths(table: ImageTable, encoder: EncoderLike, **options: Any) -> NDArray[np.float32]:
    """Lengths (n,), above 0, of the features of the encoder's image tower, in the order of the table.

    A space has unit vectors; multiplied by these lengths they are the features. Computed in one pass over the images and stored like embeddings of
    one dimension; options are those of `embed_images`. InputError: an encoder without accessible features, unreadable images, or stopped work.
    """
    found = embed_images(table, _LengthEncoder(encoder), **options)
    if found.failed:
        raise InputError(f"The lengths of {len(found.failed)} images are unknown; the first is '{found.failed[0].path}': {found.failed[0].reason}.")
    if not found.complete:
        raise InputError(f"The lengths of the images of '{table.name}' are incomplete; start again.")
    return np.asarray(found.vectors[:, 0])


class _LengthEncoder(ImagesOnly):
    """Encodes images as one number; loaded for the first image without a stored one."""

    def __init__(self, encoder: EncoderLike) -> None:
        self._encoder = encoder
        self.name = encoder if isinstance(encoder, str) else str(getattr(encoder, "name", type(encoder).__name__))
        behind = encoder_identity(encoder)
        if not behind:
            raise _unknown(self.name)
        self.identity = digest("lengths", behind)

    @cached_property
    def tower(self) -> ImageTower:  # type: ignore[override]
        loaded: Encoder = load_encoder(self._encoder)
        tower = loaded.tower if isinstance(loaded, TowerEncoder) else None
        if not isinstance(tower, ImageTower):
            raise _unknown(self.name)
        return tower

    def encode_later(self, prepared: list[Any]) -> Callable[[], Vectors]:
        """Lengths (n, 1) of prepared images."""
        import torch

        with torch.inference_mode():
            return fetch_later(self.tower.features(self.tower.pixels(prepared)).norm(dim=1, keepdim=True))


def _unknown(name: str) -> InputError:
    return InputError(
        f"The encoder '{name}' only returns unit vectors, so the lengths of its features are unknown; use an open_clip or timm model, or a "
        "method on unit vectors."
    )
