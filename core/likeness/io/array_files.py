"""Arrays, weights and checkpoints as files: read without ever running what they hold, and answered with one sentence where they are damaged."""

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
    """The array of a .npy file; arrays of objects, which are pickles, are refused. Where `mapped`, it stays on disk and is read as it is used; the
    remedy is for whoever gave the file.

    Raises:
        TransientError: there is not enough memory now, or another fault that passes.
        InputError: it is not there, damaged, or holds something else.
    """
    with _explained(f"'{path.name}'", "an array", remedy):
        found = np.load(regular_file(path), mmap_mode="r" if mapped else None, allow_pickle=False)
    if not isinstance(found, np.ndarray):
        found.close()
        raise InputError(f"'{path.name}' holds several arrays; save the one that is wanted with numpy.save.")
    return found


def mapped_array(path: Path) -> NDArray[Any]:
    """The array of a .npy file that was computed here, read only, on disk and read as it is used; raises as `read_array`."""
    return read_array(path, mapped=True, remedy="delete it, and it is computed anew")


def remove_damaged_array(file: Path, dtype: Any, shape: tuple[int, ...]) -> None:
    """Removes a .npy file of the cache that is cut short, damaged, or holds no array of this type and shape, so that it is made again. Raises
    TransientError as `read_array`.
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
    """Arrays of an .npz file by their names, and after them those of the optional ones that it has; arrays of objects, which are pickles, are
    refused.

    Raises:
        TransientError: there is not enough memory now, or another fault that passes.
        InputError: it is not there, damaged, or lacks one of them.
    """
    name = content.name if isinstance(content, Path) else "The file"
    with _explained(f"'{name}'", "arrays", "make it anew"):
        arrays = np.load(io.BytesIO(content) if isinstance(content, bytes) else regular_file(content), allow_pickle=False)
        with arrays:
            return [np.asarray(arrays[each]) for each in (*names, *(each for each in optional if each in arrays.files))]


def read_weights(path: Path) -> "dict[str, Tensor]":
    """The tensors of a .safetensors file by their names. Where `write_weights` wrote it, they are compared with their checksum.

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
            raise ValueError("it is damaged: its content does not fit its checksum")
        return weights


def write_weights(path: Path, weights: "Mapping[str, Tensor]", metadata: Mapping[str, str] | None = None) -> None:
    """Writes tensors as .safetensors, whole or not at all, with a SHA-256 of them and of the metadata in its header, which other readers skip."""
    from safetensors.torch import save

    plain = {name: value.detach().cpu().contiguous() for name, value in weights.items()}
    texts = dict(metadata or {})
    write_atomic(path, _sorted_metadata(save(plain, texts | {_CHECKSUM: _digest(plain, texts)})))
    sync_folder(path.parent)


def _sorted_metadata(content: bytes) -> bytes:
    """A .safetensors file whose metadata are in order: the library writes them in another order each time, and equal weights are equal files."""
    length = int.from_bytes(content[:8], "little")
    header = json.loads(content[8 : 8 + length])
    header["__metadata__"] = dict(sorted(header["__metadata__"].items()))
    text = json.dumps(header, ensure_ascii=False, separators=(",", ":")).encode()
    text += b" " * (-len(text) % 8)  # the tensors begin at a multiple of eight bytes
    return len(text).to_bytes(8, "little") + text + content[8 + length :]


def _digest(weights: "Mapping[str, Tensor]", metadata: Mapping[str, str]) -> str:
    """Of names, types, shapes and content, and of the metadata, of which files from before have none."""
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
    """The state of a run, as `torch.save` wrote it: tensors, numbers, texts and containers of them; what would run code is refused.

    Raises:
        InputError: it is not there, damaged, or holds something else.
    """
    import torch

    try:
        with warnings.catch_warnings(action="ignore"):  # of pickles, which speak of torch's options
            state = torch.load(regular_file(path), weights_only=True, **options)
    except Exception as error:  # torch's readers raise anything on foreign content
        raise InputError(f"The checkpoint '{path}' cannot be read ({reason_of(error)}); delete it to train anew.") from cause_of(error)
    if not isinstance(state, dict):
        raise InputError(f"The checkpoint '{path}' holds {type(state).__name__}, expected a run's state; delete it to train anew.")
    return state


@contextmanager
def _explained(name: str, kind: str, remedy: str) -> Iterator[None]:
    """Readers of headers, of ZIP files and of tensors raise anything on foreign content; some errors say nothing about the file."""
    try:
        yield
    except Exception as error:
        if is_transient(error):
            raise TransientError(name, error) from error
        raise InputError(f"{name} cannot be read as {kind} ({reason_of(error)}); {remedy}.") from cause_of(error)
