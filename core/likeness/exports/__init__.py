"""Images, labels, vectors, notions and trained runs for other programs; and spaces read back from them."""

from likeness.exports.target import ExportOptions, Target, Written
from likeness.exports.targets import TARGETS, export, find_target, import_space

__all__ = [
    "TARGETS",
    "ExportOptions",
    "Target",
    "Written",
    "export",
    "find_target",
    "import_space",
]
