"""`Space`: a named embedding of images. Maps, retrieval, metrics and saliency take Spaces, never models."""

import dataclasses
import hashlib
import time
from collections.abc import Callable, Iterator, Sequence
from copy import deepcopy
from functools import cached_property, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, overload

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from PIL.Image import Image

from likeness.arrays import as_unit_rows, is_torch, row_numbers, row_slices, to_numpy
from likeness.data import ImageTable, has_image_suffix, image_classes, joined_table, label_columns, own_table, picture_html
from likeness.encoder_fingerprint import NOT_CHECKED, check_fingerprint
from likeness.encoder_functions import encoder_functions, mapped_functions
from likeness.encoders import EncoderLike, embed_texts, image_lengths, index_folder, text_warnings
from likeness.errors import InputError
from likeness.io import as_path, foreign_image, name_to_text, read_image, text_to_name, to_rgb, vector_table, write_vector_file

if TYPE_CHECKING:
    from likeness.notions import Composition, Estimator, LearnsFrom, Notion
    from likeness.presence import Presence
    from likeness.saliency import ImageModel
    from likeness.search import Hits, IndexedSearch, IVFIndex, Query

_ROWS_AT_ONCE = 1 << 14  # vectors may be a memory-mapped file larger than the memory
_SHOWN = 12
_SAME = 1e-3  # most by which values of the unit vectors of one image differ, embedded twice
_SAME_PROMPTS = 1e-6  # largest difference of the rows of prompts that are one to an encoder
_ENCODERS: Any = object()  # a function that is not given: the encoder's

Vectors = NDArray[np.float32]
EmbedTexts = Callable[[Sequence[str]], Vectors]
EmbedImages = Callable[[Sequence[Path | Image]], Vectors]


class FitStats(NamedTuple):
    """Cost of a fit, stored as `fit_stats_` of the estimator: prompts, newly encoded prompts, and seconds."""

    n_prompts: int
    n_encoded: int
    fit_seconds: float


