"""Loads encoders by name."""

import copyreg
import threading
from collections.abc import Callable
from functools import lru_cache
from typing import Any

from likeness.encoders.encoder import Encoder
from likeness.encoders.models.hub import fetch_from_hub
from likeness.encoders.models.hub_files import missing_files
from likeness.encoders.names import encoder_family, encoder_identity
from likeness.encoders.objects import EncoderLike, as_encoder
from likeness.progress import Progress

_loading = threading.Lock()


def load_encoder(encoder: EncoderLike, device: str = "auto") -> Encoder:
    """Loads an encoder; the last two are cached until their weights change.

    Args:
        encoder: "cars", "MODEL/PRETRAINED" (as in "ViT-B-32/openai"), "hf-hub:ORG/NAME", "local-dir:FOLDER", "timm:MODEL" or "run:FOLDER" (a run of
            `likeness train`); "bf16:NAME" is one of these whose images are embedded in bfloat16, "32:NAME" in float32; or any object with
            `encode_images`, whose missing parts are added.
        device: "auto" (the first available of CUDA, MPS and CPU) or a torch device; objects are not moved.

    Raises:
        InputError: an unknown name, a folder without a model, or weights that cannot be downloaded.
    """
    if not isinstance(encoder, str):
        return as_encoder(encoder)
    with _loading:
        return _load(encoder, encoder_identity(encoder), device)


@lru_cache(maxsize=2)
def _load(name: str, identity: str, device: str) -> Encoder:
    family, target = encoder_family(name)
    loaded = family.load(name, target, device)
    copyreg.pickle(type(loaded), _by_name)
    return loaded


def _by_name(encoder: Encoder) -> Any:
    """How a loaded encoder is pickled: without its model, which is loaded again."""
    return load_encoder, (encoder.name,)


def download_encoder(name: str, progress: Progress | None = None, should_stop: Callable[[], bool] | None = None) -> bool:
    """Downloads missing files of an encoder into the hub's cache; resumes interrupted downloads.

    Shipped models, folders and runs need no download.

    Args:
        progress, should_stop: called with (bytes done, total bytes), by default a bar on stderr; checked at least every ten seconds.

    Returns True when complete, False after a stop. InputError: an unknown name, or a download that is switched off, refused or interrupted.
    """
    if encoder_is_here(name):
        return True
    family, target = encoder_family(name)
    return fetch_from_hub(name, lambda: family.hub_files(target), progress, should_stop)


def encoder_is_here(name: str) -> bool:
    """Whether an encoder needs no further download. InputError: an unknown name."""
    family, target = encoder_family(name)
    return not missing_files(family.hub_files(target))
