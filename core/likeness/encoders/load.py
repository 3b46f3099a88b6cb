"""From an encoder's name to the encoder."""

import threading
from collections import OrderedDict
from collections.abc import Callable

from likeness.encoders.encoder import Encoder
from likeness.encoders.models.hub import fetch_from_hub
from likeness.encoders.models.hub_files import missing_files
from likeness.encoders.names import encoder_family, encoder_identity
from likeness.encoders.objects import EncoderLike, as_encoder
from likeness.progress import Progress

_KEPT = 2
_loaded: OrderedDict[tuple[str, str, str], Encoder] = OrderedDict()
_loading = threading.Lock()


def load_encoder(encoder: EncoderLike, device: str = "auto") -> Encoder:
    """Loads an encoder; the last two are kept, so that asking again costs nothing until the weights change.

    Args:
        encoder: "cars", "MODEL/PRETRAINED" (as in "ViT-B-32/openai"), "hf-hub:ORG/NAME", "local-dir:FOLDER", "timm:MODEL" or "run:FOLDER" (a
            run of `likeness train`); "bf16:NAME" is one of these whose images are embedded in bfloat16, "32:NAME" in float32; or any object with
            `encode_images`, to which is added what it lacks.
        device: "auto" (CUDA, MPS or the processor, the first that is there) or a torch device; an object stays where it is.

    Raises:
        InputError: if the name is unknown, the folder holds no model, or weights cannot be downloaded.
    """
    if not isinstance(encoder, str):
        return as_encoder(encoder)
    name = encoder
    with _loading:
        key = (name, encoder_identity(name), device)
        if key not in _loaded:
            family, target = encoder_family(name)
            loaded = family.load(name, target, device)
            # A download changes a hub model's identity from "not yet here" to its revision.
            key = (name, loaded.identity, device)
            _loaded[key] = loaded
        _loaded.move_to_end(key)
        while len(_loaded) > _KEPT:
            _loaded.popitem(last=False)
        return _loaded[key]


def download_encoder(name: str, progress: Progress | None = None, should_stop: Callable[[], bool] | None = None) -> bool:
    """Downloads what an encoder needs into the hub's cache, where it is not there yet; a download that ended before its end goes on.

    What ships, lies in a folder or was trained here needs nothing.

    Args:
        progress, should_stop: called with bytes that are here and in all (by default a bar on stderr); asked at least every ten seconds.

    Returns True once all is here, False after a stop. Raises InputError for an unknown name, or a download that is off, refused or broken off, with
    what to do.
    """
    if encoder_is_here(name):
        return True
    family, target = encoder_family(name)
    return fetch_from_hub(name, lambda: family.hub_files(target), progress, should_stop)


def encoder_is_here(name: str) -> bool:
    """Whether nothing that an encoder needs of the hub is missing on this machine; raises InputError for an unknown name."""
    family, target = encoder_family(name)
    return not missing_files(family.hub_files(target))
