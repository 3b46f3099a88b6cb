"""Loads the encoder and then UMAP in the background once the first page stands, so that the first edit need not wait for them."""

import threading

import streamlit as st

from shared.view import current_view


def warm_up() -> None:
    """Begins loading the encoder of the current dataset; at once, and once only."""
    if "view" in st.session_state:
        encoder = current_view().base.encoder
        if encoder not in _begun:
            _begun.add(encoder)
            threading.Thread(target=_load, args=(encoder,), daemon=True).start()


_begun: set[str] = set()


def _load(encoder: str) -> None:
    from likeness.encoders import load_encoder
    from likeness.errors import InputError
    from likeness.projection import warm_up as warm_up_layouts

    try:
        load_encoder(encoder).encode_texts(["a photo"])
        warm_up_layouts()
    except InputError:
        _begun.discard(encoder)  # whoever needs the encoder meets the same error, where it can be shown
