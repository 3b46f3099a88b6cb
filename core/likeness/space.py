"""A Space: a named embedding of images. Map, retrieval, metrics and saliency take one or two of them, never a model."""

import hashlib
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
from numpy.typing import NDArray

from likeness.data.table import ImageTable
from likeness.defaults import ENCODER
from likeness.errors import InputError

if TYPE_CHECKING:
    from PIL.Image import Image

    from likeness.encoders import Failure
    from likeness.notions import Notion
    from likeness.saliency import ImageModel
    from likeness.saliency.image_model import Head
    from likeness.search import IndexedSearch, Neighbours, RawIndex

_UNIT = 1e-6  # how far from 1 the length of a unit row in single precision may be
_ROWS_AT_ONCE = 1 << 14  # vectors may be a memory-mapped file larger than the memory

Vectors = NDArray[np.float32]
EmbedTexts = Callable[[Sequence[str]], Vectors]
EmbedImages = Callable[[Sequence["Path | Image"]], Vectors]


class Transform(Protocol):
    """What makes a notion's space from an encoder's: any estimator of `likeness.notions`."""

    def fit(self, text: Any) -> Any: ...

    def transform(self, images: Any) -> Any: ...


@dataclass(frozen=True)
class Space:
    """A named embedding of the images of one table.

    Attributes:
        name: shown to people.
        table: the n embedded images.
        vectors: (n, d) float32, unit rows; row i belongs to row i of `table`.
        embed_texts: texts -> (m, d) unit rows of the same space, or None where the space has no text side.
        embed_images: new images -> (m, d) unit rows of the same space, or None where there is no model behind it.
        lineage: text from which the vectors follow, where there is one. Vectors computed on another processor differ in their last
            digits; what is stored under a lineage is found there too.
        differentiable: loads the model behind the space, through which `likeness.saliency` sends gradients back to the pixels, or None
            where there is no such model.
        index: of the vectors of the encoder behind the space, where one was built and no more than a linear map lies between.
        linear: (d, m), that map; None where it is the encoder's own space.

    Raises:
        InputError: if `vectors` does not have one finite row per image.
    """

    name: str
    table: ImageTable
    vectors: Vectors
    embed_texts: EmbedTexts | None = None
    embed_images: EmbedImages | None = None
    lineage: str = ""
    differentiable: "Callable[[], ImageModel] | None" = None
    index: "RawIndex | None" = None
    linear: Vectors | None = None

    def __post_init__(self) -> None:
        if self.vectors.ndim != 2 or len(self.vectors) != len(self.table):
            raise InputError(
                f"The space '{self.name}' has vectors of shape {self.vectors.shape} for {len(self.table)} images; give one row per image."
            )
        broken = _first_broken(self.vectors)
        if broken is not None:
            raise InputError(f"The space '{self.name}' has NaN or infinite values, first in row {broken}; embed that image again.")

    @cached_property
    def key(self) -> str:
        """Hash of the lineage, or else of the vectors: equal for equal spaces, whatever their names; for caches."""
        digest = hashlib.sha256(self.lineage.encode())
        for begin in range(0, 0 if self.lineage else len(self.vectors), _ROWS_AT_ONCE):
            digest.update(self.vectors[begin : begin + _ROWS_AT_ONCE].tobytes())
        return digest.hexdigest()[:24]

    @cached_property
    def search(self) -> "IndexedSearch | None":
        """The search through the index, which may be approximate and says so; None without an index."""
        from likeness.search import IndexedSearch

        return None if self.index is None else IndexedSearch(self.vectors, self.index, self.linear)

    def nearest(self, queries: Vectors, k: int, *, exclude: Any = None, allowed: "NDArray[np.bool_] | None" = None) -> "Neighbours":
        """The k images nearest to each of some places (q, d) in this space: by the index where there is one, else by comparing all.

        Args:
            queries: unit rows, as `text_query` and `image_query` give them.
            k: how many.
            exclude: for each query a row that is left out, -1 for none.
            allowed: mask (n,) of the rows that may be found.
        """
        from likeness.search import scan

        if self.search is not None:
            return self.search.nearest(queries, k, exclude=exclude, allowed=allowed)
        return scan(self.vectors, queries, k, exclude=exclude, allowed=allowed)

    def text_query(self, text: str) -> Vectors:
        """The text's place in this space, (1, d).

        Raises:
            InputError: if the space has no text side.
        """
        if self.embed_texts is None:
            raise InputError(f"The space '{self.name}' reads no text; search by image instead.")
        return self.embed_texts([text])

    def image_query(self, image: "Path | bytes", name: str = "") -> Vectors:
        """The place (1, d) of an image from outside, given as a file or as a file's content; `name` stands in messages.

        Raises:
            InputError: if it can't be read as an image, or the space has no model behind it.
        """
        from likeness.io.image_check import opened_image
        from likeness.io.images import read_image, to_rgb

        if self.embed_images is None:
            raise InputError(f"The space '{self.name}' has no model that could read a new image; choose one of its own images instead.")
        picture = read_image(image) if isinstance(image, Path) else to_rgb(opened_image(image, name or "upload"))
        return self.embed_images([picture])


