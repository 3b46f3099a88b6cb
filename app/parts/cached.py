"""Results of core functions, cached for all sessions. Spaces and notions are identified by content keys; Streamlit never hashes an array."""

import hashlib
import threading
from collections import OrderedDict, defaultdict
from collections.abc import Callable, Collection, Hashable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext, suppress
from dataclasses import replace
from operator import attrgetter
from typing import TYPE_CHECKING, Any, Generic, TypeVar
from weakref import WeakKeyDictionary

import numpy as np
import pandas as pd
import streamlit as st
from numpy.typing import NDArray

from likeness.data import DatasetEntry, ImageTable, find_dataset, has_label, list_datasets, read_dataset
from likeness.defaults import PHOTO_NOTIONS
from likeness.embedding import embed
from likeness.encoders import CutText, cut_texts as core_cut_texts, unknown_words as words_outside
from likeness.errors import InputError
from likeness.found_notions import found_notions as rank_notions, most_dividing, unnamed_directions as directions_beyond
from likeness.notion_trust import Trust, notion_trust
from likeness.notions import Notion, notion_dim
from likeness.plots.linked_map import cache_by_identity
from likeness.presence import Presence
from likeness.projection import LayoutJob, load_map, map_key, pca_map, save_map
from likeness.search import expected_overlap, overlap
from likeness.space import Space
from server import added_labels, hand_labels
from server.access import resolve_encoder, resolve_entry, store_dir
from server.settings import server

if TYPE_CHECKING:
    from likeness.clicked_notion import Candidate
    from likeness.training import RunFolder

Value = TypeVar("Value")
_STATE = "~"  # in ids
_BY_CONTENT: dict[str | type[Any], Callable[[Any], Any]] = {Space: attrgetter("key"), Notion: lambda notion: (notion.name, tuple(notion.content))}
_BY_ENCODER: dict[str | type[Any], Callable[[Any], Any]] = {Space: lambda space: space.encoder if isinstance(space.encoder, str) else None}
_RUN_FOLDER = "likeness.training.runs.run_folder.RunFolder"  # by its name, since importing it takes half a second
_FEW = 500  # images that are embedded while a page waits
_KEPT_PCA = 100_000  # images from which on a PCA takes a second and more, so that it is worth a file
_KEPT_VERDICTS = 512  # on notions and on texts with images; each takes next to nothing
_SAMPLE = 1000  # images that the agreement of two spaces is measured on; down to a fifth of them
_COMPARED = 200_000_000  # where the pairs with all others would be more than these


class BoundedCache(Generic[Value]):
    """An LRU cache with a size limit.

    The newest result stays whatever its size. Sessions that request the same key at once share one computation.

    Args:
        most_bytes: size limit of all results together.
        size: returns the bytes of a result.
    """

    def __init__(self, most_bytes: int, size: Callable[[Value], int]) -> None:
        self._most, self._size = most_bytes, size
        self._kept: OrderedDict[Hashable, tuple[Value, int]] = OrderedDict()
        self._under_way: dict[Hashable, threading.Lock] = {}
        self._lock = threading.Lock()

    def __contains__(self, key: Hashable) -> bool:
        return key in self._kept

    def __len__(self) -> int:
        return len(self._kept)

    def get(self, key: Hashable, make: Callable[[], Value]) -> Value:
        """Returns the result of this key, computing it if it is not cached."""
        with self._lock:
            own = self._under_way.setdefault(key, threading.Lock())
        with own:
            with self._lock:
                if key in self._kept:
                    self._kept.move_to_end(key)
                    return self._kept[key][0]
            try:
                value = make()
                self.put(key, value)
            finally:
                with self._lock:
                    self._under_way.pop(key, None)
            return value

    def put(self, key: Hashable, value: Value) -> None:
        """Caches a result as the newest, replacing an earlier one of this key."""
        with self._lock:
            self._kept.pop(key, None)
            self._kept[key] = value, self._size(value)
            total = sum(size for _, size in self._kept.values())
            while total > self._most and len(self._kept) > 1:
                _, (_, size) = self._kept.popitem(last=False)
                total -= size

    def drop_where(self, unwanted: Callable[[Any], bool]) -> None:
        """Drops the results whose keys match."""
        with self._lock:
            for key in [key for key in self._kept if unwanted(key)]:
                del self._kept[key]


class TooManyMissingError(InputError):
    """Too many images of a dataset are not embedded yet for a page to wait for them."""


def state_id(dataset_id: str, images: int) -> str:
    """Id of the first images of a dataset that is being embedded; caches treat them as a dataset of their own."""
    return f"{dataset_id}{_STATE}{images}"


