"""Arrays for the browser, named by their content so that each is sent once."""

import base64
import hashlib
from collections.abc import Callable

import numpy as np

from likeness.plots.linked_map.identity_cache import cache_by_identity

Publish = Callable[[bytes, str], str]
INLINE_BYTES = 48_000


def part(array: np.ndarray, publish: Publish | None = None) -> dict[str, object]:
    """An array for the browser, which caches arrays by id: {"id", "type", "base64" or "url"}. Large arrays go to `publish(content, id) -> URL` and
    are fetched from there once, so that a change of color does not send the positions again.
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
