"""Formats in which people hold images, labels and vectors: one file per format, listed here. The first that matches a path reads it."""

from likeness.data.format import Format
from likeness.data.formats import archive, clip_retrieval, coco, fiftyone, hub, image_folder, label_studio, projector, shards, vectors, yolo
from likeness.data.readers import folder, tabular

FORMATS: tuple[Format, ...] = (
    *(hub.FORMAT, fiftyone.FORMAT, clip_retrieval.FORMAT, vectors.FORMAT, coco.FORMAT, label_studio.FORMAT, yolo.FORMAT, image_folder.FORMAT),
    *(projector.FORMAT, archive.FORMAT, shards.FORMAT, folder.FORMAT, tabular.FORMAT),
)
