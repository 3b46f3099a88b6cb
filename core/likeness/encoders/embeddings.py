"""What embedding a table gives."""

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from likeness.data import Failure
from likeness.encoders.encoder import Vectors


@dataclass(frozen=True)
class Embeddings:
    """Embeddings of a table's images.

    Attributes:
        vectors: (m, d) unit rows, float32, in the order of the table; many of them are a read-only `np.memmap` of a file in the store.
        rows: (m,) row numbers in the table.
        failed: images that could not be read, in the order of the table.
        complete: false if the work was stopped; the next call encodes the rest.
        n_encoded: how many images the encoder saw in this call; the others were stored.
        provenance_key: of memory-mapped vectors, what they follow from: encoder, images and their order.
        remarks: by row in the table, what a person should know of how an image was read (`likeness.io.to_rgb`).
    """

    vectors: Vectors
    rows: NDArray[np.int64]
    failed: list[Failure]
    complete: bool = True
    n_encoded: int = 0
    provenance_key: str = ""
    remarks: dict[int, str] = field(default_factory=dict)
