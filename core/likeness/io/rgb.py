"""Images of any mode as upright, opaque RGB."""

from collections.abc import Callable, Iterator

from PIL import Image, ImageOps

_WITH_ALPHA = ("LA", "La", "RGBA", "RGBa", "PA")
_ORIENTATION = 0x0112
_STRIP = 1 << 20  # pixels that are converted at a time: beside a large image there is little else in memory


def to_rgb(image: Image.Image) -> Image.Image:
    """An upright RGB copy of an image in any mode; transparent parts become white."""
    if image.getexif().get(_ORIENTATION, 1) != 1:
        image = ImageOps.exif_transpose(image)
    if image.mode == "RGB" and "transparency" not in image.info:
        image.load()
        return image
    if image.mode in _WITH_ALPHA or "transparency" in image.info:
        return _by_strips(image, _over_white)
    if image.mode.startswith(("I", "F")):
        scale = _scale_to_8_bit(image)
        return _by_strips(image, lambda strip: _to_8_bit(strip, scale))
    return image.convert("RGB")


def _by_strips(image: Image.Image, convert: Callable[[Image.Image], Image.Image]) -> Image.Image:
    """RGB of an image, some rows at a time, for conversions that look at each pixel alone."""
    whole = Image.new("RGB", image.size)
    for strip, top in _strips(image):
        whole.paste(convert(strip), (0, top))
    return whole


def _strips(image: Image.Image) -> Iterator[tuple[Image.Image, int]]:
    """Parts of an image as wide as itself, and the row at which each begins."""
    rows = max(1, _STRIP // max(1, image.width))
    for top in range(0, image.height, rows):
        yield image.crop((0, top, image.width, min(top + rows, image.height))), top


def _over_white(image: Image.Image) -> Image.Image:
    layer = image.convert("RGBA")
    return Image.alpha_composite(Image.new("RGBA", layer.size, "white"), layer).convert("RGB")


def _scale_to_8_bit(image: Image.Image) -> float:
    """What 16-bit and float pixels are multiplied with: Pillow clips them at 255 when it converts them."""
    import numpy as np  # not at the top: the process that decodes foreign images starts in half the time, and few images need it

    if image.mode.startswith("I;16"):
        return 255 / 65535
    largest = np.max([np.asarray(strip).max() for strip, _ in _strips(image)])
    if image.mode.startswith("I"):
        return 255 / 65535 if largest > 255 else 1.0
    return 255.0 if largest <= 1 else 1.0


def _to_8_bit(image: Image.Image, scale: float) -> Image.Image:
    import numpy as np

    pixels = np.asarray(image, dtype=np.float64)
    return Image.fromarray(np.clip(np.nan_to_num(pixels) * scale, 0, 255).round().astype(np.uint8)).convert("RGB")
