"""What a run is made of, before it starts: classes, their images, and queries whose neighbors by label show what a space should find."""

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from likeness.errors import InputError
from likeness.training.data.run_images import RunImages


def class_overview(images: RunImages) -> pd.DataFrame:
    """A row per class: `class`, `part` ("trains" or "tests"), `images`."""
    counts = np.bincount(images.labels[images.used], minlength=len(images.names))
    trains = np.zeros(len(images.names), bool)
    trains[np.unique(images.labels[images.train])] = True
    return pd.DataFrame({"class": images.names, "part": np.where(trains, "trains", "tests"), "images": counts})


def example_rows(images: RunImages, classes: int, place: int) -> list[int | None]:
    """For the first classes, the row of the image at this place of each; None where a class has fewer."""
    order = np.argsort(images.labels, kind="stable")
    starts = np.searchsorted(images.labels[order], np.arange(classes))
    sizes = np.bincount(images.labels[images.used], minlength=classes)
    return [int(order[start + place]) if place < size else None for start, size in zip(starts, sizes, strict=False)]


def example_queries(images: RunImages, count: int, k: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """So many queries (q,), evenly spread, and for each the k images of the gallery whose labels are nearest (q, k), nearest first.

    Raises:
        InputError: the run has no continuous labels.
    """
    if images.distances is None:
        raise InputError("This run has classes and no continuous labels, so no image is nearest by its label; look at its classes instead.")
    queries, gallery = images.queries, images.gallery
    shown = queries[np.linspace(0, len(queries) - 1, min(len(queries), count)).astype(int)]
    distances = images.distances.between(shown, gallery)
    return shown, gallery[np.argsort(distances, axis=1, kind="stable")[:, :k]]
