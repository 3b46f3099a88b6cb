"""What a family of encoders declares about itself."""

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from likeness.encoders.encoder import Encoder
from likeness.encoders.models.hub_files import HubFiles

PathChange = Callable[[str], str]


class EncoderName(NamedTuple):
    """Parts of an encoder's name: family, and target within it (a folder, a hub id, a model's name)."""

    kind: str
    target: str


@dataclass(frozen=True)
class EncoderFamily:
    """Encoders of one kind.

    Attributes:
        name: the prefix of "PREFIX:TARGET".
        help: one sentence.
        form: form of names, for help and errors: "'timm:MODEL'".
        has_text: embeds texts, too; False: those do of which `reads_text` says so.
        identity: (name, target) -> 16 hex digits that change with the vectors; needs no torch.
        load: (name, target, device) -> the encoder.
        hub_files: target -> files that the encoder needs from the hub, as far as known on this machine.
        claims: name without prefix -> target if it is of the family, else "".
        map_path: (target, change) -> the target, with `change` applied to its path, if any.
        native_size: target -> image size in pixels in the network's configuration; None if not known on this machine.
        precision: default precision for images; None: depends on the device.
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
    reads_text: Callable[[str], bool] = lambda target: False
    precision: str | None = "32"


def looks_like_folder(name: str) -> bool:
    """Whether a name without prefix looks like a path."""
    return name.startswith(("/", "./", "../", "~")) or os.path.isdir(name)  # false if it is not a valid path
