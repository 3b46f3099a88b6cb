"""Label distances of images by language similarity of class names."""

import numpy as np

from likeness.data import ImageTable, image_classes
from likeness.errors import InputError
from likeness.labels.kind import LabelKind, LabelOptions
from likeness.labels.matrix import ClassLabels
from likeness.language import class_similarities, readable_names
from likeness.progress import Progress


def _read(table: ImageTable, options: LabelOptions, progress: Progress | None) -> ClassLabels:
    chosen: str | tuple[str, ...] = options.columns if len(options.columns) > 1 else (*options.columns, "class")[0]
    classes = image_classes(table, chosen)
    if classes.left_out:
        named = chosen if isinstance(chosen, str) else ", ".join(chosen)
        raise InputError(f"'{table.name}' has no '{named}' for {classes.left_out} images; remove them, or choose another attribute.")
    distances = np.maximum(1 - class_similarities(readable_names(classes.names), options.language).astype(np.float64), 0)
    np.fill_diagonal(distances, 0)
    return ClassLabels((distances + distances.T) / 2, classes.labels, options.within)


KIND = LabelKind("names", "the language similarity of class names", _read)
