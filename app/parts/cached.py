"""Core calls whose results all sessions share. Spaces and notions are told apart by their contents' keys; Streamlit never hashes an array."""

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
_KEPT_TRUSTS = 256  # of notions with images; each takes next to nothing
_SAMPLE = 1000  # images that the agreement of two spaces is measured on; down to a fifth of them
_COMPARED = 200_000_000  # where the pairs with all others would be more than these


class BoundedCache(Generic[Value]):
    """The results last asked for, as many as fit.

    The newest one is kept whatever its size. Two sessions that ask for the same at once wait for one computation.

    Args:
        most_bytes: of all results together.
        size: bytes of one.
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
        """The result of this key, made now where it is not kept."""
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
        """Keeps a result, the newest now, in place of another one of this key."""
        with self._lock:
            self._kept.pop(key, None)
            self._kept[key] = value, self._size(value)
            total = sum(size for _, size in self._kept.values())
            while total > self._most and len(self._kept) > 1:
                _, (_, size) = self._kept.popitem(last=False)
                total -= size

    def drop_where(self, unwanted: Callable[[Any], bool]) -> None:
        """Forgets the results of the keys that this is true of."""
        with self._lock:
            for key in [key for key in self._kept if unwanted(key)]:
                del self._kept[key]


class TooManyMissingError(InputError):
    """So many images of a dataset have no embedding yet that no page should wait for them."""


def state_id(dataset_id: str, images: int) -> str:
    """Id of the first images of a dataset that is being embedded: to all that is kept under an id, they are a dataset of their own."""
    return f"{dataset_id}{_STATE}{images}"


def listed_id(dataset_id: str) -> str:
    """The id under which a dataset is listed, of one of its states, too."""
    return dataset_id.partition(_STATE)[0]


def is_state(dataset_id: str) -> bool:
    """Whether an id is that of some images of a dataset, of which more are being embedded."""
    return _STATE in dataset_id


def entry_of(dataset_id: str) -> DatasetEntry:
    """The entry of a dataset, or of one of its states, under the id given.

    Raises:
        InputError: it is not listed any more.
    """
    return replace(find_dataset(listed_id(dataset_id)), id=dataset_id)


def base(dataset_id: str) -> Space:
    """The encoder's space of a dataset, with what people have said of its images as they last looked; embeddings come from the store, a few images
    that it lacks are embedded.

    Raises:
        TooManyMissingError: many have to be embedded first.
        InputError: it is not listed any more, or cannot be read.
    """
    entry = entry_of(dataset_id)
    return hand_labels.tagged(entry, _bases().get(dataset_id, lambda: _open_base_space(dataset_id, st.spinner("Opening the images"))))


def keep(dataset_id: str, opened: Space) -> None:
    """Keeps the space of a dataset, or of a state of one, for all sessions."""
    _bases().put(dataset_id, opened)


def drop_states(dataset_id: str, kept: Collection[str]) -> None:
    """Gives up the states of a dataset, but those that are to be kept."""
    _drop(lambda id: is_state(id) and listed_id(id) == dataset_id and id not in kept)


def forget(dataset_id: str) -> None:
    """Gives up what is kept in memory of a dataset, so that its table is read again; what was computed from its vectors stays."""
    _drop(lambda id: listed_id(id) == dataset_id)


def forget_removed() -> None:
    """Gives up what is kept in memory of datasets that are not listed any more."""
    listed = {entry.id for entry in list_datasets()}
    _drop(lambda id: listed_id(id) not in listed)


def _drop(unwanted: Callable[[str], bool]) -> None:
    _bases().drop_where(unwanted)
    _fits().drop_where(lambda key: unwanted(key[0]))


def is_kept(dataset_id: str) -> bool:
    """Whether the space of a dataset, or of a state, is in memory."""
    return dataset_id in _bases()


def open_early(dataset_id: str) -> None:
    """Makes the same, where no page waits for it; what is wrong is told by the first page that asks."""
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
    """The table of a dataset, with the labels that people added, read again."""
    table = read_dataset(resolve_entry(entry), path_column=entry.path_column, name=entry.name, gps=entry.gps)
    return added_labels.attach(entry, table)


@st.cache_resource(show_spinner=False)
def _bases() -> BoundedCache[Space]:
    return BoundedCache(server().datasets_mb * 1_000_000, lambda base: _nbytes(base))


def _nbytes(space: Space) -> int:
    """Bytes of memory; vectors that are mapped from a file take none that the system could not use otherwise."""
    mapped = isinstance(space.vectors, np.memmap) or isinstance(space.vectors.base, np.memmap)
    return int(space.table.frame.memory_usage(deep=True).sum()) + (0 if mapped else space.vectors.nbytes)


@cache_by_identity
def with_aspects(base: Space, notion: Notion, column: str) -> pd.DataFrame:
    """The table of a space with a column more: of each image the aspect of a notion that the encoder matches best with it."""
    return base.table.frame.assign(**{column: _aspects(base, notion)})


@st.cache_resource(max_entries=16, show_spinner=False, hash_funcs=_BY_CONTENT)
def _aspects(base: Space, notion: Notion) -> "NDArray[np.object_]":
    return base.best_aspects(notion)


@st.cache_data(max_entries=64, show_spinner=False, hash_funcs=_BY_CONTENT)
def first_starter(base: Space, notions: Sequence[Notion]) -> str:
    """Name of the notion that colors images without labels at first, of those for images of any kind; empty where none divides them."""
    chosen = most_dividing(base, [notion for notion in notions if notion.dataset in ("", PHOTO_NOTIONS)])
    return chosen.name if chosen else ""


def table(dataset_id: str) -> ImageTable:
    """The readable images of a dataset: row numbers of everything that is drawn."""
    return base(dataset_id).table


def fit(dataset_id: str, notion: Notion, solver: str = "exact", seed: int = 0) -> Space:
    """A notion's space on a dataset, in the notion's own dimensions, or where it has none, in as many as its prompts suggest."""
    key = (dataset_id, notion.name, tuple(notion.content), notion.dim, solver, seed)
    now = base(dataset_id)
    return with_table_of(now, _fits().get(key, lambda: now.refit(notion, solver, seed=seed)))


def with_table_of(base: Space, space: Space) -> Space:
    """A space of the images of `base` with the table that these have now, the same object as long as they have it."""
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
    """Dimensions of a notion's space on a dataset; of one without its own, those that its prompts suggest."""
    return notion_dim(notion, base(dataset_id).embed_aspects(notion)[0])


