"""The fields that say what to compare: notions, methods, dimensions, runs."""

from collections.abc import Sequence
from dataclasses import replace

import streamlit as st

from likeness.notions import METHOD_TITLES, METHODS, Notion, list_notions
from likeness.studies import SUGGESTED, judged_notions
from pages.compare.metric_words import METHODS_HELP, help_list
from pages.compare.request import BASELINE
from shared import drafts, sidebar
from shared.view import View
from visitors import notions_dir

PAPER_DIM = 128


def labeled_notions(view: View) -> dict[str, Notion]:
    """Name -> notion of those that the images have labels for, the edited one first; none with others joined, on which methods are not compared."""
    attributes = view.base.table.attributes
    draft = drafts.current()
    own = {sidebar.DRAFT: replace(draft.notion, name=sidebar.DRAFT)} if draft else {}
    every = own | {notion.name: notion for notion in list_notions(notions_dir())}
    return {name: notion for name, notion in every.items() if notion.attribute in attributes and not notion.joined}


def choose_notions(view: View, key: str) -> list[Notion]:
    """Some of the notions that the images have labels for; the paper's by default where it has some for them."""
    known = labeled_notions(view)
    chosen = st.multiselect(
        "Notions",
        list(known),
        default=[notion.name for notion in judged_notions(view.base.table, folder=notions_dir())],
        format_func=sidebar.readable,
        key=key,
        bind="query-params",
        help="What similar means. Only notions that these images have labels for can be judged.",
    )
    return [known[name] for name in chosen]


def choose_methods(default: Sequence[str], key: str) -> list[str]:
    """Methods beside the raw encoder, which is always there."""
    return st.multiselect(
        "Methods",
        [method for method in METHODS if method != BASELINE],
        default=default,
        format_func=METHOD_TITLES.__getitem__,
        key=key,
        bind="query-params",
        help="The raw encoder is always there, as the baseline.\n\n" + help_list(METHOD_TITLES, METHODS_HELP),
    )


_DIMENSIONS_HELP = (
    "How many numbers describe an image. Each notion's own: those saved with it, or as few as keep 98.5 % of what its prompts say. "
    "The paper takes 128."
)


def choose_dimensions(most: int, key: str) -> list[str]:
    """Numbers of dimensions as typed, or "suggested": each notion's own."""
    return st.multiselect(
        "Dimensions",
        [SUGGESTED, str(min(PAPER_DIM, most))],
        default=[SUGGESTED],
        format_func=lambda dim: "Each notion's own" if dim == SUGGESTED else dim,
        key=key,
        bind="query-params",
        accept_new_options=True,
        width=210,
        help=_DIMENSIONS_HELP,
    )


def choose_dimension(view: View, key: str) -> int | str:
    """One number of dimensions, at most the encoder's, or "suggested": each notion's own."""
    most = view.base.vectors.shape[1]
    chosen = st.number_input("Dimensions", 1, most, None, placeholder="Own", key=key, bind="query-params", width=130, help=_DIMENSIONS_HELP)
    return SUGGESTED if chosen is None else int(chosen)


def choose_runs(default: int, key: str) -> int:
    """How often each method with random choices is run."""
    return int(
        st.number_input(
            "Runs",
            1,
            10,
            default,
            key=key,
            bind="query-params",
            width=120,
            help="How often each method with random choices is run, each time with another seed: mean and standard deviation are shown.",
        )
    )
