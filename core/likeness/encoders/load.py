"""From an encoder's name to the encoder."""

import threading
from collections import OrderedDict

from likeness.encoders.encoder import Encoder
from likeness.encoders.names import encoder_family, encoder_identity
from likeness.encoders.objects import EncoderLike, as_encoder

_KEPT = 2
_loaded: OrderedDict[tuple[str, str, str], Encoder] = OrderedDict()
_loading = threading.Lock()


def load_encoder(encoder: EncoderLike, device: str = "auto") -> Encoder:
    """Loads an encoder; the last two are kept, so that asking again costs nothing until the weights change.

    Args:
        encoder: "cars", "MODEL/PRETRAINED" (as in "ViT-B-32/openai"), "hf-hub:ORG/NAME", "local-dir:FOLDER", "timm:MODEL" or "run:FOLDER" (a
            run of `likeness train`); or any object with `encode_images`, to which is added what it lacks.
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