def trust(base: Space, notion: Notion) -> Trust:
    """How far a notion can be relied on with these images."""
    return _trusts().get((base.key, tuple(notion.content)), lambda: notion_trust(base, notion))


def is_trust_known(base: Space, notion: Notion) -> bool:
    """Whether `trust` answers at once."""
    return (base.key, tuple(notion.content)) in _trusts()


@st.cache_resource(show_spinner=False)
def _trusts() -> BoundedCache[Trust]:
    return BoundedCache(_KEPT_TRUSTS, lambda trust: 1)


found_notions = st.cache_data(max_entries=32, show_spinner=False, hash_funcs=_BY_CONTENT)(rank_notions)
unnamed_directions = st.cache_data(max_entries=32, show_spinner=False, hash_funcs=_BY_CONTENT)(directions_beyond)


@st.cache_resource(max_entries=16, show_spinner=False, hash_funcs=_BY_CONTENT)
def candidates(base: Space, notions: Sequence[Notion]) -> "list[Candidate]":
    """What might be meant where a person clicks: these notions, and what the lists that ship say of the images."""
    from likeness.clicked_notion import candidates
    from likeness.sentences import word_list_notions

    return candidates(base, [*notions, *word_list_notions(base)])


@st.cache_data(max_entries=256, show_spinner=False, hash_funcs=_BY_ENCODER)
def unknown_words(space: Space, text: str) -> list[str]:
    """Words of a text that the encoder behind a space cannot tell apart; see `likeness.encoders.unknown_words`."""
    return words_outside(space.encoder, text) if isinstance(space.encoder, str) else []


@st.cache_data(max_entries=256, show_spinner=False, hash_funcs=_BY_ENCODER)
def cut_texts(space: Space, texts: Sequence[str]) -> list[CutText]:
    """Texts that are longer than what the encoder behind a space reads; see `likeness.encoders.cut_texts`."""
    return core_cut_texts(space.encoder, texts) if isinstance(space.encoder, str) and space.embed_texts is not None else []


def metrics(dataset_id: str, space: Space, attribute: str) -> dict[str, float]:
    """Retrieval metrics of a space, judged by an attribute, among the images that have a label of it (`likeness.data.has_label`).

    Raises:
        InputError: these are too few, or no two have the same.
    """
    return _metrics(dataset_id, space, attribute, content_of_column(space.table.frame, attribute))


@st.cache_resource(max_entries=512, show_spinner=False, hash_funcs=_BY_CONTENT)
def _metrics(dataset_id: str, space: Space, attribute: str, content: str) -> dict[str, float]:
    from likeness.evaluation import retrieval_metrics

    with _judging()[dataset_id]:
        st.session_state.get("any")  # a look at it ends a run whose edit was followed by another one while it waited
        labels = space.table.frame[attribute]
        return retrieval_metrics(space.vectors, labels.astype(str).where(has_label(labels), None))


@cache_by_identity
def content_of_column(frame: pd.DataFrame, attribute: str) -> str:
    """A digest of what a column says: people change labels, and what was computed from others is not shown for them."""
    return hashlib.sha256(pd.util.hash_pandas_object(frame[attribute], index=False).to_numpy().tobytes()).hexdigest()[:16]


@cache_by_identity
def content_of_table(frame: pd.DataFrame) -> str:
    """A digest of all that a table says of its images, as `content_of_column`."""
    return hashlib.sha256(repr([(name, content_of_column(frame, name)) for name in frame]).encode()).hexdigest()[:16]


@st.cache_resource(show_spinner=False)
def _judging() -> defaultdict[str, threading.Lock]:
    """Of a dataset, one space is judged at a time: several at once would take no less time, and the memory of each."""
    return defaultdict(threading.Lock)


@st.cache_resource(max_entries=128, show_spinner=False, hash_funcs=_BY_CONTENT)
def agreement(a: Space, b: Space) -> tuple[float, float]:
    """Mean share of common 10 nearest neighbors of two spaces, and what chance would give."""
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
    """A map of a space on its way, or from the store; `parameters` are those that are not at the method's default, in its order.

    A map that is not stored yet begins at the positions `_near`, so that it comes out close to them and sooner.
    """
    saved = load_map(map_key(space.key, method, init=None, **parameters)) is not None
    return LayoutJob(space.vectors, content=space.key, method=method, init=None if saved else _near, **parameters)


def give_up_layout(space: Space, method: str, parameters: Mapping[str, float]) -> None:
    """Says that a map is no longer wanted, so that it does not hold up the next one; whoever asks again starts it again."""
    if layout(space, method, parameters).abandon():
        layout.clear(space, method, parameters)


@st.cache_resource(max_entries=64, show_spinner=False, hash_funcs={_RUN_FOLDER: lambda run: (str(run.path), run.metrics_stamp())})
def run_metrics(run: "RunFolder") -> pd.DataFrame:
    """What a run has measured so far; its file is read again only when it has changed."""
    return run.metrics()
