"""Core calls whose results all sessions share. Keys are ids, content hashes and settings; Streamlit never hashes an array."""

import threading
from collections import defaultdict
from collections.abc import Mapping
from contextlib import AbstractContextManager, nullcontext, suppress
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd
import streamlit as st
from numpy.typing import NDArray

from access import resolve_encoder, resolve_entry, store_dir
from likeness.data import ImageTable, find_dataset, list_datasets, read_dataset
from likeness.embedding import embed
from likeness.errors import InputError
from likeness.evaluation import retrieval_metrics
from likeness.notions import InDiReCT, Notion, suggest_dim
from likeness.projection import LayoutJob, load_map, map_key, pca_map, save_map
from likeness.search import expected_overlap, overlap
from likeness.space import Space
from server_settings import server
from shared.bounded import BoundedCache

if TYPE_CHECKING:
    from likeness.training import RunFolder

_KEPT_PCA = 100_000  # images from which on a PCA takes a second and more, so that it is worth a file
_SAMPLE = 1000  # images that the agreement of two spaces is measured on; down to a fifth of them
_COMPARED = 200_000_000  # where the pairs with all others would be more than these


def base(dataset_id: str) -> Space:
    """The encoder's space of a dataset; embeddings come from the store, images that it lacks are embedded.

    Raises:
        InputError: it is not listed any more, or cannot be read.
    """
    find_dataset(dataset_id)
    return _bases().get(dataset_id, lambda: _opened(dataset_id, st.spinner("Opening the images")))


def open_early(dataset_id: str) -> None:
    """Makes the same, where no page waits for it; what is wrong is told by the first page that asks."""
    with suppress(InputError):
        _bases().get(dataset_id, lambda: _opened(dataset_id, nullcontext()))


def _opened(dataset_id: str, shown: AbstractContextManager[None]) -> Space:
    entry = find_dataset(dataset_id)
    with shown:
        table = read_dataset(resolve_entry(entry), path_column=entry.path_column, name=entry.name)
        return embed(table, resolve_encoder(entry.encoder), store_dir=store_dir(entry))


@st.cache_resource(show_spinner=False)
def _bases() -> BoundedCache[Space]:
    return BoundedCache(server().datasets_mb * 1_000_000, lambda base: _held(base))


def _held(space: Space) -> int:
    """Bytes of memory; vectors that are mapped from a file take none that the system could not use otherwise."""
    mapped = isinstance(space.vectors, np.memmap) or isinstance(space.vectors.base, np.memmap)
    return int(space.table.frame.memory_usage(deep=True).sum()) + (0 if mapped else space.vectors.nbytes)


def forget_removed() -> None:
    """Gives up what is kept in memory of datasets that are not listed any more."""
    listed = {entry.id for entry in list_datasets()}
    _bases().drop_where(lambda id: id not in listed)
    _fits().drop_where(lambda key: key[0] not in listed)


def table(dataset_id: str) -> ImageTable:
    """The readable images of a dataset: row numbers of everything that is drawn."""
    return base(dataset_id).table


def fit(dataset_id: str, notion: Notion, dim: int = 128, solver: str = "exact", seed: int = 0) -> Space:
    """A notion's space on a dataset. `dim` is lowered to the encoder's where that has fewer dimensions."""
    size = min(dim, base(dataset_id).vectors.shape[1])
    key = (dataset_id, notion.name, tuple(notion.prompts), size, solver, seed)
    return _fits().get(key, lambda: base(dataset_id).refit(notion, InDiReCT(dim=size, solver=solver, seed=seed)))


@st.cache_resource(show_spinner=False)
def _fits() -> BoundedCache[Space]:
    return BoundedCache(server().fits_mb * 1_000_000, lambda fit: fit.vectors.nbytes)


def suggested_dim(dataset_id: str, notion: Notion) -> int:
    """Dimensions that the prompts alone suggest."""
    return suggest_dim(base(dataset_id).embed_prompts(notion.prompts)[0])


def metrics(dataset_id: str, space: Space, attribute: str) -> dict[str, float]:
    """Retrieval metrics of a space, judged by an attribute."""
    return _metrics(dataset_id, space.key, attribute, space)


@st.cache_resource(max_entries=512, show_spinner=False)
def _metrics(dataset_id: str, key: str, attribute: str, _space: Space) -> dict[str, float]:
    with _judging()[dataset_id]:
        st.session_state.get("any")  # a look at it ends a run whose edit was followed by another one while it waited
        return retrieval_metrics(_space.vectors, _space.table.frame[attribute].astype(str))


@st.cache_resource(show_spinner=False)
def _judging() -> defaultdict[str, threading.Lock]:
    """Of a dataset, one space is judged at a time: several at once would take no less time, and the memory of each."""
    return defaultdict(threading.Lock)


def agreement(a: Space, b: Space) -> tuple[float, float]:
    """Mean share of common 10 nearest neighbors of two spaces, and what chance would give."""
    k = min(10, len(a.table) - 1)
    return _agreement(a.key, b.key, k, a, b), expected_overlap(len(a.table), k)


@st.cache_resource(max_entries=128, show_spinner=False)
def _agreement(a_key: str, b_key: str, k: int, _a: Space, _b: Space) -> float:
    n = len(_a.table)
    rows = np.random.default_rng(0).choice(n, min(n, max(_SAMPLE // 5, min(_SAMPLE, _COMPARED // n))), replace=False)
    return overlap(_a.vectors, _b.vectors, k, rows)


def pca(space: Space) -> NDArray[np.float32]:
    """PCA map (n, 2) of a space."""
    return _pca(space.key, space)


@st.cache_resource(max_entries=128, show_spinner=False)
def _pca(key: str, _space: Space) -> NDArray[np.float32]:
    saved = load_map(map_key(key, "pca"))
    if saved is not None and len(saved) == len(_space.vectors):
        return saved
    positions = pca_map(_space.vectors)
    if len(positions) >= _KEPT_PCA:
        save_map(map_key(key, "pca"), positions)
    return positions


def layout(space: Space, method: str, parameters: Mapping[str, float], near: NDArray[np.float32] | None = None) -> LayoutJob:
    """A map of a space on its way, or from the store; `parameters` are those that are not at the method's default.

    A map that is not stored yet begins at the positions `near`, so that it comes out close to them and sooner.
    """
    return _layout(space.key, method, tuple(sorted(parameters.items())), space, near)


@st.cache_resource(max_entries=64, show_spinner=False)
def _layout(key: str, method: str, parameters: tuple[tuple[str, float], ...], _space: Space, _near: NDArray[np.float32] | None) -> LayoutJob:
    saved = load_map(map_key(key, method, init=None, **dict(parameters))) is not None
    return LayoutJob(_space.vectors, content=key, method=method, init=None if saved else _near, **dict(parameters))


def give_up_layout(space: Space, method: str, parameters: Mapping[str, float]) -> None:
    """Says that a map is no longer wanted, so that it does not hold up the next one; whoever asks again begins it anew."""
    if layout(space, method, parameters).abandon():
        _layout.clear(space.key, method, tuple(sorted(parameters.items())), space, None)


def run_metrics(run: "RunFolder") -> pd.DataFrame:
    """What a run has measured so far; its file is read anew only when it has changed."""
    return _run_metrics(str(run.path), run.metrics_stamp(), run)


@st.cache_resource(max_entries=64, show_spinner=False)
def _run_metrics(path: str, stamp: tuple[int, int], _run: "RunFolder") -> pd.DataFrame:
    return _run.metrics()
