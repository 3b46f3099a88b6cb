"""Tags, values and notes that people give to images: kept with who and when, by several at once, and attributes of the images at once."""

from likeness.tagging.edits import Edit
from likeness.tagging.names import NOTE, check_name, check_value
from likeness.tagging.store import NewColumn, TagStore

__all__ = [
    "NOTE",
    "Edit",
    "NewColumn",
    "TagStore",
    "check_name",
    "check_value",
]
