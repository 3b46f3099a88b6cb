"""Core calls whose results all sessions share. Keys are ids and settings; arrays are never hashed by Streamlit."""

import streamlit as st

from likeness.data import ImageTable, find_dataset, read_dataset
from likeness.notions import InDiReCT, Notion
from likeness.projection import pca_map
from likeness.search import overlap
from likeness.spaces import EncoderSpace, NotionFit, Space, encoder_space, notion_space


@st.cache_resource(max_entries=16, show_spinner=False)
def base(dataset_id: str) -> EncoderSpace:
    """The encoder's space of a dataset whose embeddings exist; embeds them where they don't."""
    entry = find_dataset(dataset_id)
    return encoder_space(read_dataset(entry.source, path_column=entry.path_column, name=entry.name), entry.encoder)


def table(dataset_id: str) -> ImageTable:
    """The readable images of a dataset: row numbers of everything that is drawn."""
    return base(dataset_id).space.table


@st.cache_resource(max_entries=64, show_spinner=False)
def fit(dataset_id: str, notion: Notion, dim: int = 128, solver: str = "exact", seed: int = 0) -> NotionFit:
    """A notion's space on a dataset."""
    return notion_space(base(dataset_id), notion, InDiReCT(dim=dim, solver=solver, seed=seed))


def pca(space: Space) -> NDArray[np.float32]:
    """PCA map (n, 2) of a space."""
    return _pca(space.key, space)


@st.cache_resource(max_entries=128, show_spinner=False)
def _pca(key: str, _space: Space) -> NDArray[np.float32]:
    return pca_map(_space.vectors)


def agreement(a: Space, b: Space) -> tuple[float, float]:
    """Mean share of common 10 nearest neighbors of two spaces, and what chance would give."""
    return _agreement(a.key, b.key, a, b)


@st.cache_resource(max_entries=128, show_spinner=False)
def _agreement(a_key: str, b_key: str, _a: Space, _b: Space) -> tuple[float, float]:
    return overlap(_a.vectors, _b.vectors, k=10)
