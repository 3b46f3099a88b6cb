"""Tables of images, and the readers that create them."""

from likeness.data.captions_column import (
    CAPTION_COLUMN as CAPTION_COLUMN,
    CAPTIONS_COLUMN as CAPTIONS_COLUMN,
    captions_cell as captions_cell,
    read_captions as read_captions,
)
from likeness.data.catalog import (
    SHIPPED_CARS as SHIPPED_CARS,
    DatasetEntry as DatasetEntry,
    add_dataset as add_dataset,
    find_dataset as find_dataset,
    list_datasets as list_datasets,
    new_entry as new_entry,
    remove_dataset as remove_dataset,
    rename_dataset as rename_dataset,
)
from likeness.data.classes import ImageClasses as ImageClasses, image_classes as image_classes, labeled_images as labeled_images, part_of as part_of
from likeness.data.columns import free_name as free_name, numbers_of as numbers_of, with_columns_before as with_columns_before
from likeness.data.css_colors import CSS_COLORS as CSS_COLORS, CSS_RGB as CSS_RGB, hsv_to_rgb as hsv_to_rgb
from likeness.data.format import ReadOptions as ReadOptions
from likeness.data.formats import FORMATS as FORMATS
from likeness.data.joined_table import joined_table as joined_table, stacked_table as stacked_table
from likeness.data.label_files import (
    add_label_files as add_label_files,
    keep_listed as keep_listed,
    label_frame as label_frame,
    labels_by_path as labels_by_path,
    read_label_file as read_label_file,
    write_rows as write_rows,
)
from likeness.data.listed_files import file_locator as file_locator, find_files as find_files, first_rows as first_rows
from likeness.data.own_images import label_columns as label_columns, own_table as own_table
from likeness.data.protocols import check_split as check_split
from likeness.data.read import (
    TableColumns as TableColumns,
    absolute_source as absolute_source,
    find_format as find_format,
    is_published_source as is_published_source,
    named_columns as named_columns,
    read_dataset as read_dataset,
    read_format as read_format,
    read_official_parts as read_official_parts,
    recognized as recognized,
)
from likeness.data.readers import DATASETS as DATASETS
from likeness.data.readers.caption_labels import CAPTION_RULES as CAPTION_RULES
from likeness.data.readers.cars import read_cars as read_cars
from likeness.data.readers.coco_captions import CAPTION_SPLITS as CAPTION_SPLITS
from likeness.data.readers.dataset import Dataset as Dataset
from likeness.data.readers.folder import (
    TABLE_SUFFIXES as TABLE_SUFFIXES,
    has_image_suffix as has_image_suffix,
    natural_key as natural_key,
    read_folder as read_folder,
)
from likeness.data.readers.mpii_pose import (
    MPII as MPII,
    MPII_DISTANCES as MPII_DISTANCES,
    check_mpii_shape as check_mpii_shape,
    mpii_image_parts as mpii_image_parts,
)
from likeness.data.readers.official_layout import OfficialLayout as OfficialLayout
from likeness.data.readers.photo_columns import PHOTO_COLUMNS as PHOTO_COLUMNS
from likeness.data.readers.remote import (
    as_os_error as as_os_error,
    fetch as fetch,
    file_system as file_system,
    is_url as is_url,
    read_remote_folder as read_remote_folder,
    remote_states as remote_states,
)
from likeness.data.readers.tabular import find_path_column as find_path_column, read_table as read_table
from likeness.data.regions import with_regions as with_regions
from likeness.data.registry import (
    missing_archive as missing_archive,
    named_dataset as named_dataset,
    named_datasets as named_datasets,
    plain_names as plain_names,
    source_help as source_help,
)
from likeness.data.repeated_images import one_row_an_image as one_row_an_image
from likeness.data.table import (
    CONTENT_COLUMN as CONTENT_COLUMN,
    IMAGE_COLUMN as IMAGE_COLUMN,
    UNLABELED as UNLABELED,
    Failure as Failure,
    ImageTable as ImageTable,
    content_digest as content_digest,
    has_label as has_label,
)
from likeness.data.thumbnails import (
    LARGE_SIZE as LARGE_SIZE,
    THUMBNAIL_SIZE as THUMBNAIL_SIZE,
    large_picture as large_picture,
    picture_html as picture_html,
    thumbnail as thumbnail,
    upright_picture as upright_picture,
)
from likeness.data.upload_archive import UploadLimits as UploadLimits
from likeness.data.uploads import save_uploads as save_uploads
