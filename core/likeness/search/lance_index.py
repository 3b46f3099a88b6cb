"""The cells of an index as a LanceDB table, on a disk or in an object store, beside the attributes that a search may filter by."""

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from likeness.errors import InputError
from likeness.search.neighbours import Neighbours
from likeness.search.notion_view import PROBES, Floats, NotionView, best
from likeness.search.raw_index import RawIndex

if TYPE_CHECKING:
    import pandas as pd

_IMAGES, _CENTERS = "images", "centers"
_OWN = ("row", "cell", "vector")
_PART = 20_000


def write_lance(index: RawIndex, frame: "pd.DataFrame", uri: str | Path) -> None:
    """Writes an index and its images' attributes as tables "images" and "centers" of a LanceDB; those that are there are replaced.

    Args:
        index: of the n images.
        frame: one row for each of the n images; its columns may be filtered by.
        uri: a folder, or an object store ("s3://bucket/folder"); LanceDB takes the keys to it from the environment.

    Raises:
        InputError: lancedb is not installed, a frame of other images, a column named "row", "cell" or "vector", or nothing can be written there.
    """
    import pyarrow as pa

    taken = [name for name in _OWN if name in frame.columns]
    if len(frame) != len(index.rows) or taken:
        what = f"a column '{taken[0]}', which the index uses itself" if taken else f"{len(frame):,} rows for {len(index.rows):,} vectors"
        raise InputError(f"The table of attributes has {what}; give one row per image, other names.")
    schema = pa.schema([("row", pa.int64()), ("cell", pa.int32()), ("vector", pa.list_(pa.float32(), index.vectors.shape[1]))])
    attributes = pa.Table.from_pandas(frame, preserve_index=False)
    try:
        database = _connect(uri)
        mode = "overwrite" if {_IMAGES, _CENTERS} & set(database.list_tables().tables) else "create"
        rows = database.create_table(_IMAGES, _batches(index, attributes, schema), schema=_joined(schema, attributes.schema), mode=mode)
        from lancedb.index import BTree

        rows.create_index("cell", config=BTree())
        centers = pa.record_batch([_vectors(index.centers)], names=["vector"])
        database.create_table(_CENTERS, pa.Table.from_batches([centers]), mode=mode)
    except (OSError, RuntimeError, ValueError) as error:
        raise InputError(f"The index cannot be written to '{uri}' ({_reason(error)}); make room, or check the address and the keys to it.") from error


class LanceIndex:
    """Search in a LanceDB written by `write_lance`: by notion, and by attributes in SQL.

    Cells are chosen as by `NotionSearch`; only the vectors of these cells that meet the filter are fetched, and compared exactly.

    Args:
        uri: where it was written.

    Raises:
        InputError: lancedb is not installed, or no such index there.
    """

    def __init__(self, uri: str | Path) -> None:
        try:
            database = _connect(uri)
            self._images = database.open_table(_IMAGES)
            found = database.open_table(_CENTERS).to_arrow()["vector"].combine_chunks()
        except (OSError, RuntimeError, ValueError, KeyError) as error:
            raise InputError(f"There is no index in '{uri}' ({_reason(error)}); write one with `likeness index --lance`.") from error
        self.centers: Floats = found.flatten().to_numpy().reshape(len(found), -1)

    def nearest(self, queries: Any, k: int, U: Any = None, where: str | None = None, probes: int = PROBES) -> Neighbours:
        """The k most similar images of each query that meet a filter.

        Args:
            queries: (q, m), images or texts in the notion's space.
            k: how many; where the cells hold fewer that meet the filter, all cells are looked through.
            U: (d, m), the notion's linear map; None for the encoder's own space.
            where: a condition in SQL on the attributes, as "car_color = 'red'".
            probes: cells to look through.

        Returns:
            Rows (q, k) and cosines (q, k), nearest first, equal ones by row; -1 and NaN where fewer than k images meet the filter.

        Raises:
            InputError: queries or U that do not fit, k below 1, or a condition that cannot be read.
        """
        view = NotionView(self.centers, U)
        asked = view.checked(queries, k)
        found = Neighbours(np.full((len(asked), k), -1, np.int64), np.full((len(asked), k), np.nan, np.float32))
        for number, (code, order) in enumerate(zip(asked, view.order(asked), strict=True)):
            part = self._fetch(f"cell IN ({', '.join(map(str, order[:probes]))})", where)
            if len(part[0]) < k and probes < len(order):
                part = self._fetch(None, where)
            rows, vectors = part
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
            raise InputError(f"The condition {where!r} cannot be answered ({_reason(error)}); write it in SQL on the table's columns.") from error
        vectors = found["vector"].combine_chunks()
        return found["row"].to_numpy(), vectors.flatten().to_numpy().reshape(len(found), self.centers.shape[1])


def _connect(uri: str | Path) -> Any:
    try:
        import lancedb
    except ImportError as error:
        raise InputError('An index in LanceDB needs the package lancedb; install it with: pip install "likeness[lance]"') from error
    return lancedb.connect(str(uri))


def _batches(index: RawIndex, attributes: Any, schema: Any) -> Iterator[Any]:
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
