"""Tables of images and what fills them."""

from likeness.data.bundled import bundled_images, read_dataset
from likeness.data.catalog import BUNDLED, DatasetEntry, add_dataset, find_dataset, list_datasets, new_entry, remove_dataset
from likeness.data.folder import read_folder
from likeness.data.table import ImageTable
from likeness.data.tabular import read_table
from likeness.data.thumbnails import thumbnail
from likeness.data.uploads import save_uploads

__all__ = [
    "BUNDLED",
    "DatasetEntry",
    "ImageTable",
    "add_dataset",
    "bundled_images",
    "find_dataset",
    "list_datasets",
    "new_entry",
    "read_dataset",
    "read_folder",
    "read_table",
    "remove_dataset",
    "save_uploads",
    "thumbnail",
]
