"""Propagate labels from a few images to all, in any space, and queue images to review."""

from likeness.spreading.given_labels import labels_of_paths as labels_of_paths
from likeness.spreading.label_queue import (
    MISTAKE as MISTAKE,
    UNCERTAIN as UNCERTAIN,
    label_screens as label_screens,
    likely_mistakes as likely_mistakes,
    next_to_label as next_to_label,
    uncertain_rows as uncertain_rows,
)
from likeness.spreading.neighbor_graph import neighbor_graph as neighbor_graph
from likeness.spreading.spread_labels import (
    METHODS as METHODS,
    LabelSpread as LabelSpread,
    check_method as check_method,
    spread_labels as spread_labels,
)
