"""Finding what is nearest in a space, and how far two spaces agree on it."""

from likeness.search.agreement import expected_overlap, overlap, overlap_per_row
from likeness.search.neighbours import Neighbours, nearest
from likeness.search.vectors import as_numpy, checked_rows, unit_rows

__all__ = ["Neighbours", "as_numpy", "checked_rows", "expected_overlap", "nearest", "overlap", "overlap_per_row", "unit_rows"]
