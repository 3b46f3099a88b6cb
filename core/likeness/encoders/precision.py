"""Precision of an encoder's image tower, as a prefix of its name, since another precision gives other vectors.

"bf16:cars" is the encoder "cars" whose network computes in bfloat16, "32:photos" the encoder "photos" in float32 throughout.
"""

from dataclasses import replace
from typing import Any, Literal, get_args

from likeness.encoders.digests import digest
from likeness.encoders.encoder import Encoder
from likeness.encoders.family import EncoderFamily
from likeness.encoders.models.tower import ImageTower
from likeness.errors import InputError

Precision = Literal["32", "bf16"]
PRECISIONS: tuple[Precision, ...] = get_args(Precision)


def split_precision(name: str) -> tuple[Precision | None, str]:
    """The precision prefix of an encoder's name, or None, and the rest of the name."""
    prefix, _, rest = name.partition(":")
    found = next((each for each in PRECISIONS if each == prefix.strip().lower()), None)
    return (found, rest) if found and rest else (None, name)


def with_precision(encoder: Any, precision: str | None) -> Any:
    """An encoder's name with this precision; None: unchanged. InputError: an unknown precision, or an encoder that is not a name."""
    if precision is None:
        return encoder
    if precision not in PRECISIONS:
        raise InputError(f"The precision '{precision}' is unknown; choose from {', '.join(PRECISIONS)}.")
    if not isinstance(encoder, str):
        raise InputError(f"The precision {precision} needs an encoder's name, but {encoder!r} is loaded; pass its name.")
    return f"{precision}:{split_precision(encoder)[1]}"


def family_in_precision(family: EncoderFamily, precision: Precision) -> EncoderFamily:
    """A family whose encoders compute in this precision; the family itself if that is its own."""
    if precision == family.precision:
        return family
    return replace(
        family,
        identity=lambda name, target: digest(precision, family.identity(name, target)),
        load=lambda name, target, device: _in_precision(family.load(name, target, device), precision),
    )


def _in_precision(encoder: Encoder, precision: Precision) -> Encoder:
    """Sets the precision of the tower of a freshly loaded encoder."""
    changed: Any = encoder
    tower = getattr(encoder, "tower", None)
    if not isinstance(tower, ImageTower):
        raise InputError(f"The encoder '{encoder.name}' has no torch network with a choice of precision; remove the precision.")
    tower.precision = precision
    changed.identity = digest(precision, encoder.identity)
    return encoder
