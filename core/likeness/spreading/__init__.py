"""Labels spread: from a few labeled images to all, in any space, and what to look at next."""

from likeness.spreading.label_queue import MISTAKE, UNCERTAIN, next_to_label
from likeness.spreading.neighbor_graph import neighbor_graph
from likeness.spreading.spread_labels import LabelSpread, spread_labels

__all__ = ["MISTAKE", "UNCERTAIN", "LabelSpread", "neighbor_graph", "next_to_label", "spread_labels"]
