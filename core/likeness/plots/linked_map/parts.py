"""Arrays on their way to the browser, named by their content so that each travels once."""

import base64
import hashlib
from collections.abc import Callable

import numpy as np

from likeness.plots.linked_map.identity_cache import cache_by_identity

Publish = Callable[[bytes, str], str]
INLINE_BYTES = 48_000


def part(array: np.ndarray, publish: Publish | None = None) -> dict[str, object]:
    """An array as the browser takes it, which keeps arrays by id: {"id", "type", "base64" or "url"}. Large ones go to `publish(content, id) -> URL`
    and are fetched from there once, so that changing a color does not send the positions again.
    """
    array = np.ascontiguousarray(array)
    name = _name(array)
    described: dict[str, object] = {"id": name, "type": str(array.dtype)}
    if publish is None or array.nbytes <= INLINE_BYTES:
        return described | {"base64": base64.b64encode(array.tobytes()).decode("ascii")}
    return described | {"url": publish(array.tobytes(), name)}


@cache_by_identity
def _name(array: np.ndarray) -> str:
    return hashlib.blake2b(array.tobytes() + str(array.dtype).encode(), digest_size=12).hexdigest()
