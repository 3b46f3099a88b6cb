"""Export to a Qdrant collection, on a server or in a folder: a point per image, with the row as id and the attributes as payload."""

import os
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from likeness.errors import InputError
from likeness.exports.lancedb_table import check_place
from likeness.exports.material import MOST_PART_ROWS, Material, Part
from likeness.exports.places import is_address, shown
from likeness.exports.plain_columns import plain_values
from likeness.exports.stores import answers, chosen_name, missing_client, store_writer, vector_file
from likeness.exports.target import Target
from likeness.io import VectorFile, as_path

_KEY = "QDRANT_API_KEY"
_READ_AT_ONCE = 1_000


class QdrantCollection:
    """A named collection, as a `likeness.exports.stores.Store`."""

    def __init__(self, client: Any, name: str, material: Material | None = None) -> None:
        self._client, self._name = client, name

    def about(self) -> dict[str, Any] | None:
        if not self._client.collection_exists(self._name):
            return None
        return collection_about(self._client, self._name)

    def create(self, material: Material) -> None:
        from qdrant_client.models import Distance, VectorParams

        size = VectorParams(size=material.dim, distance=Distance.COSINE)
        self._client.create_collection(self._name, vectors_config=size, metadata={"likeness": material.about})

    def count(self) -> int:
        """The number of leading rows certainly stored: after an interruption a server's shards may have only some points of the last chunk."""
        found, whole = int(self._client.count(self._name, exact=True).count), (self.about() or {}).get("rows")
        return found if isinstance(whole, int) and found >= whole else max(0, found - MOST_PART_ROWS)

    def add(self, part: Part) -> None:
        from qdrant_client.models import PointStruct

        columns = {str(name): plain_values(part.frame[name]) for name in part.frame}
        points = [
            PointStruct(id=part.begin + row, vector=vector.tolist(), payload={name: values[row] for name, values in columns.items()})
            for row, vector in enumerate(part.vectors)
        ]
        self._client.upsert(self._name, points, wait=True)


def read_qdrant(place: str, name: str | None = None) -> VectorFile:
    """Reads the vectors and payloads of any collection with one vector per point."""
    if not is_address(place) and not (as_path(place) / "meta.json").is_file():
        raise InputError(f"There is no Qdrant database in '{place}'; pass its folder or the URL of a server.")
    found: list[Any] = []
    with _client(place) as client:
        chosen = chosen_name([each.name for each in client.get_collections().collections], name, place)
        about, offset = collection_about(client, chosen), None
        while True:
            points, offset = client.scroll(chosen, limit=_READ_AT_ONCE, offset=offset, with_vectors=True)
            found += points
            if offset is None:
                break
    if any(not isinstance(point.vector, list) or not point.vector or isinstance(point.vector[0], list) for point in found):
        raise InputError(f"The points of '{chosen}' in {shown(place)} have no or several vectors; only one vector per point is supported.")
    rows = [int(point.id) for point in found] if about else list(range(len(found)))
    names = dict.fromkeys(name for point in found for name in point.payload or {})
    columns = {name: [(point.payload or {}).get(name) for point in found] for name in names}
    return vector_file(rows, [point.vector for point in found], columns, about, place)


def collection_about(client: Any, name: str) -> dict[str, Any]:
    """The metadata that an export stored in a collection; {} for foreign ones."""
    metadata = getattr(client.get_collection(name).config, "metadata", None) or {}
    about = metadata.get("likeness")
    return about if isinstance(about, dict) else {}


@contextmanager
def _client(place: str) -> Iterator[Any]:
    """A client, closed at the end of the block, whose errors become InputError."""
    try:
        from qdrant_client import QdrantClient
        from qdrant_client.http.exceptions import ApiException
    except ImportError as error:
        raise missing_client("Qdrant", "qdrant-client", "qdrant", error) from error
    folder = None if is_address(place) else as_path(place)
    if folder is not None and folder.exists() and not folder.is_dir():
        raise InputError(f"'{place}' is not a folder; pass a folder for Qdrant's files, or the URL of a server.")
    if folder is not None and folder.is_dir() and any(folder.iterdir()) and not (folder / "meta.json").is_file():
        raise InputError(f"'{place}' exists already and is not a Qdrant database; choose a new folder.")
    with warnings.catch_warnings(), answers(place, "Qdrant at", ApiException, RuntimeError, ValueError, OSError):
        warnings.simplefilter("ignore")  # on how many points a folder should hold, and on keys over http
        if folder is None:
            client = QdrantClient(url=place, api_key=os.environ.get(_KEY), check_compatibility=False)
        else:
            client = QdrantClient(path=str(folder))
        try:
            yield client
        finally:
            client.close()


# A collection with cosine distances, in a folder or at the address of a server, whose key stands in the variable QDRANT_API_KEY. In a folder Qdrant's
# client keeps all points in memory as long as it is open; beyond some 20,000 points a server is the better place.
_WRITE = store_writer("A collection of Qdrant, on a server or in a folder, with the attributes as payload.", _client, QdrantCollection)
TARGET = Target("qdrant", "Qdrant", "vectors", _WRITE, ("name", "resume"), read=read_qdrant, check_address=check_place)
