"""An index as a LanceDB table, on disk or in an object store, with attributes to filter by."""

from collections.abc import Iterator
from contextlib import nullcontext
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

import numpy as np

from likeness.errors import InputError
from likeness.search.index_folder import replaced_folder, whole_folder
from likeness.search.ivf_index import ENGINE as FILES, IVFIndex
from likeness.search.neighbors import Neighbors, reach
from likeness.search.notion_view import PROBES, Floats, NotionView, best

if TYPE_CHECKING:
    import pandas as pd

_IMAGES, _CENTERS = "images", "centers"
_VERSION = "images_version"
_OWN = ("row", "cell", "vector")
_PART = 20_000
_SPOT_CHECKS = 16


def write_lance(index: IVFIndex, frame: "pd.DataFrame", uri: str | Path) -> None:
    """Writes an index and its images' attributes (n rows, by whose columns one may filter) as tables "images" and "centers" of a LanceDB in a folder
    or an object store ("s3://bucket/folder", keys from the environment); existing ones are replaced.

    Raises InputError if lancedb is not installed, the frame has other images or a column named "row", "cell" or "vector", or writing fails.
    """
    import pyarrow as pa

    taken = [name for name in _OWN if name in frame.columns]
    if len(frame) != len(index.rows) or taken:
        what = f"a column '{taken[0]}', which the index uses itself" if taken else f"{len(frame):,} rows for {len(index.rows):,} vectors"
        raise InputError(f"The table of attributes has {what}; give one row per image, other names.")
    schema = pa.schema([("row", pa.int64()), ("cell", pa.int32()), ("vector", pa.list_(pa.float32(), index.vectors.shape[1]))])
    attributes = pa.Table.from_pandas(frame, preserve_index=False)
    try:
        database = _package().connect(str(uri))
        mode = "overwrite" if {_IMAGES, _CENTERS} & set(database.list_tables().tables) else "create"
        rows = database.create_table(_IMAGES, _batches(index, attributes, schema), schema=_joined(schema, attributes.schema), mode=mode)
        from lancedb.index import BTree

        rows.create_index("cell", config=BTree())
        centers = pa.Table.from_batches([pa.record_batch([_vectors(index.centers)], names=["vector"])])
        # until the centers are there, whoever opens the index takes the images that the centers before belong to
        database.create_table(_CENTERS, centers.replace_schema_metadata({_VERSION: str(rows.version)}), mode=mode)
    except (OSError, RuntimeError, ValueError) as error:
        raise InputError(f"The index cannot be written to '{uri}' ({_reason(error)}); free space, or check the URL and its credentials.") from error


class LanceIndex:
    """Search in a LanceDB written by `write_lance`: by notion, and by attributes in SQL.

    Cells are chosen as by `NotionSearch`; only the vectors of these cells that match the filter are fetched, and compared exactly. Raises InputError
    if lancedb is not installed, or there is no such index.
    """

    def __init__(self, uri: str | Path) -> None:
        lancedb, self._uri = _package(), uri
        if "://" not in str(uri) and not ENGINE.holds(uri):  # LanceDB makes the folder that it opens
            raise InputError(f"There is no index in '{uri}'; write one with `likeness index --lance`.")
        try:
            database = lancedb.connect(str(uri) if "://" in str(uri) else str(whole_folder(Path(uri))))
            self._images = database.open_table(_IMAGES)
            centers = database.open_table(_CENTERS).to_arrow()
            version = (centers.schema.metadata or {}).get(_VERSION.encode())
            if version is not None:
                self._images.checkout(int(version))
            found = centers["vector"].combine_chunks()
        except (OSError, RuntimeError, ValueError, KeyError) as error:
            raise InputError(f"There is no index in '{uri}' ({_reason(error)}); write one with `likeness index --lance`.") from error
        self.centers: Floats = found.flatten().to_numpy().reshape(len(found), -1)

    def __reduce__(self) -> Any:
        return LanceIndex, (self._uri,)  # a connection cannot be pickled

    @property
    def shape(self) -> tuple[int, int]:
        """Images and dimensions."""
        return int(self._images.count_rows()), self.centers.shape[1]

    @property
    def summary(self) -> str:
        """How large it is, in a few words."""
        return f"{self._images.count_rows():,} images, {self.centers.shape[1]} dimensions, {len(self.centers):,} cells"

    def search(self, vectors: Any, U: Any = None) -> "LanceSearch":
        """The search in a space of these vectors (n, m)."""
        if len(vectors) != self._images.count_rows():
            raise InputError(f"The space has {len(vectors):,} images, its index {self._images.count_rows():,}; build the index again.")
        return LanceSearch(self, U)

    def nearest(
        self,
        queries: Any,
        k: int,
        U: Any = None,
        where: str | None = None,
        probes: int = PROBES,
        *,
        exclude: Any = None,
        allowed: Any = None,
    ) -> Neighbors:
        """The k most similar images of each query (q, m), in the space of a notion's linear map U (d, m) or the encoder's own, that meet a filter.

        Args:
            k: number of results; if the cells have fewer that match the filter, all cells are searched.
            where: SQL condition on the attributes, such as "car_color = 'red'".
            exclude, allowed: for each query (q,) a row that is left out, -1 for none, and a mask (n,) of the rows that may be found.

        Returns:
            Rows (q, k) and cosines (q, k), nearest first, equal ones by row; -1 and NaN if fewer than k images match the filter.

        Raises:
            InputError: queries, U, `exclude` or `allowed` that do not fit, k below 1, or a condition that cannot be read.
        """
        view = NotionView(self.centers, U)
        codes = view.checked(queries, k)
        found = Neighbors(np.full((len(codes), k), -1, np.int64), np.full((len(codes), k), np.nan, np.float32))
        within = reach(self.shape[0], len(codes), exclude, allowed)
        for number, (code, order) in enumerate(zip(codes, view.order(codes), strict=True)):
            first = f"cell IN ({', '.join(map(str, order[:probes]))})"
            rows, vectors = _kept(*self._fetch(first, where), int(within.excluded[number]), within.allowed)
            if len(rows) < k and probes < len(order):
                rows, vectors = _kept(*self._fetch(None, where), int(within.excluded[number]), within.allowed)
            if len(rows):
                rows, values = best(rows, vectors @ view.toward(code) / view.codes(vectors)[1], k)
                found.rows[number, : len(rows)], found.similarities[number, : len(rows)] = rows, values
        return found

    def _fetch(self, cells: str | None, where: str | None) -> tuple[Any, Floats]:
        conditions = [condition for condition in (cells, where and f"({where})") if condition]
        try:
            query = self._images.search().select(["row", "vector"]).limit(self._images.count_rows())
            found = (query.where(" AND ".join(conditions)) if conditions else query).to_arrow()
        except (ValueError, RuntimeError) as error:
            raise InputError(f"The condition {where!r} failed ({_reason(error)}); write SQL on the table's columns.") from error
        vectors = found["vector"].combine_chunks()
        return found["row"].to_numpy(), vectors.flatten().to_numpy().reshape(len(found), self.centers.shape[1])


