"""Loads the encoder in the background once the first page stands, so that the first edit or text search need not wait for it."""

import threading

import view


def warm_up() -> None:
    """Begins loading the encoder of the current dataset; at once, and once only."""
    if "view" in view.st.session_state:
        encoder = view.current().base.encoder
        if encoder not in _begun:
            _begun.add(encoder)
            threading.Thread(target=_load, args=(encoder,), daemon=True).start()


_begun: set[str] = set()


def _load(encoder: str) -> None:
    from likeness.encoders import load_encoder
    from likeness.errors import InputError

    try:
        load_encoder(encoder).encode_texts(["a photo"])
    except InputError:
        _begun.discard(encoder)  # whoever needs the encoder meets the same error, where it can be shown
