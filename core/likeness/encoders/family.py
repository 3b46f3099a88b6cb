"""What a family of encoders declares about itself."""

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from likeness.encoders.encoder import Encoder
from likeness.encoders.models.hub_files import HubFiles

PathChange = Callable[[str], str]


class EncoderName(NamedTuple):
    """A name in its parts: the family's name, and what the family makes of the rest (a folder, a hub id, a model's name)."""

    kind: str
    target: str


@dataclass(frozen=True)
class EncoderFamily:
    """Encoders of one kind.

    Attributes:
        name: the prefix of "PREFIX:TARGET".
        help: one sentence.
        form: of a name, for help and errors: "'timm:MODEL'".
        has_text: whether they embed texts too.
        identity: (name, target) -> 16 hex digits that change whenever the vectors would; needs no torch.
        load: (name, target, device) -> the encoder.
        hub_files: target -> what the encoder needs of the hub, as far as that is known here.
        claims: the target of a name that is one of the family though it has no prefix; empty where it is none.
        map_path: (target, change) -> the target, with `change` of the path in it where it names one.
        native_size: target -> side in pixels of the images that the network was made for, by its configuration; None where that is not known here.
        precision: in which images are encoded unless the name says another; None: in the one that suits the device.
    """

    name: str
    title: str
    help: str
    form: str
    has_text: bool
    identity: Callable[[str, str], str]
    load: Callable[[str, str, str], Encoder]
    hub_files: Callable[[str], Sequence[HubFiles]] = lambda target: ()
    claims: Callable[[str], str] = lambda name: ""
    map_path: Callable[[str, PathChange], str] = lambda target, change: target
    native_size: Callable[[str], int | None] = lambda target: None
    precision: str | None = "32"


def looks_like_folder(name: str) -> bool:
    """Whether a name without prefix is meant as a path."""
    return name.startswith(("/", "./", "../", "~")) or os.path.isdir(name)  # false for what is no path at all
