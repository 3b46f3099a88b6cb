"""Export images, labels, vectors, notions and trained runs to other programs."""

from likeness.exports.target import ExportOptions as ExportOptions, Target as Target, Written as Written
from likeness.exports.targets import TARGETS as TARGETS, export as export, find_target as find_target
