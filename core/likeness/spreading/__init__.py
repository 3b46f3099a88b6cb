"""Labels spread: from a few labeled images to all, in any space, and what to look at next."""

from likeness.spreading.given_labels import labels_of_paths
from likeness.spreading.label_queue import MISTAKE, UNCERTAIN, label_screens, likely_mistakes, next_to_label, uncertain_rows
from likeness.spreading.neighbor_graph import neighbor_graph
from likeness.spreading.spread_labels import METHODS, LabelSpread, check_method, spread_labels

__all__ = [
    "METHODS",
    "MISTAKE",
    "UNCERTAIN",
    "LabelSpread",
    "check_method",
    "label_screens",
    "labels_of_paths",
    "likely_mistakes",
    "neighbor_graph",
    "next_to_label",
    "spread_labels",
    "uncertain_rows",
]
