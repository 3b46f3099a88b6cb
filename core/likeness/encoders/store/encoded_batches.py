"""Images through an encoder, batch by batch: the same steps wherever they run."""

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
# How torch says that an allocation failed, on the processor and on a GPU.
_OUT_OF_MEMORY = ("can't allocate memory", "out of memory")
_NO_VECTOR = "the encoder gives no finite vector for it"


@dataclass(frozen=True)
class EncodedBatch:
    """What came of one batch of n images; positions count within the batch.

    Attributes:
        positions: (k,) of those with a vector.
        vectors: (k, d), float32, finite.
        damaged: position and reason of images that give no vector until they change.
        unopened: position and reason of images that could not be opened, which may pass (permissions, a network share, too little memory).
        n_encoded: images that the encoder saw.
        remarks: position of images of whose reading a person should know something, and what.
    """

    n: int
    positions: NDArray[np.int64]
    vectors: Vectors
    damaged: list[tuple[int, str]]
    unopened: list[tuple[int, str]]
    n_encoded: int
    remarks: list[tuple[int, str]] = field(default_factory=list)


class ImageFiles(Sequence[Any]):
    """Where images lie, below `root` or behind URLs where `remote` allows them: items are made when asked for, so that of a million paths few are
    objects.
    """

    def __init__(self, root: Path, paths: Sequence[str], remote: bool) -> None:
        self._root, self._paths, self._remote = root, paths, remote

    def __len__(self) -> int:
        return len(self._paths)

    def __getitem__(self, where: Any) -> Any:
        return [self._file(path) for path in self._paths[where]] if isinstance(where, slice) else self._file(self._paths[where])

    def _file(self, path: str) -> Path | ImageUrl:
        return ImageUrl(path) if self._remote and is_url(path) else self._root / text_to_name(path)


def encoded_batches(files: Sequence[Any], encoder: Encoder, batch_size: int, threads: int | None = None) -> Iterator[EncodedBatch]:
    """Yields batches in order; while the encoder works on one, the next are read and prepared in `threads`. An encoder on a device is given the
    next batch before the rows of the last are fetched, so that it never waits for the program.
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
    """Begins to encode where the encoder can do so ahead; what comes back gives the vectors."""
    if not values:
        return lambda: np.zeros((0, 0), dtype=np.float32)
    if isinstance(encoder, AsyncEncoder):
        return _within_memory(lambda: encoder.encode_later(values), len(values))
    return lambda: encoder.encode_prepared(values) if isinstance(encoder, StagedEncoder) else encoder.encode_images(values)


def _within_memory(work: Callable[[], _T], count: int) -> _T:
    """What the work gives; of what the encoder raises, that there is too little memory becomes an InputError."""
    try:
        return work()
    except (MemoryError, RuntimeError) as error:
        if not isinstance(error, MemoryError) and not any(words in str(error) for words in _OUT_OF_MEMORY):
            raise
        raise InputError(
            f"There is not enough memory now to encode {count} images at once; choose a smaller batch size, or start again when the machine "
            "is less busy (what was finished is kept)."
        ) from error


def _not_opened(error: TransientError | OSError) -> str:
    if isinstance(error, TransientError):
        return error.reason
    cause = transient_reason(error)
    return f"the file cannot be opened ({cause})" if cause else "the file cannot be opened"