@dataclass(frozen=True)
class EncoderSpace:
    """An encoder's own space and the images that it could not read."""

    space: Space
    encoder: str
    failed: list["Failure"]


def _first_broken(vectors: Vectors) -> int | None:
    """The first row with a value that is not finite."""
    for begin in range(0, len(vectors), _ROWS_AT_ONCE):
        rows = vectors[begin : begin + _ROWS_AT_ONCE]
        # A sum is ten times as fast as a look at each value, and finite only if all are.
        with np.errstate(all="ignore"):
            if np.isfinite(rows.sum()):
                continue
        broken = np.flatnonzero(~np.isfinite(rows).all(axis=1))
        if broken.size:
            return begin + int(broken[0])
    return None


def encoder_space(table: ImageTable, encoder: str = ENCODER, **options: Any) -> EncoderSpace:
    """The space of a pretrained encoder. Images embedded before come from the store, without loading the model.

    Args:
        table: the images; those that can't be read are left out of the space and listed in `failed`.
        encoder: a name that `likeness.encoders.load_encoder` takes.
        options: of `likeness.encoders.embed_images` (progress, should_stop, batch_size ...).

    Raises:
        InputError: unknown encoder, or not one readable image.
    """
    from likeness.encoders import embed_images, embed_texts, load_encoder, reads_text

    embeddings = embed_images(table, encoder, **options)
    if not len(embeddings.rows) and not embeddings.failed:
        raise InputError(f"The embedding of '{table.name}' was stopped before its first image; start it again.")
    if not len(embeddings.rows):
        raise InputError(f"None of the {len(table)} images of '{table.name}' could be read; the first reason: {embeddings.failed[0].reason}")
    readable = table if len(embeddings.rows) == len(table) else ImageTable(table.name, table.root, table.frame.iloc[embeddings.rows])
    space = Space(
        name="Raw encoder",
        table=readable,
        vectors=embeddings.vectors,
        embed_texts=(lambda texts: embed_texts(encoder, list(texts)).vectors) if reads_text(encoder) else None,
        embed_images=lambda images: load_encoder(encoder).encode_images(list(images)),
        lineage=embeddings.lineage,
        differentiable=lambda: _image_model(encoder),
        index=_index(index_folder(table, encoder, options.get("store_dir")), embeddings.vectors),
    )
    return EncoderSpace(space, encoder, embeddings.failed)


def index_folder(table: ImageTable, encoder: str, store_dir: Path | str | None = None) -> Path:
    """Where the index of a table's images by one encoder lies: beside their embeddings, or in the cache where those lie in an object store."""
    from likeness.encoders import encoder_identity, store_folder

    local = None if store_dir is None or "://" in str(store_dir) else Path(store_dir)
    return store_folder(table, encoder_identity(encoder), local) / "index"


def _index(folder: Path, vectors: Vectors) -> "RawIndex | None":
    """The index of these vectors; one of an older state of the images is none."""
    from likeness.search import open_index

    if not folder.is_dir():
        return None
    try:
        return open_index(folder, vectors)
    except InputError:
        return None


