"""From an encoder's name to the encoder."""

import threading
from collections import OrderedDict

from likeness.encoders.encoder import Encoder
from likeness.encoders.names import encoder_identity, parse_name

_KEPT = 2
_loaded: OrderedDict[tuple[str, str, str], Encoder] = OrderedDict()
_loading = threading.Lock()


def load_encoder(name: str, device: str = "auto") -> Encoder:
    """Loads an encoder; the last two are kept, so that asking again costs nothing until the weights change.

    Args:
        name: "cars", "MODEL/PRETRAINED" (as in "ViT-B-32/openai"), "hf-hub:ORG/NAME", "local-dir:FOLDER", "timm:MODEL" or "run:FOLDER" (a run of
            `likeness train`).
        device: "auto" (CUDA, MPS or the processor, the first that is there) or a torch device.

    Raises:
        InputError: if the name is unknown, the folder holds no model, or weights cannot be downloaded.
    """
    with _loading:
        key = (name, encoder_identity(name), device)
        if key not in _loaded:
            encoder = _build(name, device)
            # A download changes a hub model's identity from "not yet here" to its revision.
            key = (name, encoder.identity, device)
            _loaded[key] = encoder
        _loaded.move_to_end(key)
        while len(_loaded) > _KEPT:
            _loaded.popitem(last=False)
        return _loaded[key]


def _build(name: str, device: str) -> Encoder:
    if parse_name(name).kind == "run":
        from likeness.training.runs.run_encoder import RunEncoder  # training builds on encoders; its runs are encoders in turn

        return RunEncoder(name, device)
    if parse_name(name).kind == "timm":
        from likeness.encoders.models.timm_tower import TimmEncoder

        return TimmEncoder(name, device)
    from likeness.encoders.models.clip import ClipEncoder

    return ClipEncoder(name, device)
