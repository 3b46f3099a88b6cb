"""Manual tags, values and notes of images: stored with author and time, editable by several people at once, and available as attributes."""

from likeness.tagging.attributes import tag_store as tag_store, tags_file as tags_file, with_tags as with_tags
from likeness.tagging.csv_files import (
    ImportReport as ImportReport,
    export_csv as export_csv,
    export_table as export_table,
    import_csv as import_csv,
    match_images as match_images,
)
from likeness.tagging.edits import Edit as Edit
from likeness.tagging.names import NOTE as NOTE, check_name as check_name, check_value as check_value
from likeness.tagging.store import NewColumn as NewColumn, TagStore as TagStore
