"""What the hover card shows of a row."""

from likeness.data import ImageTable, thumbnail
from likeness.io import image_remark


def describe_row(table: ImageTable | None, row: int) -> dict[str, object]:
    """{"label", "attributes"} of a row: its file's name, what the table knows about it, and a note where its pixels were not read as they are."""
    if table is None:
        return {"label": f"Row {row}", "attributes": {}}
    values = table.frame.iloc[row]
    label = str(values["path"]).rsplit("/", 1)[-1] if table.has_images else f"Row {row}"
    remark = image_remark(table.file(row)) if table.has_images else ""
    attributes = {name: _short(values[name]) for name in table.attributes}
    return {"label": label, "attributes": attributes | ({"note": remark} if remark else {})}


def row_picture(table: ImageTable | None, row: int) -> bytes | None:
    """A WebP thumbnail of a row; None where there is no image or it can't be read."""
    if table is None or not table.has_images:
        return None
    try:
        return thumbnail(table.file(row))
    except (OSError, ValueError):  # the file is gone or damaged, or may not be read
        return None


def _short(value: object) -> str:
    return f"{value:.3g}" if isinstance(value, float) else str(value)
