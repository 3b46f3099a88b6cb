"""Which network a benchmark trains and how much of it: the fields, and what stands below them on image size and time."""

from dataclasses import dataclass

import streamlit as st

from access import redact, shared_name
from config_access import resolve_backbone
from likeness.encoders import choose_device, remembered_speeds
from likeness.errors import InputError
from likeness.training import encoder_of, native_size
from shared.networks import choose_network, network_of, network_title
from shared.plain import plain
from shared.progress import duration
from shared.view import View

_HEAD, _WHOLE = "Embedding layer", "Whole network"


@dataclass(frozen=True)
class Network:
    """What is trained.

    Attributes:
        name: of the backbone, as visitors write it.
        image_size: side in pixels of the images that it was made for.
        whole: whether all of it is trained, not the embedding layer alone.
        problem: why it cannot be; empty where it can.
    """

    name: str
    image_size: int
    whole: bool
    problem: str = ""

    @property
    def title(self) -> str:
        """What is trained, for the note of a benchmark."""
        return f"{network_title(self.name)}, {'every layer' if self.whole else 'the embedding layer alone'}, on images of {self.image_size} px"


def choose(view: View) -> Network:
    """Draws the fields; first is the network of the encoder that space A comes from."""
    own, size, why = network_of(shared_name(view.a.encoder_name))
    with st.container(horizontal=True, vertical_alignment="bottom"):
        name = choose_network("Network", own, key=f"benchmark_network_{own}", width=340, persist_state="session")
        part = st.segmented_control(
            "Train",
            [_HEAD, _WHOLE],
            default=_HEAD,
            required=True,
            key="benchmark_part",
            persist_state="session",
            help="The embedding layer trains on features that the network computes once. The whole network gains more, and takes far longer.",
        )
    if why:
        st.caption(f"{plain(why)} {plain(network_title(own))} is offered in its place.")
    try:
        return Network(name, size if name == own else native_size(resolve_backbone(name)), part == _WHOLE)
    except InputError as error:
        return Network(name, size, part == _WHOLE, redact(error))


def show_time(network: Network, passes: int) -> None:
    """One quiet line: image size, where it runs, and how long that takes at least where the network's speed was measured here.

    Args:
        network: that is trained.
        passes: of images through it, as `likeness.studies.image_passes`.
    """
    facts = [f"Images of {network.image_size} x {network.image_size} pixels, for which the network was made."]
    facts.append("This machine's GPU is used." if choose_device("auto").type != "cpu" else "There is no GPU here, so the processor is used.")
    speed = remembered_speeds().get(encoder_of(network.name))
    least = f"at least {duration(passes / speed)} at the {_number(speed)} images a second that were measured here" if speed else ""
    if network.whole:
        facts.append(f"All runs together take {least}." if least else "All runs together can take from minutes to days.")
    else:
        facts.append(f"Features are computed once{f', which takes {least}' if least else ''}; then a run takes seconds.")
    st.caption(" ".join(facts))


def _number(speed: float) -> str:
    return f"{speed:,.0f}" if speed >= 10 else f"{speed:.2g}"
