"""Encodes images batch by batch, with the same steps in every engine."""

from collections import deque
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from likeness.data import is_url
from likeness.encoders.encoder import AsyncEncoder, Encoder, StagedEncoder, Vectors
from likeness.encoders.store.pipeline import ImageUrl, PreparedBatch, prepared_batches
from likeness.errors import InputError
from likeness.io import TransientError, UnreadableImageError, text_to_name, transient_reason

_T = TypeVar("_T")
# torch's messages for failed allocations, on the CPU and on a GPU
_OUT_OF_MEMORY = ("can't allocate memory", "out of memory")
_NO_VECTOR = "the encoder returns no finite vector for it"


@dataclass(frozen=True)
class EncodedBatch:
    """Result of a batch of n images; positions are within the batch.

    Attributes:
        positions: (k,) positions with a vector.
        vectors: (k, d), float32, finite.
        damaged: position and reason of images without a vector until they change.
        unopened: position and reason of images that could not be opened, possibly temporarily (permissions, a network share, too little memory).
        n_encoded: number of encoded images.
        remarks: notes on the reading of images, by position.
    """

    n: int
    positions: NDArray[np.int64]
    vectors: Vectors
    damaged: list[tuple[int, str]]
    unopened: list[tuple[int, str]]
    n_encoded: int
    remarks: list[tuple[int, str]] = field(default_factory=list)


class ImageFiles(Sequence[Any]):
    """Images below `root` or, if `remote`, behind URLs. Items are created on access, so that a million paths need few objects."""

    def __init__(self, root: Path, paths: Sequence[str], remote: bool) -> None:
        self._root, self._paths, self._remote = root, paths, remote

    def __len__(self) -> int:
        return len(self._paths)

    def __getitem__(self, where: Any) -> Any:
        return [self._file(path) for path in self._paths[where]] if isinstance(where, slice) else self._file(self._paths[where])

    def _file(self, path: str) -> Path | ImageUrl:
        return ImageUrl(path) if self._remote and is_url(path) else self._root / text_to_name(path)


def encoded_batches(files: Sequence[Any], encoder: Encoder, batch_size: int, threads: int | None = None) -> Iterator[EncodedBatch]:
    """Yields batches in order; while the encoder works on one, `threads` read and prepare the next. An asynchronous encoder gets the next batch
    before the rows of the last are fetched, so that it never waits.
    """
    prepare: Callable[[Image.Image], Any] = encoder.prepare if isinstance(encoder, StagedEncoder) else lambda image: image
    ahead = encoder.batches_ahead if isinstance(encoder, AsyncEncoder) else 0
    begun: deque[Callable[[], EncodedBatch]] = deque()
    start = 0
    for batch in prepared_batches(files, prepare, batch_size, threads, getattr(encoder, "least_side", None)):
        n = min(batch_size, len(files) - start)
        begun.append(partial(_encoded, _begin(encoder, batch.values), batch, start, n))
        start += n
        if len(begun) > ahead:
            yield begun.popleft()()
    while begun:
        yield begun.popleft()()


def _encoded(fetch: Callable[[], Vectors], batch: PreparedBatch, start: int, n: int) -> EncodedBatch:
    positions, vectors = np.array(batch.positions, dtype=np.int64) - start, np.asarray(_within_memory(fetch, len(batch.values)), dtype=np.float32)
    finite = np.isfinite(vectors).all(axis=1)
    damaged = [(int(position), _NO_VECTOR) for position in positions[~finite]]
    unopened = []
    for position, error in batch.errors:
        if isinstance(error, UnreadableImageError):
            damaged.append((position - start, error.reason))
        else:
            unopened.append((position - start, _not_opened(error)))
    remarks = [(position - start, remark) for position, remark in batch.remarks]
    return EncodedBatch(n, positions[finite], vectors[finite], damaged, unopened, len(batch.values), remarks)


def _begin(encoder: Encoder, values: list[Any]) -> Callable[[], Vectors]:
    """Starts to encode, if the encoder is asynchronous, and returns a function for the vectors."""
    if not values:
        return lambda: np.zeros((0, 0), dtype=np.float32)
    if isinstance(encoder, AsyncEncoder):
        return _within_memory(lambda: encoder.encode_later(values), len(values))
    return lambda: encoder.encode_prepared(values) if isinstance(encoder, StagedEncoder) else encoder.encode_images(values)


def _within_memory(work: Callable[[], _T], count: int) -> _T:
    """Calls `work`; the encoder's out-of-memory errors become an InputError."""
    try:
        return work()
    except (MemoryError, RuntimeError) as error:
        if not isinstance(error, MemoryError) and not any(words in str(error) for words in _OUT_OF_MEMORY):
            raise
        raise InputError(
            f"There is not enough memory to encode {count} images at once; choose a smaller batch size, or start again when the machine is "
            "less busy (finished images are kept)."
        ) from error


def _not_opened(error: TransientError | OSError) -> str:
    if isinstance(error, TransientError):
        return error.reason
    cause = transient_reason(error)
    return f"the file cannot be opened ({cause})" if cause else "the file cannot be opened"