def _image_model(encoder: str) -> "ImageModel":
    from likeness.encoders import TowerEncoder, load_encoder
    from likeness.saliency import ImageModel

    loaded = load_encoder(encoder)
    if not isinstance(loaded, TowerEncoder):
        raise InputError(f"The encoder '{encoder}' gives no gradients; choose an open_clip or timm model.")
    return ImageModel(loaded.tower)


@dataclass(frozen=True)
class NotionFit:
    """A notion's space and what its fit took.

    Attributes:
        space: the notion's space.
        estimator: the fitted estimator.
        n_prompts, n_encoded: prompts in all, and those that the text encoder had to read because they were new.
        encode_seconds, fit_seconds, transform_seconds: where the time went.
    """

    space: Space
    estimator: Any
    n_prompts: int
    n_encoded: int
    encode_seconds: float
    fit_seconds: float
    transform_seconds: float

    @property
    def mean_angle(self) -> float:
        """Mean angle between a prompt's embedding and its reconstruction, in degrees (the fitted loss, Eq. 4)."""
        return float(np.degrees(self.estimator.loss_))


def notion_space(base: EncoderSpace, notion: "Notion", estimator: Transform) -> NotionFit:
    """Fits `estimator` on the notion's prompts and applies it to the images of `base` (InDiReCT, sections 3.1 and 3.2).

    Raises:
        InputError: if the encoder of `base` has no text side, or the notion or estimator refuse their input.
    """
    from likeness.encoders import embed_texts

    if base.space.embed_texts is None:
        raise InputError(f"The encoder '{base.encoder}' has no text side, so it can't read prompts; choose a CLIP model.")
    start = time.perf_counter()
    texts = embed_texts(base.encoder, notion.prompts)
    encoded = time.perf_counter()
    estimator.fit(texts.vectors)
    fitted = time.perf_counter()
    space = transformed(base.space, notion.name, estimator, _lineage(base.space, notion, estimator))
    done = time.perf_counter()
    return NotionFit(space, estimator, len(notion.prompts), texts.n_encoded, encoded - start, fitted - encoded, done - fitted)


def _lineage(base: Space, notion: "Notion", estimator: Transform) -> str:
    settings = {name: value for name, value in vars(estimator).items() if isinstance(value, int | float | str) and not name.endswith("_")}
    return repr((base.key, type(estimator).__name__, sorted(settings.items()), notion.prompts))


def transformed(base: Space, name: str, estimator: Transform, lineage: str = "") -> Space:
    """The space `base` seen through a fitted estimator: images and texts alike.

    Rows are scaled to unit length, which not every estimator's are; what the estimator makes zero stays zero. The space is differentiable
    where `base` is and the estimator has `transform_tensor`, a `transform` on tensors that carries gradients.
    """
    texts, images, model = base.embed_texts, base.embed_images, base.differentiable
    through = getattr(estimator, "transform_tensor", None)
    # a notion on top of a notion is not one linear map of the encoder's vectors that the index knows of
    linear = _linear_map(estimator) if base.linear is None else None

    def seen(rows: Vectors) -> Vectors:
        codes: Vectors = np.asarray(estimator.transform(rows), dtype=np.float32)
        lengths = np.sqrt(np.einsum("ij,ij->i", codes, codes))
        if (np.abs(lengths - 1) < _UNIT).sum() + (lengths == 0).sum() == len(lengths):
            return codes
        return np.asarray(codes / np.where(lengths > 0, lengths, 1)[:, None], dtype=np.float32)

    return Space(
        name=name,
        table=base.table,
        vectors=seen(base.vectors),
        embed_texts=(lambda new: seen(texts(new))) if texts else None,
        embed_images=(lambda new: seen(images(new))) if images else None,
        lineage=lineage,
        differentiable=(lambda: model().then(_of_unit_length(through))) if model and through else None,
        index=base.index if linear is not None else None,
        linear=linear,
    )


def _linear_map(estimator: Transform) -> Vectors | None:
    from likeness.notions.projection import LinearProjection

    return np.asarray(estimator.U, np.float32) if isinstance(estimator, LinearProjection) else None


def _of_unit_length(head: "Head") -> "Head":
    from torch.nn.functional import normalize

    return lambda rows: normalize(head(rows), dim=1)
