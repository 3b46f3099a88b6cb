"""Read and write arrays, weights and checkpoints. Nothing in a file is executed; damaged files raise one-sentence errors."""

import hashlib
import io
import json
import warnings
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from likeness.errors import InputError
from likeness.io.confinement import regular_file
from likeness.io.files import sync_folder, write_atomic
from likeness.io.unreadable import TransientError, cause_of, is_transient, reason_of

if TYPE_CHECKING:
    from torch import Tensor

_CHECKSUM = "likeness.sha256"


def read_array(path: Path, *, mapped: bool = False, remedy: str = "save it with numpy.save") -> NDArray[Any]:
    """The array of a .npy file; object arrays, which are pickles, are refused. With `mapped` it is memory-mapped. `remedy` ends the error message.

    Raises:
        TransientError: there is not enough memory now, or another fault that passes.
        InputError: it is not there, damaged, or holds something else.
    """
    with _explained(f"'{path.name}'", "an array", remedy):
        found = np.load(regular_file(path), mmap_mode="r" if mapped else None, allow_pickle=False)
    if not isinstance(found, np.ndarray):
        found.close()
        raise InputError(f"'{path.name}' holds several arrays; save one of them with numpy.save.")
    return found


def mapped_array(path: Path) -> NDArray[Any]:
    """The memory-mapped, read-only array of a .npy file of the cache; raises as `read_array`."""
    return read_array(path, mapped=True, remedy="delete it to compute it again")


def remove_damaged_array(file: Path, dtype: Any, shape: tuple[int, ...]) -> None:
    """Deletes a .npy file of the cache that is truncated, damaged, or of another dtype or shape, so that it is computed again. Raises TransientError
    as `read_array`.
    """
    if not file.is_file():
        return
    try:
        found = read_array(file, mapped=True)
        is_sound = found.dtype == np.dtype(dtype) and found.shape == shape
    except TransientError:
        raise
    except InputError as error:
        is_sound = isinstance(error.__cause__, OSError)  # it is there, and may be another user's
    if not is_sound:
        file.unlink(missing_ok=True)


def read_arrays(content: Path | bytes, names: tuple[str, ...], optional: tuple[str, ...] = ()) -> list[NDArray[Any]]:
    """Arrays of an .npz file by name, followed by the optional ones that exist; object arrays, which are pickles, are refused.

    Raises:
        TransientError: there is not enough memory now, or another fault that passes.
        InputError: it is not there, damaged, or lacks one of them.
    """
    name = content.name if isinstance(content, Path) else "The file"
    with _explained(f"'{name}'", "arrays", "make it anew"):
        arrays = np.load(io.BytesIO(content) if isinstance(content, bytes) else regular_file(content), allow_pickle=False)
        with arrays:
            return [np.asarray(arrays[each]) for each in (*names, *(each for each in optional if each in arrays.files))]


def named_arrays(path: Path) -> dict[str, NDArray[Any]]:
    """All arrays of an .npz file by name; raises as `read_arrays`."""
    with _explained(f"'{path.name}'", "arrays", "save them with numpy.savez"), np.load(regular_file(path), allow_pickle=False) as arrays:
        return {name: arrays[name] for name in arrays.files}


def read_weights(path: Path) -> "dict[str, Tensor]":
    """The tensors of a .safetensors file by name. Files of `write_weights` are verified by checksum.

    Raises:
        TransientError: there is not enough memory now, or another fault that passes.
        InputError: it is not there, damaged, or something else, such as a pickle.
    """
    from safetensors import safe_open

    with _explained(f"'{path.name}'", "safetensors", "give another file"):
        with safe_open(regular_file(path), "pt") as file:
            weights = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118  (no mapping)
            metadata = dict(file.metadata() or {})
        expected = metadata.pop(_CHECKSUM, None)
        if expected is not None and expected != _digest(weights, metadata):
            raise ValueError("it is damaged: wrong checksum")
        return weights


def write_weights(path: Path, weights: "Mapping[str, Tensor]", metadata: Mapping[str, str] | None = None) -> None:
    """Writes tensors as .safetensors, atomically, with a SHA-256 of tensors and metadata in the header, which other readers ignore."""
    from safetensors.torch import save

    plain = {name: value.detach().cpu().contiguous() for name, value in weights.items()}
    texts = dict(metadata or {})
    write_atomic(path, _sorted_metadata(save(plain, texts | {_CHECKSUM: _digest(plain, texts)})))
    sync_folder(path.parent)


def _sorted_metadata(content: bytes) -> bytes:
    """Sorts the metadata of a .safetensors file, because the library writes them in random order and equal weights should be equal files."""
    length = int.from_bytes(content[:8], "little")
    header = json.loads(content[8 : 8 + length])
    header["__metadata__"] = dict(sorted(header["__metadata__"].items()))
    text = json.dumps(header, ensure_ascii=False, separators=(",", ":")).encode()
    text += b" " * (-len(text) % 8)  # the tensors begin at a multiple of eight bytes
    return len(text).to_bytes(8, "little") + text + content[8 + length :]


def _digest(weights: "Mapping[str, Tensor]", metadata: Mapping[str, str]) -> str:
    """Digest of names, dtypes, shapes, content and metadata; older files have no metadata."""
    import torch

    found = hashlib.sha256()
    for name in sorted(weights):
        value = weights[name]
        found.update(f"{name} {value.dtype} {tuple(value.shape)}\n".encode())
        found.update(value.reshape(-1).view(torch.uint8).numpy().data)
    for name in sorted(metadata):
        found.update(json.dumps([name, metadata[name]]).encode())
    return found.hexdigest()


def read_checkpoint(path: Path, **options: Any) -> dict[str, Any]:
    """The state of a run from `torch.save`: tensors, numbers, texts and containers of them; anything that would execute code is refused.

    Raises:
        InputError: it is not there, damaged, or holds something else.
    """
    import torch

    try:
        with warnings.catch_warnings(action="ignore"):  # of pickles, which speak of torch's options
            state = torch.load(regular_file(path), weights_only=True, **options)
    except Exception as error:  # torch's readers raise anything on foreign content
        raise InputError(f"The checkpoint '{path}' cannot be read ({reason_of(error)}); delete it to restart training.") from cause_of(error)
    if not isinstance(state, dict):
        raise InputError(f"The checkpoint '{path}' holds {type(state).__name__}, expected a run's state; delete it to restart training.")
    return state


@contextmanager
def _explained(name: str, kind: str, remedy: str) -> Iterator[None]:
    """Turns whatever readers raise on damaged content into InputError, and passing faults of the machine into TransientError."""
    try:
        yield
    except Exception as error:
        if is_transient(error):
            raise TransientError(name, error) from error
        raise InputError(f"{name} cannot be read as {kind} ({reason_of(error)}); {remedy}.") from cause_of(error)
