"""Convert decoded images of any mode to upright, opaque, 8-bit sRGB."""

from collections.abc import Callable, Iterator

from PIL import Image, ImageOps

from likeness.io.color_profiles import ColorTransform, image_colors
from likeness.io.file_parts import Part

# Part of the keys of what is computed from pixels: one more whenever an image becomes other pixels than before.
PIXELS_VERSION = 2
# Where the result's `info` has what a person should know of how its pixels came about.
REMARK = "likeness_remark"
_WITH_ALPHA = ("LA", "La", "RGBA", "RGBa", "PA")
_ORIENTATION, _TURNED = 0x0112, 5  # the first of those that are turned by 90 degrees
_STRIP = 1 << 20  # pixels that are converted at a time: beside a large image there is little else in memory

_Convert = Callable[[Image.Image, ColorTransform | None], Image.Image]


def to_rgb(image: Image.Image) -> Image.Image:
    """An upright sRGB copy of an image of any mode; transparent parts become white. Colors follow the file's profile (`likeness.io.color_profiles`),
    and gray of more than 8 bits its range (`likeness.io.deep_gray`). If more than rounding is lost, or something was guessed,
    `info["likeness_remark"]` of the result says so.
    """
    colors = image_colors(image)
    deep, remark = _deep(image)
    if image.getexif().get(_ORIENTATION, 1) != 1:
        image = ImageOps.exif_transpose(image)
    plain = image.mode == "RGB" and "transparency" not in image.info and colors.transform is None
    if plain and not colors.remark:
        image.load()
        return image
    has_alpha = image.mode in _WITH_ALPHA or "transparency" in image.info
    convert = deep or (_over_white if has_alpha else _colored)
    result = image.copy() if plain else _by_strips(image, convert, colors.transform)
    result.info.pop("icc_profile", None)
    if said := "; ".join(filter(None, (remark, colors.remark))):
        result.info[REMARK] = said
    return result


def cropped(image: Image.Image, part: Part | None, reduced: int = 1) -> Image.Image:
    """The region of an upright image that was reduced by a factor; RegionError as `Part.edges`."""
    if part is None or part.box is None:
        return image
    region = image.crop(part.edges(*image.size, reduced))
    region.info = image.info
    return region


def is_turned(image: Image.Image) -> bool:
    """True if width and height of an image change places when it is upright, by its EXIF data."""
    return bool(image.getexif().get(_ORIENTATION, 1) >= _TURNED)


def may_have_remark(image: Image.Image) -> bool:
    """True if `to_rgb` may add a remark to an image, by its header."""
    return image.mode.startswith(("I", "F")) or bool(image_colors(image).remark)


def _deep(image: Image.Image) -> tuple[_Convert | None, str]:
    """The converter of strips and the remark of a deep gray image; None for other images."""
    if not image.mode.startswith(("I", "F")):
        return None, ""
    from likeness.io.deep_gray import gray_range  # not at the top: the process that decodes foreign images starts in half the time without NumPy

    found = gray_range(image, _strips)

    def convert(strip: Image.Image, transform: ColorTransform | None) -> Image.Image:
        result = _colored(found.gray(strip), transform)
        clear = found.clear(strip)
        if clear is not None:
            result.paste("white", mask=clear)
        return result

    return convert, found.remark


def _by_strips(image: Image.Image, convert: _Convert, transform: ColorTransform | None) -> Image.Image:
    """Converts an image to RGB a few rows at a time, for conversions of single pixels."""
    whole = Image.new("RGB", image.size)
    for strip, top in _strips(image):
        whole.paste(convert(strip, transform), (0, top))
    return whole


def _strips(image: Image.Image) -> Iterator[tuple[Image.Image, int]]:
    """Strips of an image, and the row at which each begins."""
    rows = max(1, _STRIP // max(1, image.width))
    for top in range(0, image.height, rows):
        yield image.crop((0, top, image.width, min(top + rows, image.height))), top


def _over_white(image: Image.Image, transform: ColorTransform | None) -> Image.Image:
    layer = _layer(image)
    if transform is not None:
        colors = _colored(layer.convert("RGB"), transform)
        colors.putalpha(layer.getchannel("A"))
        layer = colors
    return Image.alpha_composite(Image.new("RGBA", layer.size, "white"), layer).convert("RGB")


def _layer(image: Image.Image) -> Image.Image:
    """The image as RGBA. In a 16-bit PNG the transparent color has 16 bits while Pillow holds 8-bit pixels, so the upper 8 bits are compared."""
    if image.mode == "La":  # which Pillow converts to nothing else
        image = image.convert("LA")
    clear = image.info.get("transparency")
    if image.mode == "RGB" and isinstance(clear, tuple) and max(clear) > 255:
        image.info["transparency"] = tuple(channel >> 8 for channel in clear)
    return image.convert("RGBA")


def _colored(image: Image.Image, transform: ColorTransform | None) -> Image.Image:
    """An opaque 8-bit image in sRGB."""
    if transform is None:
        return image.convert("RGB")
    return transform.apply(image if image.mode == transform.mode else image.convert(transform.mode))
