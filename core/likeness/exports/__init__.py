"""Images, labels, vectors and notions for other programs: files, lists for training, vector stores; and spaces read back from them."""

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
