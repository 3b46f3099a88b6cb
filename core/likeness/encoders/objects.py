"""Encoders given as objects: anything with `encode_images`, and optionally `encode_texts`."""

from collections.abc import Sequence
from hashlib import sha256
from pathlib import Path
from typing import Any, Protocol

import numpy as np
from PIL import Image

from likeness.arrays import unit_rows
from likeness.encoders.encoder import Encoder, Vectors
from likeness.errors import InputError
from likeness.io import read_image, to_rgb


class ImageEncoder(Protocol):
    """Embeds RGB images as rows (n, d)."""

    def encode_images(self, images: list[Image.Image]) -> Any: ...


class TextEncoder(Protocol):
    """Embeds texts as rows (n, d)."""

    def encode_texts(self, texts: list[str]) -> Any: ...


EncoderLike = Encoder | ImageEncoder | TextEncoder | str


def has_text(encoder: Any) -> bool:
    """Whether an object embeds texts: its `has_text`, or whether it has `encode_texts`."""
    return bool(getattr(encoder, "has_text", hasattr(encoder, "encode_texts")))


def object_identity(encoder: Any) -> str:
    """Identity of an object in stores and caches; nothing is stored if it is empty. It is the object's own `identity`, a text that must change with
    its vectors, or for a torch module a digest of its class, its methods' code and its weights. That digest ignores anything else, such as an image
    size: such a module needs its own `identity`.
    """
    own = getattr(encoder, "identity", None)
    if isinstance(own, str) and own:
        return own
    if not callable(getattr(encoder, "state_dict", None)):
        return ""
    kind = type(encoder)
    found = sha256(f"{kind.__module__}.{kind.__qualname__}".encode())
    for name, method in sorted(vars(kind).items()):
        if code := getattr(method, "__code__", None):
            constants = [each for each in code.co_consts if isinstance(each, str | int | float)]
            found.update(repr((name, code.co_code, code.co_names, constants)).encode())
    for name, weight in encoder.state_dict().items():
        array = np.ascontiguousarray(weight.detach().cpu().float().numpy())
        found.update(f"{name} {weight.dtype} {array.shape}".encode())
        found.update(array.tobytes())
    return found.hexdigest()[:16]


def as_encoder(encoder: Any) -> Encoder:
    """An object as an encoder: itself if it is complete, otherwise wrapped. InputError: it encodes neither images nor texts."""
    if isinstance(encoder, Encoder):
        return encoder
    if not hasattr(encoder, "encode_images") and not hasattr(encoder, "encode_texts"):
        raise InputError(f"The encoder {encoder!r} is neither a name nor an object with encode_images; pass one of these.")
    return ObjectEncoder(encoder)


class ObjectEncoder:
    """Wraps an object as an `Encoder`: reads images for it and returns its vectors (n, d), NumPy or torch, as float32 unit rows."""

    def __init__(self, encoder: Any, identity: str = "") -> None:
        self._encoder = encoder
        self.name = str(getattr(encoder, "name", type(encoder).__name__))
        self._digest = identity or object_identity(encoder)
        self.has_text = has_text(encoder)

    @property
    def identity(self) -> str:
        """Its current identity, or the given one, or the `object_identity` at the time of wrapping."""
        own = getattr(self._encoder, "identity", None)
        return own if isinstance(own, str) and own else self._digest

    def encode_images(self, images: Sequence[Path | Image.Image]) -> Vectors:
        """Unit rows (n, d), float32."""
        if not hasattr(self._encoder, "encode_images"):
            raise InputError(f"The encoder '{self.name}' has no encode_images and embeds only texts; choose another one.")
        read = [read_image(each) if isinstance(each, Path) else to_rgb(each) for each in images]
        return unit_rows(_rows(self._encoder.encode_images(read), len(read), f"encode_images of '{self.name}'"), "The vectors", zeros=True)

    def encode_texts(self, texts: Sequence[str]) -> Vectors:
        """Rows (n, d), float32; of unit length if the object also encodes images."""
        if not self.has_text:
            raise InputError(f"The encoder '{self.name}' has no encode_texts; choose one that reads texts, from `likeness encoders list`.")
        rows = _rows(self._encoder.encode_texts(list(texts)), len(texts), f"encode_texts of '{self.name}'")
        return unit_rows(rows, "The vectors", zeros=True) if hasattr(self._encoder, "encode_images") else rows

    def unknown_words(self, text: str) -> list[str]:
        """The object's unknown words, or none."""
        unknown_words = getattr(self._encoder, "unknown_words", None)
        return list(unknown_words(text)) if unknown_words else []


def _rows(found: Any, count: int, source: str) -> Vectors:
    if hasattr(found, "detach"):
        found = found.detach().float().cpu().numpy()
    rows = np.asarray(found, dtype=np.float32)
    if rows.ndim != 2 or len(rows) != count:
        raise InputError(f"{source} returns an array of shape {rows.shape}; expected ({count}, d), a row for each input.")
    return rows
