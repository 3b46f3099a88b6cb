"""Preloading: opens the shipped images while the first page loads, then loads the encoder and UMAP."""

import gc
import threading

from likeness.data import SHIPPED_CARS
from parts import cached
from parts.view import current_view
from state import State, state


def open_early() -> None:
    """Starts opening the shipped images, which most visits begin with."""
    threading.Thread(target=cached.open_early, args=(SHIPPED_CARS.id,), daemon=True).start()


def warm_up() -> None:
    """Starts loading, once per process, the encoder of the current dataset, and UMAP if the map needs it."""
    wanted = []
    if State.view.is_set():
        wanted.append(current_view().base.encoder)
    if state.map_settings.get("layout") == _UMAP:
        wanted.append(_UMAP)
    wanted = [name for name in wanted if name not in _begun]
    if wanted:
        _begun.update(wanted)
        later = threading.Timer(_LATER, _load, args=wanted)
        later.daemon = True
        later.start()


_UMAP = "umap"
_begun: set[str] = set()
# Seconds; until then the browser asks for the map and its pictures, and importing torch would keep them waiting.
_LATER = 3.0


def _load(*names: str) -> None:
    import scipy.stats  # noqa: F401  (while torch is half imported, importing it fails in whichever page needs it then)

    from likeness.encoders import load_encoder
    from likeness.errors import InputError
    from likeness.projection import warm_up as warm_up_layouts

    for name in names:
        try:
            warm_up_layouts() if name == _UMAP else load_encoder(name).encode_texts(["a photo"])
        except InputError:
            _begun.discard(name)  # using the encoder raises the same error, where it can be shown
    # exempts the million objects loaded so far from garbage collection, which would pause everyone for 0.3 s
    gc.collect()
    gc.freeze()
