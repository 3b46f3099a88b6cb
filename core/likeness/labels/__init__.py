"""How far apart images lie by their labels: poses, layouts, captions, numbers, angles, class names, or a given matrix."""

from likeness.labels.captions import caption_distances, word_movers_distance
from likeness.labels.image_labels import ImageLabels, labelled_rows, labels_named, numeric_columns, read_image_labels
from likeness.labels.kind import LabelKind
from likeness.labels.layouts import LayoutLabels, layout_distances, read_layouts
from likeness.labels.matrix import ClassLabels, MatrixLabels, read_matrix
from likeness.labels.mpii import mpii_labels
from likeness.labels.nearest import nearest_labels
from likeness.labels.numbers import NumberLabels, number_distances
from likeness.labels.parts import PartLabels
from likeness.labels.poses import JOINTS, PoseLabels, joints_of, pose_distances
from likeness.labels.protocol import LabelDistances
from likeness.labels.shuffled import shuffled_labels
from likeness.labels.sources import KINDS, LabelsConfig, kind_names, known_labels, label_distances

__all__ = [
    "JOINTS",
    "KINDS",
    "ClassLabels",
    "ImageLabels",
    "LabelDistances",
    "LabelKind",
    "LabelsConfig",
    "LayoutLabels",
    "MatrixLabels",
    "NumberLabels",
    "PartLabels",
    "PoseLabels",
    "caption_distances",
    "joints_of",
    "kind_names",
    "known_labels",
    "label_distances",
    "labelled_rows",
    "labels_named",
    "layout_distances",
    "mpii_labels",
    "nearest_labels",
    "number_distances",
    "numeric_columns",
    "pose_distances",
    "read_image_labels",
    "read_layouts",
    "read_matrix",
    "shuffled_labels",
    "word_movers_distance",
]