class Space:
    """A named embedding of images: of an encoder, a notion on top of it, a trained run, or your own vectors.

    Args:
        vectors: (n, d) NumPy or torch, a row per image. Rows are scaled to unit length; float32 unit rows are not copied, also if memory-mapped.
        images: the n images: an `ImageTable`, a data frame with a column `path`, or a list of paths. None: vectors without images.
        labels: attributes of the rows in addition to those of `images`: an array or list (n,), which becomes the attribute "label", a dict of arrays
            by name, or a data frame. Values are not changed. A pandas index must be 0 to n - 1, or that of the data frame of images.
        name: display name.
        encoder: that made the vectors, as a name that `likeness.encoders.load_encoder` takes or an object: texts and new images can be queries. A
            sample of images is embedded again to check it; if none can be, `table.notes` says so. None: unknown origin.
        embed_texts, embed_images: functions from texts, or new images, to unit rows (m, d) of the same space; by default the encoder's; None: none.
        provenance: text that determines the vectors, if known. Vectors computed on another processor differ in their last digits; results cached
            under a provenance are still found.
        differentiable: loads the model through which `likeness.saliency` propagates gradients to the pixels, or None.
        index: of the encoder's vectors, if built and if the space is a linear map of them.
        linear: (d, m), that map; None for the encoder's own space.
        estimator, base: for a notion's space, its fitted estimator (with `estimator.fit_stats_`), and the space it is derived from.
        store_dir: folder of the images' embeddings and `lengths`; None: in the user's cache.

    Attributes:
        table: the images and attributes, row i belongs to row i of `vectors`; `table.failed` lists images that could not be read.
        vectors: (n, d) float32, unit rows.

    Raises:
        InputError: rows that are not finite or all zeros, or numbers of rows, images and labels that differ; images in memory, or a dataset of
            another library, instead of paths; labels with lists, or with a pandas index of other rows; vectors of another encoder.

    As in NumPy, `space[3]` and iteration give unit vectors (d,), and `numpy.asarray(space)` all of them; `space[3:9]`, `space[rows]` and
    `space[mask]` are Spaces of these rows. `polars.DataFrame(space)` and `pyarrow.table(space)` have paths, attributes and vectors.

    Example:
        >>> import numpy as np, likeness as lk
        >>> space = lk.Space(np.array([[3.0, 0.0], [2.0, 0.1], [0.0, 5.0]]), labels=["a", "a", "b"])
        >>> space
        Space('Vectors', 3 rows, 2-d)
        >>> space.nearest(0, k=2).rows
        array([1, 2])
    """

    def __init__(
        self,
        vectors: Any,
        images: ImageTable | pd.DataFrame | Sequence[str | Path] | None = None,
        labels: Any = None,
        *,
        name: str = "Vectors",
        encoder: EncoderLike | None = None,
        embed_texts: EmbedTexts | None = _ENCODERS,
        embed_images: EmbedImages | None = _ENCODERS,
        provenance: str = "",
        differentiable: "Callable[[], ImageModel] | None" = None,
        index: "IVFIndex | None" = None,
        linear: Vectors | None = None,
        estimator: Any = None,
        base: "Space | None" = None,
        store_dir: Path | str | None = None,
    ) -> None:
        self.name, self.encoder, self.provenance = name, encoder, provenance
        self.embed_texts = None if embed_texts is _ENCODERS else embed_texts
        self.embed_images = None if embed_images is _ENCODERS else embed_images
        self.differentiable = differentiable
        self.index, self.linear, self.estimator, self.base, self.store_dir = index, linear, estimator, base, store_dir
        # an estimator may map an image to zero, and that row must stay; from an encoder it is an error
        self.vectors: Vectors = as_unit_rows(vectors, f"The vectors of '{name}'", zeros=estimator is not None)
        self.table = _table(images, labels, len(self.vectors), name)
        if encoder is not None and embed_texts is _ENCODERS and embed_images is _ENCODERS:
            note = check_fingerprint(self.vectors, self.table, encoder, self.encoder_name)
            self.table = dataclasses.replace(self.table, notes=(*self.table.notes, *note))
            vars(self).update(encoder_functions(encoder))

    def __len__(self) -> int:
        return len(self.vectors)

    def __repr__(self) -> str:
        kind = "images" if self.table.has_images else "rows"
        unchecked = " (not checked)" if any(NOT_CHECKED in note for note in self.table.notes) else ""
        behind = f", encoder '{self.encoder_name}'{unchecked}" if self.encoder else ""
        return f"Space('{self.name}', {len(self):,} {kind}, {self.vectors.shape[1]}-d{behind})"

    def __iter__(self) -> Iterator[Vectors]:
        return iter(self.vectors)

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> NDArray[Any]:
        return np.array(self.vectors, dtype, copy=copy)

    def __arrow_c_stream__(self, requested_schema: Any = None) -> Any:
        return vector_table(self.vectors, self.table.frame, self.about()).__arrow_c_stream__(requested_schema)

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in vars(self).items() if name != "search"}  # that has a thread

    @overload
    def __getitem__(self, rows: int) -> Vectors: ...

    @overload
    def __getitem__(self, rows: "slice | Sequence[int] | Sequence[bool] | NDArray[Any] | pd.Series[Any]") -> "Space": ...

    def __getitem__(self, rows: Any) -> Any:
        places = row_numbers(rows, len(self))
        if not np.ndim(places):
            return self.vectors[places]
        table = dataclasses.replace(self.table, frame=self.table.frame.iloc[places], failed=())
        origin = self.provenance and repr((self.provenance, hashlib.sha256(places.tobytes()).hexdigest()))
        base = self.base and self.base[places]
        return self.replace(vectors=self.vectors[places], images=base.table if base else table, provenance=origin, index=None, base=base)

    def join(self, frame: Any, on: str | None = "path") -> "Space":
        """The space with the columns of a data frame (pandas, polars, Arrow) as further attributes, missing for images that it does not list.

        Args:
            on: the column of both that is compared: "path" (absolute, or as in the table) or an attribute. None: row numbers, the frame's index.

        Raises:
            InputError: no such column, a value that is listed twice, none that is found, or an attribute that exists already.

        Example:
            >>> import numpy as np, pandas as pd, likeness as lk
            >>> space = lk.Space(np.eye(3), labels={"shop": ["a", "b", "a"]})
            >>> space.join(pd.DataFrame({"shop": ["a"], "town": ["Ulm"]}), on="shop").table.frame["town"].tolist()
            ['Ulm', nan, 'Ulm']
        """
        return self.with_table(joined_table(self.table, frame, on))

    def _repr_html_(self) -> str:
        paths = self.table.paths()[:_SHOWN] if self.table.has_images else []
        return picture_html(repr(self), paths, [path.name for path in paths])

    def replace(self, **changes: Any) -> "Space":
        """A copy with changed constructor arguments; `images` must be a table."""
        kept = ("name", "encoder", "embed_texts", "embed_images", "provenance", "differentiable", "index", "linear", "estimator", "base", "store_dir")
        given: dict[str, Any] = {"vectors": self.vectors, "images": self.table} | {each: getattr(self, each) for each in kept}
        return Space(**(given | changes))

    def with_table(self, table: ImageTable) -> "Space":
        """The same vectors, index and fit, with another table of the same rows, such as with new labels, without copies; also for the base of a
        notion's space. Raises InputError if the number of rows differs.
        """
        if len(table) != len(self):
            raise InputError(f"The table has {len(table):,} rows, but '{self.name}' has {len(self):,}; pass a table of the same images.")
        same = Space.__new__(Space)
        vars(same).update(vars(self))
        same.table, same.base = table, None if self.base is None else self.base.with_table(table)
        return same

    @property
    def encoder_name(self) -> str:
        """The encoder's display name; "" without an encoder."""
        return self.encoder if isinstance(self.encoder, str) else "" if self.encoder is None else str(getattr(self.encoder, "name", self.encoder))

    @cached_property
    def key(self) -> str:
        """Cache key: hash of the provenance, or else of the vectors; independent of the name."""
        digest = hashlib.sha256(self.provenance.encode())
        for begin in range(0, 0 if self.provenance else len(self.vectors), _ROWS_AT_ONCE):
            digest.update(self.vectors[begin : begin + _ROWS_AT_ONCE].tobytes())
        return digest.hexdigest()[:24]

    @cached_property
    def lengths(self) -> NDArray[np.float32]:
        """Length (n,) of each image's features before normalization: the encoder's output is `vectors` times these.

        The first call computes and stores them, in one pass over the images (`likeness.encoders.image_lengths`). Raises InputError for vectors
        without an encoder, an encoder that only returns unit vectors, or unreadable images.
        """
        if self.encoder is None or self.base is not None or self.linear is not None:
            raise InputError(f"The vectors of '{self.name}' have unit length and no encoder; embed the images with an encoder.")
        return image_lengths(self.table, self.encoder, store_dir=self.store_dir)

    @cached_property
    def search(self) -> "IndexedSearch | None":
        """The search through the index, which reports if it is approximate; None without an index."""
        return None if self.index is None else self.index.search(self.vectors, self.linear)

    def nearest(self, query: Any, k: int = 10, *, exclude: Any = None, allowed: NDArray[np.bool_] | None = None, ranking: str = "cosine") -> "Hits":
        """The k images nearest to a query, through the index if there is one, else by comparing all. Rows of one image (`one_row_per_image`) are
        returned once, and never for each other.

        Args:
            query: a text; a row number, which is excluded from the results; an image as path or PIL image; a vector (d,); several vectors (q, d); or
                a weighted combination, as a `Query`. A text with an image suffix ("photos/x.jpg") is a path, relative to the current folder or as in
                the table; use `text_query` to force text.
            exclude: a row to exclude for each query; -1 for none.
            allowed: mask (n,) of the rows that may be found.
            ranking: other than by cosines, such as "k-reciprocal" or "alpha-qe:n=5" (`likeness.search.find_ranking`), which gives the similarities.
                No index is used, and several vectors are ranked together.

        Returns:
            Rows and similarities (k,), for several vectors (q, k). For a `Query` the similarities are how well all of its terms hold, from 0 to 1.

        Raises:
            InputError: the space has no text or image side, there is no such row, or no image is left.

        Example:
            >>> import likeness as lk
            >>> space = lk.embed(lk.read("cars"), "cars")
            >>> len(space.nearest(lk.Query([(1, 3), (1, "a red car"), (-0.5, "a car seen from behind")]), k=5).rows)
            5
        """
        from likeness.reasons import reasons
        from likeness.search import Hits, Query, rank, scan

        if isinstance(query, Query) and ranking != "cosine":
            raise InputError(f"A composed query has a ranking of its own; remove '{ranking}'.")
        if isinstance(query, Query):
            return self._nearest_composed(query, k, exclude, allowed)
        if isinstance(query, str) and has_image_suffix(query):
            query = self._path(query)
        if isinstance(query, int | np.integer) and not isinstance(query, bool) and exclude is None:
            exclude = [int(query)]
        places, several = self._places(query)
        if k < 1:
            raise InputError(f"k is {k}; ask for at least 1 image.")
        asked = allowed
        allowed, exclude = self.one_row_per_image(allowed, exclude)
        search: Any = self.search.nearest if self.search is not None else lambda *given, **options: scan(self.vectors, *given, **options)
        search = search if ranking == "cosine" else partial(rank, ranking, self.vectors)
        found = search(places, k, exclude=exclude, allowed=allowed)
        if several:
            return Hits(found.rows, found.similarities, self.table)
        ask = partial(self.presence, query, asked) if isinstance(query, str) else None
        return Hits(found.rows[0], found.similarities[0], self.table, partial(reasons, self, query), ask)

    def presence(self, text: str, allowed: NDArray[np.bool_] | None = None) -> "Presence":
        """Whether any image that is allowed shows a text, in the encoder's own space (`likeness.presence.presence`); raises as `text_query`."""
        from likeness.presence import presence

        base = self.base or self
        base.text_query(text)  # refuses what is none
        assert base.embed_texts is not None
        encoder = getattr(base.embed_texts, "vocabulary_of", base.encoder)  # None where another model reads the text
        return presence(text, base.vectors if allowed is None else base.vectors[allowed], base.embed_texts, encoder)

    def _nearest_composed(self, query: "Query", k: int, exclude: Any, allowed: NDArray[np.bool_] | None) -> "Hits":
        """As `nearest`, for a composed query, through the index if it is approximate; rows among its terms are excluded."""
        from likeness.search import Hits, search_composed

        places = np.vstack([self.place(what) for _, what in query.terms])
        around = None if self.search is None or self.search.exact else partial(self.search.around, allowed=allowed)
        left_out = [*query.rows, *([] if exclude is None else np.atleast_1d(to_numpy(exclude)))]
        allowed, left_out = self.one_row_per_image(allowed, left_out)
        weights = [weight for weight, _ in query.terms]
        found = search_composed(self.vectors, places, weights, k, reference=self._reference, left_out=left_out, allowed=allowed, around=around)
        return Hits(found.rows[0], found.similarities[0], self.table)

    def why(self, a: int, b: int) -> str:
        """What the images of two rows share and in which they differ, in a sentence (`likeness.reasons`); raises InputError as `check_row`.

        Example:
            >>> Space([[1, 0], [0, 1]], labels={"color": ["red", "red"]}).why(0, 1)
            'By labels: same color (red).'
        """
        from likeness.reasons import reasons

        return reasons(self, self.check_row(a), [self.check_row(b)])[0]

    def one_row_per_image(self, allowed: NDArray[np.bool_] | None = None, exclude: Any = None) -> tuple[NDArray[np.bool_] | None, Any]:
        """`allowed` and `exclude` of `nearest`, adjusted to tables with several rows per image (`image_numbers`): only the first allowed row of each
        image is searched. Unchanged if all rows are separate images.
        """
        numbers = self.image_numbers
        if numbers is None:
            return allowed, exclude
        rows = np.arange(len(self)) if allowed is None else np.flatnonzero(allowed)
        chosen = np.full(len(self), -1)
        # assigned from the last to the first, so that the first allowed row of each image wins
        chosen[numbers[rows[::-1]]] = rows[::-1]
        if exclude is not None and len(given := np.atleast_1d(to_numpy(exclude))):
            inside = (given >= 0) & (given < len(self))
            exclude = np.where(inside, chosen[numbers[np.where(inside, given, 0)]], given)
        return np.isin(np.arange(len(self)), chosen), exclude

    @cached_property
    def image_numbers(self) -> NDArray[np.int64] | None:
        """For each row the number (n,) of the first row of the same image; None if all rows are separate images.

        Rows that the table marks as one image but whose vectors differ, such as those of its parts, count as separate images.
        """
        if self.base is not None and self.base.table is self.table:
            return self.base.image_numbers
        named = self.table.repeated_images()
        if named is None:
            return None
        codes, _ = pd.factorize(named)
        _, firsts = np.unique(codes, return_index=True)
        numbers = firsts[codes]
        for part in row_slices(*self.vectors.shape):
            rows = np.arange(len(self))[part]
            gap = np.abs(self.vectors[part] - self.vectors[numbers[part]]).max(axis=1)
            numbers[part] = np.where(gap < _SAME, numbers[part], rows)
        return numbers if (numbers != np.arange(len(self))).any() else None

    def _places(self, query: Any) -> tuple[Vectors, bool]:
        """Unit rows (q, d) of a query, and whether it was several vectors."""
        if isinstance(query, bool | np.bool_):
            raise InputError(f"The query {query} is neither a text, a row, an image nor vectors; pass a row number, such as {int(query)}.")
        if isinstance(query, str):
            return self.text_query(query), False
        if isinstance(query, int | np.integer):
            return self.vectors[[self.check_row(int(query))]], False
        if isinstance(query, Path | bytes | Image):
            return self.image_query(query), False
        rows = np.atleast_2d(to_numpy(query))
        if rows.ndim != 2 or rows.shape[1] != self.vectors.shape[1] or rows.dtype.kind not in "fiu":
            raise InputError(f"The query has shape {rows.shape}; pass a text, a row, an image or vectors of {self.vectors.shape[1]} dimensions.")
        return as_unit_rows(rows, "The queries", zeros=True), to_numpy(query).ndim == 2

    def _path(self, text: str) -> Path:
        """The image file of a path, relative to the current folder or as in the table."""
        tried = [as_path(text), *([self.table.root / text_to_name(text)] if self.table.has_images else [])]
        found = next((path for path in tried if path.is_file()), None)
        if found is None:
            raise InputError(f"There is no image '{text}'; check the path, or pass `space.text_query({text!r})[0]` to search for these words.")
        return found

    def place(self, query: Any) -> Vectors:
        """The query vector (1, d) of one text, row, image or vector (d,); raises as `nearest`, and for several vectors."""
        place, several = self._places(query)
        if several:
            raise InputError(f"{len(place)} vectors were given instead of one; pass them one by one.")
        return place

    @cached_property
    def _reference(self) -> Vectors:
        """Reference rows for the average similarity of images to a query."""
        from likeness.search import reference_rows

        return reference_rows(self.vectors)

    def check_row(self, row: int) -> int:
        """The row itself; raises InputError if the space has no such row."""
        if not 0 <= row < len(self):
            raise InputError(f"There is no image {row}; the last of '{self.table.name}' is {len(self) - 1}.")
        return row

    def text_query(self, text: str) -> Vectors:
        """The query vector (1, d) of a text; raises InputError if the space has no text side, or the text is empty."""
        if self.embed_texts is None:
            raise InputError(f"The space '{self.name}' has no text side; search by image instead.")
        if not text.strip():
            raise InputError("The text is empty; describe what to look for, as in 'a dog on a beach'.")
        return self.embed_texts([text])

    def image_query(self, image: Path | str | bytes | Image, name: str = "") -> Vectors:
        """The query vector (1, d) of a new image: a path, a file's content or a PIL image; `name` is used in messages.

        A file's content is untrusted: it is decoded in a separate process with time and memory limits. Raises InputError for an unreadable image, or
        a space without a model.
        """
        if self.embed_images is None:
            raise InputError(f"The space '{self.name}' has no model to embed a new image; choose one of its own images instead.")
        if isinstance(image, str | Path):
            return self.embed_images([read_image(Path(image))])
        return self.embed_images([foreign_image(image, name or "upload") if isinstance(image, bytes) else to_rgb(image)])

    def refit(
        self, notion: "Notion | Composition", method: "str | type | Estimator" = "exact", *, dim: int | str | None = None, seed: int = 0
    ) -> "Space":
        """The space of a notion: the estimator fitted on the notion's prompts, applied to the images (InDiReCT, sections 3.1 and 3.2).

        Each aspect is one row of the fit: its prompts in several templates are averaged (`embed_aspects`). A notion's space refits its base, so that
        refits do not accumulate.

        Args:
            notion: what "similar" means, or several notions joined: `color + 0.5 * body - background` (`likeness.notions.Composition`).
            method: of `likeness.notions` by name ("exact" is InDiReCT), a class of estimators, or an estimator.
            dim: dimensions of the notion's space. None: the notion's own `dim`, or else the number its prompts suggest; "suggested": always that
                (`likeness.notions.suggest_dim`). The paper uses 128.
            seed: of randomized methods.

        Raises:
            InputError: the space has no text side, the method needs features of any length, the notion or estimator reject their input, or a
                nonlinear method gets a composition.

        Example:
            >>> import likeness as lk
            >>> space = lk.embed(lk.read("cars"), "cars")
            >>> space.refit(lk.Notion("car color", "a {} car", ["red", "green", "blue"]))
            Space('car color', 2,000 images, 3-d, encoder 'cars')
        """
        from likeness.notions import parts_of

        base = self.base or self
        if base.linear is not None:
            raise InputError(f"'{self.name}' was loaded without its base vectors; embed its images again to refit it.")
        parts = parts_of(notion)
        rows = [base.embed_aspects(each) for _, each in parts]
        start = time.perf_counter()
        estimator = base._fitted(parts, [aspects for aspects, _ in rows], method, dim, seed)
        seconds, prompts = time.perf_counter() - start, sum(len(each.prompts) for _, each in parts)
        estimator.fit_stats_ = FitStats(prompts, sum(count for _, count in rows), seconds)
        return base.project(estimator, notion.name, _provenance(base, parts, estimator))

    def _fitted(
        self,
        parts: "Sequence[tuple[float, Notion]]",
        rows: Sequence[Vectors],
        method: "str | type | Estimator",
        dim: int | str | None,
        seed: int,
    ) -> Any:
        """The estimator of a notion or composition (`likeness.notions.Composition.parts`), with the rows of the aspects of each part."""
        from likeness.notions import JoinedProjection

        joined, removed = [], []
        for (weight, notion), aspects in zip(parts, rows, strict=True):
            if weight < 0:
                removed.append((-weight, aspects))
                continue
            estimator, learns_from = _estimator(method, notion, aspects, dim, seed)
            self._check_varies(notion, aspects)
            estimator.fit(*self.fit_material(notion, aspects, learns_from))
            if len(parts) == 1:
                return estimator
            joined.append((weight, deepcopy(estimator)))  # one that is passed is fitted anew for each part
        return JoinedProjection(joined, removed)

    def _check_varies(self, notion: "Notion", aspects: Vectors) -> None:
        """Raises InputError, with the reason from the tokenizer, if all prompts are equal to the encoder."""
        # without an encoder there is no tokenizer that could tell why
        if self.encoder is None or np.abs(aspects - aspects[0]).max() >= _SAME_PROMPTS:
            return
        reasons = " ".join(text_warnings(self.encoder, notion.prompts))
        if reasons:
            raise InputError(f"All prompts of '{notion.name}' are the same to the encoder, so nothing varies. {reasons}")

    def fit_material(self, notion: "Notion", aspects: Vectors, learns_from: "LearnsFrom" = "text", images: Vectors | None = None) -> tuple[Any, ...]:
        """The arguments of a method's `fit`: the rows of a notion's aspects (`embed_aspects`), and if the method uses them the images, all or (m, d)
        others, and the aspects of other shipped notions for such images (`likeness.notions.fitting_notions`), except those with the same label. Saved
        notions are excluded, so that a space does not depend on them.
        """
        material: list[Any] = [aspects]
        if "images" in learns_from:
            material.append(self.vectors if images is None else images)
        if "other notions" in learns_from:
            from likeness.notions import fitting_notions, shipped_folder

            # a notion with the same label would leak the evaluated property into the fit
            fitting = fitting_notions(self.table, self.encoder_name, shipped_folder())
            others = [each for each in fitting if each.name != notion.name and (each.attribute is None or each.attribute != notion.attribute)]
            material.append([self.embed_aspects(each)[0] for each in others])
        return tuple(material)

    def best_aspects(self, notion: "Notion") -> NDArray[np.object_]:
        """Zero-shot labels (n,): the best matching aspect of a notion for each image.

        They are predictions of the encoder, so do not evaluate the encoder with them. For a notion's space, its base is used.

        Raises:
            InputError: the space reads no text.

        Example:
            >>> import likeness as lk
            >>> space = lk.embed(lk.read("cars"), "cars")
            >>> space.best_aspects(lk.Notion("car color", "a {} car", ["red", "green", "blue"])).shape
            (2000,)
        """
        from likeness.notions import best_aspects

        base = self.base or self
        return np.array(notion.aspects, dtype=object)[best_aspects(base.vectors, base.embed_aspects(notion)[0])]

    def embed_aspects(self, notion: "Notion") -> tuple[Vectors, int]:
        """Unit rows (k, d), one per aspect of a notion (`likeness.notions.aspect_rows`), and the number of newly encoded prompts; raises as
        `embed_prompts`.
        """
        from likeness.notions import aspect_rows

        prompts, n_encoded = self.embed_prompts(notion.prompts)
        return aspect_rows(prompts, notion), n_encoded

    def embed_prompts(self, prompts: Sequence[str]) -> tuple[Vectors, int]:
        """Unit rows (m, d) of prompts, and the number of newly encoded ones; raises InputError if the space has no text side."""
        if self.embed_texts is None:
            raise InputError(f"The encoder '{self.encoder_name or self.name}' has no text side for prompts; choose a CLIP model.")
        if self.encoder is None:
            return self.embed_texts(prompts), len(prompts)
        texts = embed_texts(self.encoder, list(prompts))
        return texts.vectors, texts.n_encoded

    def save(self, path: Path | str) -> Path:
        """Writes the space atomically and returns the path: `.parquet` with paths, attributes, vectors and metadata for `likeness.load`; `.npy`: only
        vectors.

        Raises InputError for another suffix, or an attribute called "vector".
        """
        write_vector_file(Path(path), self.vectors, self.table.frame, self.about())
        return Path(path)

    def about(self) -> dict[str, Any]:
        """JSON metadata of a space, from which `likeness.embedding.space_of` rebuilds it."""
        return {
            "name": self.name,
            "table": self.table.name,
            "root": name_to_text(str(self.table.root.resolve())) if self.table.has_images else "",
            "has_images": self.table.has_images,
            "encoder": self.encoder if isinstance(self.encoder, str) else "",
            "provenance": self.provenance,
            "notion": self.base is not None,
            "linear": None if self.linear is None else self.linear.tolist(),
        }

    def metrics(self, by: Any = None, include: Any = None, ranking: str = "cosine") -> dict[str, float]:
        """Retrieval and clustering metrics of the space by labels.

        Args:
            by: an attribute, several to combine, or labels (n,); None: the attribute "label". Rows of one image count once. Images without a label,
                or whose rows have different ones, are ignored; the result "left_out" counts them.
            include: names of metrics, or functions (vectors, labels) -> number; None: the defaults of `likeness.evaluation.metrics`.
            ranking: as in `nearest`.

        Raises:
            InputError: an unknown attribute or metric, or no image has a label.

        Example:
            >>> import numpy as np, likeness as lk
            >>> space = lk.Space(np.array([[1.0, 0.0], [0.9, 0.1], [0.0, 1.0], [0.1, 0.9]]), labels=["a", "a", "b", "b"])
            >>> space.metrics(include=["precision_at_1", "map_at_r"])
            {'precision_at_1': 1.0, 'map_at_r': 1.0}
        """
        from likeness.evaluation import metrics

        chosen = "label" if by is None else by
        named = isinstance(chosen, str) or (len(chosen) != len(self) and all(isinstance(each, str) for each in chosen))
        labels = self._labels(chosen) if named else chosen
        if self.image_numbers is None:
            return metrics(self.vectors, labels, include, distance=ranking)
        rows, differing = self.judged_rows(labels)
        values = to_numpy(labels) if is_torch(labels) else list(labels)
        found = metrics(self.vectors[rows], [values[row] for row in rows], include, distance=ranking)
        return found | ({"left_out": found.get("left_out", 0.0) + differing} if differing else {})

    def _labels(self, attribute: str | Sequence[str]) -> NDArray[Any]:
        """The class of each image (n,) by one or several attributes, or None."""
        classes = image_classes(self.table, attribute)
        labels: NDArray[Any] = classes.labels
        if classes.left_out:
            labels = labels.astype(object)
            labels[classes.labels < 0] = None
        return labels

    def judged_rows(self, labels: Any) -> tuple[NDArray[np.int64], int]:
        """One row per image (`image_numbers`), without images whose rows have different labels, and the number of those.

        Raises InputError if there is not one label per row, or no image is left.
        """
        if len(labels) != len(self):
            raise InputError(f"There are {len(labels)} labels for {len(self)} rows; pass one label per row.")
        if self.image_numbers is None:
            return np.arange(len(self)), 0
        values = pd.Series(to_numpy(labels) if is_torch(labels) else list(labels))
        images = pd.Series(self.image_numbers)
        several = values.groupby(images).transform("nunique") > 1
        # a labeled row stands for its image, if it has one; the sort is stable, so that the first of them does
        labeled_first = values[~several].sort_values(key=pd.isna, kind="stable").index
        rows = images[labeled_first].drop_duplicates().index.sort_values()
        if not len(rows):
            raise InputError(f"Each image of '{self.name}' is listed more than once with different labels; assign one label to each.")
        return rows.to_numpy(), images[several].nunique()

    def map(self, color: Any = None, **settings: Any) -> Any:
        """The app's map of this space as a notebook widget; `settings` as for `likeness.plots.linked_map.show_map`."""
        from likeness.plots.linked_map import show_map

        return show_map(self, color=color, **settings)

    def build_index(self, folder: Path | str | None = None, **options: Any) -> "Space":
        """The same space with a search index, which serves every notion without comparing all images; useful from about 200,000 images on.

        Args:
            folder: to write it to; by default beside the embeddings, where `embed` finds it.
            options: of `likeness.search.build_index`: cells, seed, progress.

        Raises:
            InputError: the space is a notion's, or has no default folder.
        """
        from likeness.search import build_index

        if self.base is not None:
            raise InputError(f"'{self.name}' is a notion's space; build the index of the encoder's space instead.")
        # only embedded images have one: there, an index of other vectors would replace theirs
        place = Path(folder) if folder is not None else index_folder(self.table, self.encoder) if self.encoder and self.provenance else None
        if place is None:
            raise InputError("Vectors of your own have no default folder; pass a folder for the index.")
        return self.replace(index=build_index(self.vectors, place, **options))

    def project(self, estimator: Any, name: str, provenance: str = "") -> "Space":
        """This space mapped by a fitted estimator, for images and texts.

        Rows are normalized, except zeros. The space is differentiable if this one is and the estimator has `transform_tensor`, a differentiable
        `transform` of tensors.
        """
        # a notion on top of a notion is not one linear map of the encoder's vectors that the index knows of
        linear = _linear_map(estimator) if self.linear is None else None

        return Space(
            estimator.transform(self.vectors),
            self.table,
            name=name,
            encoder=self.encoder,
            provenance=provenance,
            index=self.index if linear is not None else None,
            linear=linear,
            estimator=estimator,
            base=self,
            **mapped_functions(self, estimator.transform, getattr(estimator, "transform_tensor", None)),
        )