def _kept(rows: Any, vectors: Floats, left_out: int, allowed: Any) -> tuple[Any, Floats]:
    keep = rows != left_out if allowed is None else allowed[rows] & (rows != left_out)
    return rows[keep], vectors[keep]


class LanceSearch:
    """The search in one space through a `LanceIndex`; U as there."""

    exact = False
    message = "Approximate: the nearest cells of the LanceDB index are searched."

    def __init__(self, index: LanceIndex, U: Any = None) -> None:
        self._index, self._U = index, U

    def wait(self) -> "LanceSearch":
        """Returns itself: nothing is measured."""
        return self

    def nearest(self, queries: Any, k: int, *, exclude: Any = None, allowed: Any = None) -> Neighbors:
        """As `LanceIndex.nearest`, with fewer columns if a query has fewer than k results; raises InputError if it has none."""
        count = reach(self._index.shape[0], len(queries), exclude, allowed).count(k)
        return self._index.nearest(queries, count, self._U, exclude=exclude, allowed=allowed)


class LanceEngine:
    """A LanceDB table with the images' attributes to filter by."""

    name = "lance"
    help = "A LanceDB in a folder or an object store, with all attributes; needs the package lancedb."

    def build(self, vectors: Any, place: Path | str, *, frame: "pd.DataFrame | None" = None, **options: Any) -> LanceIndex:
        """Builds files in a temporary folder, then calls `write_lance`; an existing index is replaced."""
        import pandas as pd

        with TemporaryDirectory(prefix="likeness-index-") as folder:
            index = FILES.build(vectors, Path(folder) / "index", **options)
            attributes = pd.DataFrame(index=range(len(index.rows))) if frame is None else frame
            with nullcontext(place) if "://" in str(place) else replaced_folder(Path(place)) as target:
                write_lance(index, attributes, target)
        return LanceIndex(place)

    def holds(self, place: Path | str) -> bool:
        """Whether there is something of such an index in a folder."""
        return (whole_folder(Path(place)) / f"{_IMAGES}.lance").is_dir()

    def open(self, place: Path | str, vectors: Any) -> LanceIndex:
        """The index there; InputError if it has another number of images or dimensions."""
        index = LanceIndex(place)
        fits = index.shape == np.shape(vectors)
        if fits:  # whether a few of the stored vectors are the rows that they say they are
            chosen = np.linspace(0, len(vectors) - 1, min(_SPOT_CHECKS, len(vectors))).astype(int)
            rows, stored = index._fetch(f"row IN ({', '.join(map(str, chosen))})", None)
            fits = len(rows) == len(chosen) and np.array_equal(stored, np.asarray(vectors[rows], np.float32))
        if not fits:
            given = " x ".join(map(str, np.shape(vectors)))
            raise InputError(f"The index in '{place}' belongs to other vectors than these {given}; build it again.")
        return index


ENGINE = LanceEngine()


def _package() -> Any:
    try:
        import lancedb
    except ImportError as error:
        raise InputError('An index in LanceDB needs the package lancedb; install it with: pip install "likeness[lance]"') from error
    return lancedb


def _batches(index: IVFIndex, attributes: Any, schema: Any) -> Iterator[Any]:
    import pyarrow as pa

    cells = np.repeat(np.arange(len(index.centers), dtype=np.int32), np.diff(index.starts))
    for begin in range(0, len(index.rows), _PART):
        part = slice(begin, begin + _PART)
        own = [pa.array(index.rows[part]), pa.array(cells[part]), _vectors(index.vectors[part])]
        beside = attributes.take(pa.array(index.rows[part]))
        columns = [*own, *(column.combine_chunks() for column in beside.columns)]
        yield pa.record_batch(columns, schema=_joined(schema, attributes.schema))


def _joined(schema: Any, other: Any) -> Any:
    import pyarrow as pa

    return pa.schema([*schema, *other.remove_metadata()])


def _vectors(rows: Floats) -> Any:
    import pyarrow as pa

    return pa.FixedSizeListArray.from_arrays(pa.array(np.ascontiguousarray(rows).ravel()), rows.shape[1])


def _reason(error: BaseException) -> str:
    return str(error).strip().splitlines()[0][:200] if str(error).strip() else type(error).__name__
