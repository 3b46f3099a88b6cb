"""A bar of chips: what is searched for, pictures and words, each with a sign and a weight; pictures are dropped on it."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import cache
from typing import Any

import streamlit as st

from likeness.plots.linked_map import read_script, read_text

from .message import message

SCRIPTS = ("icons", "query_bar")


@dataclass(frozen=True)
class Chip:
    """label: words, or the name of a picture. picture: its address; empty for words. weight: below 0 for what is taken away."""

    label: str
    picture: str = ""
    weight: float = 1.0


@cache
def _renderer() -> Any:
    return st.components.v2.component("query_bar", html=read_text("query_bar.html"), css=read_text("query_bar.css"), js=read_script(*SCRIPTS))


def query_bar(
    chips: Sequence[Chip], *, key: str, holds_text: bool = False, reads_text: bool = True, on_change: Callable[[Mapping[str, object]], None]
) -> None:
    """Draws the bar.

    holds_text: the one chip is what the field for text holds, so that a button offers to add further words. reads_text: whether words can be added.
    on_change: called before the script reruns with what was done: action "add" with a row that was dropped, "keep" for the words of the field, or
    "remove", "turn" (the sign) or "weigh" (the next weight) with the chip's index. Whoever is connected can send anything.
    """

    def take_in() -> None:
        sent = message(key, "done")
        if isinstance(sent, Mapping):
            on_change(sent)

    data = {"chips": [asdict(chip) for chip in chips], "holds_text": holds_text, "reads_text": reads_text}
    _renderer()(key=key, data=data, on_done_change=take_in)
