"""Arrays that are worked with but not kept: in memory where they are small, on disk where they are not."""

import tempfile
from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import DTypeLike, NDArray

from likeness.errors import InputError

MOST_IN_MEMORY = 300_000_000  # bytes of one array


def scratch_array(parts: Iterable[NDArray[Any]], shape: tuple[int, ...], dtype: DTypeLike) -> NDArray[Any]:
    """The parts one after the other, as one array of this shape.

    Beyond 300 MB it is mapped from an unnamed file in the folder of temporary files (TMPDIR), so that it takes no memory that the system
    could not use otherwise; the file is gone with the array, or with the process.

    Raises:
        InputError: if there is no room for the file.
    """
    size = int(np.prod(shape)) * np.dtype(dtype).itemsize
    if size <= MOST_IN_MEMORY:
        whole, begin = np.empty(shape, dtype), 0
        for part in parts:
            whole[begin : begin + len(part)] = part
            begin += len(part)
        return whole
    try:
        # written, not mapped and filled: a full disk is an error then, while a page that finds no room kills the process
        with tempfile.TemporaryFile() as file:
            for part in parts:
                file.write(np.ascontiguousarray(part, dtype).data)
            file.flush()
            return np.asarray(np.memmap(file, dtype, "r+", shape=shape))
    except OSError as error:
        room = f"{size / 1e9:.1f} GB of scratch in {tempfile.gettempdir()}"
        raise InputError(f"There is no room for {room} ({error.strerror}); free some, or set TMPDIR to a folder that has it.") from error
