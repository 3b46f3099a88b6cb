"""The choice of an encoder: what each is good for and costs. One that is not on this machine is downloaded with the first images."""

import streamlit as st

from likeness.encoders import PUBLISHED, PublishedEncoder, free_space, remembered_speeds
from likeness.io import size_text
from parts.downloads import MEGABYTE
from parts.plain import plain
from server.access import refusal
from server.settings import server

SHIPPED = {
    "photos": "Photos (shipped): works offline; animals, people, things and places of everyday photos",
    "cars": "Small CLIP (shipped): works offline; knows rendered cars and little else",
}
_OTHER = "other"


def choose_encoder(where: str) -> str:
    """Draws the choice and what is to be known of it; the encoder's name, or nothing while none is named.

    Args:
        where: the part of the page, for the widgets' keys.
    """
    offered = [*SHIPPED, *(name for name, each in PUBLISHED.items() if not refusal("download") or each.is_here), _OTHER]
    chosen = st.selectbox("Encoder", offered, format_func=_label, key=f"encoder_{where}", persist_state="session")
    if chosen == _OTHER:
        placeholder = "hf-hub:laion/CLIP-ViT-B-32-laion2B-s34B-b79K or local-dir:models/mine"
        return st.text_input("Encoder's name", key=f"encoder_name_{where}", placeholder=placeholder).strip()
    if chosen in PUBLISHED:
        _facts(PUBLISHED[chosen])
    return chosen


def _label(name: str) -> str:
    if name not in PUBLISHED:
        return SHIPPED.get(name, "Another one, by its name")
    encoder = PUBLISHED[name]
    # a label that changes while it is chosen would lose the choice, so that whether it is here stands elsewhere
    return f"{encoder.title}: {encoder.help[0].lower()}{encoder.help[1:].rstrip('.')} ({size_text(encoder.megabytes * MEGABYTE)})"


def _facts(encoder: PublishedEncoder) -> None:
    """License, input, speed and what is downloaded first, in quiet lines."""
    speed = remembered_speeds().get(encoder.name, 0.0)
    facts = [
        f"License: {encoder.license}",
        f"{encoder.pixels} x {encoder.pixels} pixels",
        "finds images by words" if encoder.has_text else "no search by words",
        *([f"{speed:,.1f} images a second on this machine"] if speed else []),
    ]
    st.caption(" · ".join(facts))
    if not encoder.is_here:
        folder, free = free_space()
        place = "" if server().shared else f" into {plain(str(folder))}"
        size, hub = size_text(encoder.megabytes * MEGABYTE), plain(encoder.repository)
        st.info(f"Not on this machine yet. {size} are downloaded first, from {hub} on the hub{place}; {size_text(free)} are free.")
