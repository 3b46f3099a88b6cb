"""An image of a table with its continuous label drawn on it, and its label and distances as text."""

import io
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from likeness.data import ImageTable, read_captions, upright_picture
from likeness.errors import InputError
from likeness.plots.label_pictures import CORNERS, blend_layout, draw_numbers, draw_pose, draw_viewpoint

if TYPE_CHECKING:
    from likeness.labels import LabelsConfig

_MOST_DRAWN = 4  # numbers drawn on one picture
_SHORT = 3  # longest unit, in letters, that is written after every number


def labeled_image(table: ImageTable, config: "LabelsConfig | None", row: int, side: int = 256) -> Image.Image:
    """Image `row`, RGB, at most `side` pixels wide and high, with its label drawn on it; captions, names and matrices are not drawn.

    Raises:
        OSError: the image cannot be read.
        InputError: labels that cannot be drawn, such as joints that are not numbers or a missing layout.
    """
    from likeness.labels import joints_of, read_layouts

    image, scale = _opened(table, row, side)
    values = table.frame.iloc[row]
    if config is None:
        return image
    if config.kind == "pose":
        names = list(config.columns) or joints_of(table.frame)
        return draw_pose(image, _joints(table, names, row) * scale, names)
    if config.kind == "layout":
        return blend_layout(image, read_layouts([table.root / str(values[(*config.columns, "layout")[0]])], min(side, 256))[0])
    if config.kind == "angles":
        return _angles(image, {name: float(values[name]) for name in config.columns})
    if config.kind == "numbers":
        return draw_numbers(image, [_share(table, name, row) for name in config.columns[:_MOST_DRAWN]])
    return image


def _opened(table: ImageTable, row: int, side: int) -> tuple[Image.Image, float]:
    """The image and its scale relative to the file; small images are enlarged for smooth drawings."""
    picture = upright_picture(table.paths()[row])
    scale = side / max(picture.size)
    width, height = (max(1, round(length * scale)) for length in picture.size)
    return picture.resize((width, height), Image.Resampling.LANCZOS), scale


def _joints(table: ImageTable, names: list[str], row: int) -> NDArray[np.float64]:
    values = table.frame.iloc[row]
    try:
        return np.array([[values[f"{name}_{axis}"] for axis in "xy"] for name in names], dtype=np.float64).reshape(len(names), 2)
    except (KeyError, ValueError, TypeError) as error:
        raise InputError(f"The joints of image {row} of '{table.name}' are missing or not numbers ({error}); choose other columns.") from error


def _angles(image: Image.Image, angles: dict[str, float]) -> Image.Image:
    if set(angles) == {"yaw", "elevation"}:
        return draw_viewpoint(image, angles["yaw"], angles["elevation"])
    for angle, corner in zip(angles.values(), CORNERS, strict=False):
        image = draw_viewpoint(image, angle, corner=corner)
    return image


def _share(table: ImageTable, name: str, row: int) -> float:
    values = table.frame[name].to_numpy(dtype=np.float64, na_value=np.nan)
    low, high = np.nanmin(values), np.nanmax(values)
    return float(np.clip((values[row] - low) / (high - low), 0, 1)) if high > low else 0.5


def squared_webp(image: Image.Image) -> bytes:
    """The picture as WebP, centered in a transparent square, so that square tiles do not crop labels."""
    side = max(image.size)
    square = image
    if image.width != image.height:
        square = Image.new("RGBA", (side, side), (0, 0, 0, 0))
        square.paste(image, ((side - image.width) // 2, (side - image.height) // 2))
    buffer = io.BytesIO()
    square.save(buffer, "WEBP", quality=88, method=2)
    return buffer.getvalue()


def label_text(table: ImageTable, config: "LabelsConfig", row: int) -> str:
    """A label as text: "yaw 97.1°, elevation 4.11°", or the first caption; empty for poses and layouts, which need a picture."""
    values = table.frame.iloc[row]
    if config.kind in ("numbers", "angles"):
        texts = {
            name: distance_text(float(values[name]), "degrees") if config.kind == "angles" else f"{float(values[name]):.4g}"
            for name in config.columns
        }
        return ", ".join(f"{name.replace('_', ' ')} {text}" for name, text in texts.items())
    if config.kind == "captions":
        return captions_of(table, row)[0]
    return ""


def captions_of(table: ImageTable, row: int) -> list[str]:
    """The captions of image `row`."""
    return read_captions(ImageTable(table.name, table.root, table.frame.iloc[[row]]))[0]


def distance_text(value: float, unit: str = "") -> str:
    """Three significant digits and the unit: "42.0°", "1,230 px", "0.312". A unit that is the name of the measure is omitted."""
    size = abs(value)
    number = f"{value:,.0f}" if size >= 999.5 else f"{value:.2f}" if size < 5e-4 else f"{value:#.3g}".rstrip(".")
    return f"{number}°" if unit == "degrees" else f"{number} {unit}" if 0 < len(unit) <= _SHORT else number