def listed_id(dataset_id: str) -> str:
    """The listed id of a dataset or of one of its partial states."""
    return dataset_id.partition(_STATE)[0]


def is_state(dataset_id: str) -> bool:
    """Whether an id names a partial state of a dataset that is being embedded."""
    return _STATE in dataset_id


def entry_of(dataset_id: str) -> DatasetEntry:
    """The catalog entry of a dataset or partial state, under the given id.

    Raises:
        InputError: the dataset is no longer listed.
    """
    return replace(find_dataset(listed_id(dataset_id)), id=dataset_id)


def base(dataset_id: str) -> Space:
    """The encoder's space of a dataset, with the current labels. Embeddings come from the store; a few missing images are embedded now.

    Raises:
        TooManyMissingError: many images must be embedded first.
        InputError: the dataset is no longer listed or cannot be read.
    """
    entry = entry_of(dataset_id)
    return hand_labels.tagged(entry, _bases().get(dataset_id, lambda: _open_base_space(dataset_id, st.spinner("Opening the images"))))


def keep(dataset_id: str, opened: Space) -> None:
    """Caches the space of a dataset or partial state for all sessions."""
    _bases().put(dataset_id, opened)


def drop_states(dataset_id: str, kept: Collection[str]) -> None:
    """Drops the partial states of a dataset, except those to keep."""
    _drop(lambda id: is_state(id) and listed_id(id) == dataset_id and id not in kept)


def forget(dataset_id: str) -> None:
    """Drops a dataset from memory, so that its table is read again; results computed from its vectors stay."""
    _drop(lambda id: listed_id(id) == dataset_id)


def forget_removed() -> None:
    """Drops datasets from memory that are no longer listed."""
    listed = {entry.id for entry in list_datasets()}
    _drop(lambda id: listed_id(id) not in listed)


def _drop(unwanted: Callable[[str], bool]) -> None:
    _bases().drop_where(unwanted)
    _fits().drop_where(lambda key: unwanted(key[0]))


def is_kept(dataset_id: str) -> bool:
    """Whether the space of a dataset or partial state is in memory."""
    return dataset_id in _bases()


def open_early(dataset_id: str) -> None:
    """Opens the same in the background; errors are shown by the first page that opens it."""
    with suppress(InputError):
        _bases().get(dataset_id, lambda: _open_base_space(dataset_id, nullcontext()))


def _open_base_space(dataset_id: str, shown: AbstractContextManager[None]) -> Space:
    if is_state(dataset_id):
        raise InputError("More images have been embedded since. Reload the page.")
    entry = find_dataset(dataset_id)
    missing: list[int] = []  # images that had no embedding at first

    def count(done: int, total: int, stage: str = "") -> None:
        if not missing:
            missing.append(total - done)

    def are_many() -> bool:
        return sum(missing) > _FEW

    with shown:
        table = images_of(entry)
        try:
            opened = embed(table, resolve_encoder(entry.encoder), store_dir=store_dir(entry), progress=count, should_stop=are_many)
        except InputError:
            if not are_many():
                raise
        if are_many():
            what = f"{missing[0]:,} of the {len(table):,} images of '{entry.name}' are not embedded yet"
            raise TooManyMissingError(f"{what}; open them on Explore, which embeds them.")
        return opened


def images_of(entry: DatasetEntry) -> ImageTable:
    """Reads the table of a dataset, with added labels, again."""
    table = read_dataset(resolve_entry(entry), path_column=entry.path_column, name=entry.name, gps=entry.gps)
    return added_labels.attach(entry, table)


@st.cache_resource(show_spinner=False)
def _bases() -> BoundedCache[Space]:
    return BoundedCache(server().datasets_mb * 1_000_000, lambda base: _nbytes(base))


def _nbytes(space: Space) -> int:
    """Bytes of memory; memory-mapped vectors hardly count, since the system can reclaim their memory."""
    mapped = isinstance(space.vectors, np.memmap) or isinstance(space.vectors.base, np.memmap)
    return int(space.table.frame.memory_usage(deep=True).sum()) + (0 if mapped else space.vectors.nbytes)


@cache_by_identity
def with_aspects(base: Space, notion: Notion, column: str) -> pd.DataFrame:
    """The table of a space with a column for the notion's aspect that the encoder matches best with each image."""
    return base.table.frame.assign(**{column: _aspects(base, notion)})


