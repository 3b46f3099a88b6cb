from .array_files import (
    mapped_array as mapped_array,
    named_arrays as named_arrays,
    read_array as read_array,
    read_arrays as read_arrays,
    read_weights as read_weights,
    remove_damaged_array as remove_damaged_array,
    write_weights as write_weights,
)
from .arrow_table import from_arrow as from_arrow, plain_column as plain_column, to_arrow as to_arrow
from .checkpoints import CheckpointFile as CheckpointFile
from .confinement import (
    allows as allows,
    check_readable as check_readable,
    check_url as check_url,
    confine as confine,
    is_confined as is_confined,
    is_inside as is_inside,
    regular_file as regular_file,
)
from .content import (
    archive_names as archive_names,
    content_sha256 as content_sha256,
    content_size as content_size,
    open_content as open_content,
    without_view as without_view,
)
from .csv_cells import (
    csv_bytes as csv_bytes,
    csv_rows as csv_rows,
    read_csv_cells as read_csv_cells,
    read_figures as read_figures,
    typed_columns as typed_columns,
)
from .declarations import entry_points as entry_points
from .downloads import (
    DOWNLOAD_SILENCE as DOWNLOAD_SILENCE,
    RemoteFile as RemoteFile,
    check_room as check_room,
    download_problem as download_problem,
    explained as explained,
    fetch_files as fetch_files,
    file_hash as file_hash,
    free_bytes as free_bytes,
    progress_or_bar as progress_or_bar,
    server_answers as server_answers,
    size_text as size_text,
    status_of as status_of,
)
from .exif import PhotoData as PhotoData, photo_data as photo_data
from .file_formats import RAW_SUFFIXES as RAW_SUFFIXES
from .file_names import name_finder as name_finder, name_to_text as name_to_text, text_to_name as text_to_name
from .file_parts import (
    PART_SUFFIXES as PART_SUFFIXES,
    Part as Part,
    file_of as file_of,
    is_pdf_name as is_pdf_name,
    part_path as part_path,
    split_part as split_part,
    spoken_name as spoken_name,
)
from .files import (
    check_output_file as check_output_file,
    check_output_folder as check_output_folder,
    compute_once_locked as compute_once_locked,
    open_atomic as open_atomic,
    sync_folder as sync_folder,
    write_atomic as write_atomic,
)
from .foreign_images import (
    MAX_PIXELS as MAX_PIXELS,
    MAX_UPLOAD_BYTES as MAX_UPLOAD_BYTES,
    MAX_UPLOAD_MB as MAX_UPLOAD_MB,
    check_images as check_images,
    count_parts as count_parts,
    foreign_image as foreign_image,
)
from .frozen_config import (
    FrozenConfig as FrozenConfig,
    config_file as config_file,
    validation_message as validation_message,
    with_keys as with_keys,
    yaml_content as yaml_content,
)
from .images import (
    check_scans as check_scans,
    decode_image as decode_image,
    image_remark as image_remark,
    image_size as image_size,
    read_image as read_image,
)
from .interruption import interrupted_by as interrupted_by, restore_interruption as restore_interruption
from .mat_process import MatError as MatError, mat_shapes as mat_shapes, mat_variable as mat_variable
from .paths import (
    as_path as as_path,
    assets_dir as assets_dir,
    cache_dir as cache_dir,
    can_be_a_path as can_be_a_path,
    can_write as can_write,
    column_texts as column_texts,
    make_folder as make_folder,
    runs_dir as runs_dir,
)
from .plain_pickle import PlainUnpickler as PlainUnpickler
from .python_process import (
    WorkerProcess as WorkerProcess,
    become_app as become_app,
    folder_kept_out as folder_kept_out,
    keep_folder_out as keep_folder_out,
    start_python as start_python,
)
from .rgb import PIXELS_VERSION as PIXELS_VERSION, REMARK as REMARK, to_rgb as to_rgb
from .text import decoded as decoded, parse_json as parse_json, parse_yaml as parse_yaml, plain_name as plain_name, text_of as text_of
from .unreadable import (
    TransientError as TransientError,
    UnreadableImageError as UnreadableImageError,
    cause_of as cause_of,
    is_transient as is_transient,
    lacks_memory as lacks_memory,
    reason_of as reason_of,
    transient_reason as transient_reason,
)
from .vector_file import (
    ABOUT_KEY as ABOUT_KEY,
    VectorFile as VectorFile,
    check_vector_file as check_vector_file,
    foreign_about as foreign_about,
    read_vector_file as read_vector_file,
    vector_table as vector_table,
    write_vector_file as write_vector_file,
)
