"""Tables of images and what fills them."""

from likeness.data.captions_column import CAPTION_COLUMN, CAPTIONS_COLUMN, captions_cell, gather_captions, read_captions
from likeness.data.catalog import (
    SHIPPED_CARS,
    DatasetEntry,
    add_dataset,
    find_dataset,
    list_datasets,
    new_entry,
    remove_dataset,
    rename_dataset,
)
from likeness.data.classes import ImageClasses, image_classes, labeled_images, part_of
from likeness.data.content_column import CONTENT_COLUMN, content_digest
from likeness.data.css_colors import CSS_COLORS, CSS_RGB, css_distances, hsv_to_rgb, perceived_css_distances, rgb_to_lab
from likeness.data.further_columns import free_name, with_columns_before
from likeness.data.label_files import add_label_files, label_frame, labels_by_path, read_label_file
from likeness.data.listed_files import file_locator, find_files, first_rows
from likeness.data.listed_images import keep_listed, write_listed, write_rows
from likeness.data.number_column import numbers_of
from likeness.data.own_images import label_columns, own_table
from likeness.data.picture_html import picture_html
from likeness.data.protocols import class_halves
from likeness.data.read import TableColumns, absolute_source, is_published_source, named_columns, read_dataset, read_official_parts, recognized
from likeness.data.readers import DATASETS
from likeness.data.readers.caption_labels import CAPTION_RULES
from likeness.data.readers.cars import read_cars
from likeness.data.readers.cars196 import read_cars196
from likeness.data.readers.clevr4 import CLEVR4_TAXONOMIES, read_clevr4
from likeness.data.readers.coco_captions import CAPTION_SPLITS
from likeness.data.readers.cub200 import read_cub200
from likeness.data.readers.dataset import Dataset
from likeness.data.readers.deepfashion import read_deepfashion
from likeness.data.readers.flickr import read_flickr
from likeness.data.readers.folder import TABLE_SUFFIXES, has_image_suffix, natural_key, read_folder
from likeness.data.readers.genecis import GENECIS_TASKS, ConditionTemplate, TemplateImage, genecis_tasks, read_genecis, read_templates
from likeness.data.readers.icir import read_icir
from likeness.data.readers.lsun_rooms import read_lsun_rooms
from likeness.data.readers.mat_file import read_variable
from likeness.data.readers.movie_posters import read_movie_posters
from likeness.data.readers.mpii_pose import MPII, MPII_DISTANCES, check_mpii_shape, mpii_image_parts, read_mpii_pose
from likeness.data.readers.online_products import read_online_products
from likeness.data.readers.original_synthetic_cars import read_original_synthetic_cars
from likeness.data.readers.photo_columns import PHOTO_COLUMNS
from likeness.data.readers.remote import as_os_error, fetch, file_system, is_url, read_remote_folder, remote_states
from likeness.data.readers.stanford40 import read_stanford40
from likeness.data.readers.tabular import PATH_COLUMNS, read_table
from likeness.data.registry import dataset_names, missing_archive, named_dataset, named_datasets, plain_names, source_help
from likeness.data.repeated_images import one_row_an_image
from likeness.data.table import IMAGE_COLUMN, UNLABELED, Failure, ImageTable, has_label
from likeness.data.thumbnails import thumbnail, upright_picture
from likeness.data.upload_archive import UploadLimits
from likeness.data.uploads import save_uploads, uploads_dir

__all__ = [
    "CAPTIONS_COLUMN",
    "CAPTION_COLUMN",
    "CAPTION_RULES",
    "CAPTION_SPLITS",
    "CLEVR4_TAXONOMIES",
    "CONTENT_COLUMN",
    "CSS_COLORS",
    "CSS_RGB",
    "DATASETS",
    "GENECIS_TASKS",
    "IMAGE_COLUMN",
    "MPII",
    "MPII_DISTANCES",
    "PATH_COLUMNS",
    "PHOTO_COLUMNS",
    "SHIPPED_CARS",
    "TABLE_SUFFIXES",
    "UNLABELED",
    "ConditionTemplate",
    "Dataset",
    "DatasetEntry",
    "Failure",
    "ImageClasses",
    "ImageTable",
    "TableColumns",
    "TemplateImage",
    "UploadLimits",
    "absolute_source",
    "add_dataset",
    "add_label_files",
    "as_os_error",
    "captions_cell",
    "check_mpii_shape",
    "class_halves",
    "content_digest",
    "css_distances",
    "dataset_names",
    "fetch",
    "file_locator",
    "file_system",
    "find_dataset",
    "find_files",
    "first_rows",
    "free_name",
    "gather_captions",
    "genecis_tasks",
    "has_image_suffix",
    "has_label",
    "hsv_to_rgb",
    "image_classes",
    "is_published_source",
    "is_url",
    "keep_listed",
    "label_columns",
    "label_frame",
    "labeled_images",
    "labels_by_path",
    "list_datasets",
    "missing_archive",
    "mpii_image_parts",
    "named_columns",
    "named_dataset",
    "named_datasets",
    "natural_key",
    "new_entry",
    "numbers_of",
    "one_row_an_image",
    "own_table",
    "part_of",
    "perceived_css_distances",
    "picture_html",
    "plain_names",
    "read_captions",
    "read_cars",
    "read_cars196",
    "read_clevr4",
    "read_cub200",
    "read_dataset",
    "read_deepfashion",
    "read_flickr",
    "read_folder",
    "read_genecis",
    "read_icir",
    "read_label_file",
    "read_lsun_rooms",
    "read_movie_posters",
    "read_mpii_pose",
    "read_official_parts",
    "read_online_products",
    "read_original_synthetic_cars",
    "read_remote_folder",
    "read_stanford40",
    "read_table",
    "read_templates",
    "read_variable",
    "recognized",
    "remote_states",
    "remove_dataset",
    "rename_dataset",
    "rgb_to_lab",
    "save_uploads",
    "source_help",
    "thumbnail",
    "uploads_dir",
    "upright_picture",
    "with_columns_before",
    "write_listed",
    "write_rows",
]
