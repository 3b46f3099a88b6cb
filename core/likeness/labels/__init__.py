"""Label distances of images: poses, layouts, captions, numbers, angles, class names, or a given matrix."""

from likeness.labels.captions import caption_distances as caption_distances, word_movers_distance as word_movers_distance
from likeness.labels.image_labels import (
    ImageLabels as ImageLabels,
    labeled_rows as labeled_rows,
    labels_named as labels_named,
    numeric_columns as numeric_columns,
    read_image_labels as read_image_labels,
)
from likeness.labels.kind import LabelKind as LabelKind
from likeness.labels.layouts import LayoutLabels as LayoutLabels, layout_distances as layout_distances, read_layouts as read_layouts
from likeness.labels.matrix import (
    ClassLabels as ClassLabels,
    MatrixLabels as MatrixLabels,
    PartLabels as PartLabels,
    read_matrix as read_matrix,
    shuffled_labels as shuffled_labels,
)
from likeness.labels.mpii import mpii_labels as mpii_labels
from likeness.labels.nearest import nearest_labels as nearest_labels
from likeness.labels.numbers import NumberLabels as NumberLabels, number_distances as number_distances
from likeness.labels.poses import JOINTS as JOINTS, PoseLabels as PoseLabels, joints_of as joints_of, pose_distances as pose_distances
from likeness.labels.protocol import LabelDistances as LabelDistances
from likeness.labels.sources import (
    KINDS as KINDS,
    LabelsConfig as LabelsConfig,
    kind_names as kind_names,
    known_labels as known_labels,
    label_distances as label_distances,
)
