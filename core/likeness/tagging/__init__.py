"""Tags, values and notes that people give to images: kept with who and when, by several at once, and attributes of the images at once."""

from likeness.tagging.attributes import labeled_rows, tag_store, tags_file, with_tags
from likeness.tagging.csv_files import ImportReport, export_csv, export_table, import_csv, match_images
from likeness.tagging.edits import Edit
from likeness.tagging.names import NOTE, check_name, check_value
from likeness.tagging.store import NewColumn, TagStore

__all__ = [
    "NOTE",
    "Edit",
    "ImportReport",
    "NewColumn",
    "TagStore",
    "check_name",
    "check_value",
    "export_csv",
    "export_table",
    "import_csv",
    "labeled_rows",
    "match_images",
    "tag_store",
    "tags_file",
    "with_tags",
]