@st.cache_resource(max_entries=16, show_spinner=False, hash_funcs=_BY_CONTENT)
def _aspects(base: Space, notion: Notion) -> "NDArray[np.object_]":
    return base.best_aspects(notion)


@st.cache_data(max_entries=64, show_spinner=False, hash_funcs=_BY_CONTENT)
def first_starter(base: Space, notions: Sequence[Notion]) -> str:
    """Name of the notion that first colors unlabeled images, among notions for images of any kind; "" if none separates them."""
    chosen = most_dividing(base, [notion for notion in notions if notion.dataset in ("", PHOTO_NOTIONS)])
    return chosen.name if chosen else ""


def table(dataset_id: str) -> ImageTable:
    """The readable images of a dataset, which define the row numbers."""
    return base(dataset_id).table


def fit(dataset_id: str, notion: Notion, solver: str = "exact", seed: int = 0) -> Space:
    """A notion's space on a dataset, in the notion's own dimensions or else in as many as its prompts suggest."""
    key = (dataset_id, notion.name, tuple(notion.content), notion.dim, solver, seed)
    now = base(dataset_id)
    return with_table_of(now, _fits().get(key, lambda: now.refit(notion, solver, seed=seed)))


def with_table_of(base: Space, space: Space) -> Space:
    """A space of the images of `base` with their current table; the same object while the table stays the same."""
    if space.table is base.table or len(space) != len(base):
        return space
    before, found = _retabled.get(space, (None, space))
    if before is not base.table:
        found = space.with_table(base.table)
        found.base = base if space.base is not None else None
        _retabled[space] = base.table, found
    return found


_retabled: "WeakKeyDictionary[Space, tuple[ImageTable | None, Space]]" = WeakKeyDictionary()


@st.cache_resource(show_spinner=False)
def _fits() -> BoundedCache[Space]:
    return BoundedCache(server().fits_mb * 1_000_000, lambda fit: fit.vectors.nbytes)


def dim_of(dataset_id: str, notion: Notion) -> int:
    """Dimensions of a notion's space on a dataset: its own, or those that its prompts suggest."""
    return notion_dim(notion, base(dataset_id).embed_aspects(notion)[0])


def presence(base: Space, text: str, hidden: NDArray[np.bool_] | None) -> Presence:
    """Whether any visible image shows a text; see `Space.presence`."""
    return _verdicts().get(_presence_key(base, text, hidden), lambda: base.presence(text, None if hidden is None else ~hidden))  # type: ignore[no-any-return]


def is_presence_known(base: Space, text: str, hidden: NDArray[np.bool_] | None) -> bool:
    """Whether `presence` answers at once."""
    return _presence_key(base, text, hidden) in _verdicts()


def _presence_key(base: Space, text: str, hidden: NDArray[np.bool_] | None) -> Hashable:
    return base.key, text, None if hidden is None else hashlib.sha256(np.packbits(hidden)).digest()


def trust(base: Space, notion: Notion) -> Trust:
    """How reliable a notion is on these images."""
    return _verdicts().get((base.key, tuple(notion.content)), lambda: notion_trust(base, notion))  # type: ignore[no-any-return]


def is_trust_known(base: Space, notion: Notion) -> bool:
    """Whether `trust` answers at once."""
    return (base.key, tuple(notion.content)) in _verdicts()


@st.cache_resource(show_spinner=False)
def _verdicts() -> BoundedCache[Any]:
    return BoundedCache(_KEPT_VERDICTS, lambda verdict: 1)


found_notions = st.cache_data(max_entries=32, show_spinner=False, hash_funcs=_BY_CONTENT)(rank_notions)
unnamed_directions = st.cache_data(max_entries=32, show_spinner=False, hash_funcs=_BY_CONTENT)(directions_beyond)


@st.cache_resource(max_entries=16, show_spinner=False, hash_funcs=_BY_CONTENT)
def candidates(base: Space, notions: Sequence[Notion]) -> "list[Candidate]":
    """Candidate notions for clicks: these notions, and those from shipped word lists."""
    from likeness.clicked_notion import candidates
    from likeness.sentences import word_list_notions

    return candidates(base, [*notions, *word_list_notions(base)])


@st.cache_data(max_entries=256, show_spinner=False, hash_funcs=_BY_ENCODER)
def unknown_words(space: Space, text: str) -> list[str]:
    """Words of a text that the encoder of a space does not know; see `likeness.encoders.unknown_words`."""
    return words_outside(space.encoder, text) if isinstance(space.encoder, str) else []


