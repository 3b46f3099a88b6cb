"""Captions of images from CSV files."""

from pathlib import Path

from likeness.errors import InputError
from likeness.io import as_path, csv_rows, regular_file


def read_captions(path: Path) -> dict[str, str]:
    """Captions by image path, from a CSV file of two columns, path and caption.

    A header line "path,caption" is passed over; a caption with commas stands in quotes. An image whose caption is empty has none.

    Raises:
        InputError: if the file is missing, no text, has other columns, or gives an image two captions.
    """
    try:
        text = regular_file(as_path(path)).read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"The captions '{path}' cannot be read ({error}); give a CSV file in UTF-8 with the columns path and caption.") from error
    rows = csv_rows(text)
    if rows and [cell.lower() for cell in rows[0]] == ["path", "caption"]:
        rows = rows[1:]
    captions: dict[str, str] = {}
    for number, row in enumerate(rows, start=1):
        if len(row) != 2 or not row[0]:
            raise InputError(f"Entry {number} of the captions '{path.name}' has {len(row)} columns; give path and caption, the caption in quotes.")
        image, caption = row[0].replace("\\", "/"), row[1]
        if captions.get(image, caption) != caption:
            raise InputError(f"The captions '{path.name}' give '{image}' two captions, '{captions[image]}' and '{caption}'; keep one.")
        if caption:
            captions[image] = caption
    if not captions:
        raise InputError(f"The captions '{path.name}' are empty; give a line of path and caption for each image.")
    return captions