def _table(images: Any, labels: Any, n: int, name: str) -> ImageTable:
    """The table of n rows."""
    if isinstance(images, ImageTable):
        table = images
    elif images is None:
        table = ImageTable(name, Path(), pd.DataFrame(index=range(n)), has_images=False)
    else:
        table = own_table(images, name)
    if len(table) != n:
        raise InputError(f"The space '{name}' has {n} vectors for {len(table)} images; pass one row per image. {' '.join(table.notes)}".rstrip())
    if labels is None:
        return table
    columns = label_columns(labels, n, images.index if isinstance(images, pd.DataFrame) else None)
    return dataclasses.replace(table, frame=table.frame.assign(**columns))


def _estimator(method: "str | type | Estimator", notion: "Notion", aspects: Vectors, dim: int | str | None, seed: int) -> tuple[Any, "LearnsFrom"]:
    """An estimator from a name or class, with the arguments of its `fit`; an estimator object is used as it is."""
    from likeness.notions import METHODS, named_methods, notion_dim, suggest_dim

    if not isinstance(method, str | type):
        known = next((each for each in METHODS.values() if each.make is type(method)), None)
        return method, known.learns_from if known else "text"
    chosen = named_methods([method])[0]
    if chosen.lengths:
        raise InputError(
            f"The method '{chosen.name}' needs features of any length, but a space has unit vectors; measure it with `likeness evaluate`."
        )
    size = notion_dim(notion, aspects) if dim is None else suggest_dim(aspects) if dim == "suggested" else int(dim)
    return chosen.make(dim=size, seed=seed), chosen.learns_from


def _provenance(base: Space, parts: "Sequence[tuple[float, Notion]]", estimator: Any) -> str:
    """The provenance of a notion's space. For a single notion the format is fixed, because cached maps and neighbors depend on it."""
    if len(parts) == 1 and parts[0][0] > 0:
        return repr((base.key, type(estimator).__name__, sorted(_settings(estimator).items()), parts[0][1].content))
    fitted = [(type(each).__name__, sorted(_settings(each).items())) for each in estimator.estimators]
    return repr((base.key, fitted, [(weight, notion.content) for weight, notion in parts]))


def _settings(estimator: Any) -> dict[str, Any]:
    return {name: value for name, value in vars(estimator).items() if isinstance(value, int | float | str) and not name.endswith("_")}


def _linear_map(estimator: Any) -> Vectors | None:
    from likeness.notions import LinearProjection

    return np.asarray(estimator.U, np.float32) if isinstance(estimator, LinearProjection) else None