@st.cache_data(max_entries=256, show_spinner=False, hash_funcs=_BY_ENCODER)
def cut_texts(space: Space, texts: Sequence[str]) -> list[CutText]:
    """Texts that are too long for the encoder of a space; see `likeness.encoders.cut_texts`."""
    return core_cut_texts(space.encoder, texts) if isinstance(space.encoder, str) and space.embed_texts is not None else []


def metrics(dataset_id: str, space: Space, attribute: str) -> dict[str, float]:
    """Retrieval metrics of a space by an attribute, over the images with a label of it (`likeness.data.has_label`).

    Raises:
        InputError: there are too few labels, or no two are equal.
    """
    return _metrics(dataset_id, space, attribute, content_of_column(space.table.frame, attribute))


@st.cache_resource(max_entries=512, show_spinner=False, hash_funcs=_BY_CONTENT)
def _metrics(dataset_id: str, space: Space, attribute: str, content: str) -> dict[str, float]:
    from likeness.evaluation import retrieval_metrics

    with _judging()[dataset_id]:
        st.session_state.get("any")  # ends a run that was superseded by another edit while it waited
        labels = space.table.frame[attribute]
        return retrieval_metrics(space.vectors, labels.astype(str).where(has_label(labels), None))


@cache_by_identity
def content_of_column(frame: pd.DataFrame, attribute: str) -> str:
    """A digest of a column's values: labels change, and results for earlier labels must not be shown."""
    return hashlib.sha256(pd.util.hash_pandas_object(frame[attribute], index=False).to_numpy().tobytes()).hexdigest()[:16]


@cache_by_identity
def content_of_table(frame: pd.DataFrame) -> str:
    """A digest of a whole table, as `content_of_column`."""
    return hashlib.sha256(repr([(name, content_of_column(frame, name)) for name in frame]).encode()).hexdigest()[:16]


@st.cache_resource(show_spinner=False)
def _judging() -> defaultdict[str, threading.Lock]:
    """Lock of a dataset: spaces are evaluated one by one, since several at once would take as long and more memory."""
    return defaultdict(threading.Lock)


@st.cache_resource(max_entries=128, show_spinner=False, hash_funcs=_BY_CONTENT)
def agreement(a: Space, b: Space) -> tuple[float, float]:
    """Mean share of common 10 nearest neighbors of two spaces, and the share expected by chance."""
    n = len(a.table)
    k = min(10, n - 1)
    rows = np.random.default_rng(0).choice(n, min(n, max(_SAMPLE // 5, min(_SAMPLE, _COMPARED // n))), replace=False)
    return overlap(a.vectors, b.vectors, k, rows), expected_overlap(n, k)


@st.cache_resource(max_entries=128, show_spinner=False, hash_funcs=_BY_CONTENT)
def pca(space: Space) -> NDArray[np.float32]:
    """PCA map (n, 2) of a space."""
    saved = load_map(map_key(space.key, "pca"))
    if saved is not None and len(saved) == len(space.vectors):
        return saved
    positions = pca_map(space.vectors)
    if len(positions) >= _KEPT_PCA:
        save_map(map_key(space.key, "pca"), positions)
    return positions


@st.cache_resource(max_entries=64, show_spinner=False, hash_funcs=_BY_CONTENT)
def layout(space: Space, method: str, parameters: Mapping[str, float], _near: NDArray[np.float32] | None = None) -> LayoutJob:
    """The job of a map, or its stored result; `parameters` are those that differ from the method's defaults, in its order.

    A new map starts from the positions `_near`, so that it resembles them and is ready sooner.
    """
    saved = load_map(map_key(space.key, method, init=None, **parameters)) is not None
    return LayoutJob(space.vectors, content=space.key, method=method, init=None if saved else _near, **parameters)


def give_up_layout(space: Space, method: str, parameters: Mapping[str, float]) -> None:
    """Cancels a map that is no longer needed, so that the next one starts; it starts again on request."""
    if layout(space, method, parameters).abandon():
        layout.clear(space, method, parameters)


@st.cache_resource(max_entries=64, show_spinner=False, hash_funcs={_RUN_FOLDER: lambda run: (str(run.path), run.metrics_stamp())})
def run_metrics(run: "RunFolder") -> pd.DataFrame:
    """A run's measurements so far; its file is read again only when it changes."""
    return run.metrics()


@st.cache_resource(max_entries=8, show_spinner="Comparing classes", hash_funcs={_RUN_FOLDER: lambda run: (str(run.path), run.metrics_stamp())})
def run_classes(run: "RunFolder") -> pd.DataFrame:
    """A run's figures by class before and after training. InputError as `query_table`."""
    from likeness.training import query_table

    return query_table(run)
