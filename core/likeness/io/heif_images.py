"""HEIC and HEIF, the format of phones: known by content, opened by Pillow with the plugin of pi-heif; or of pillow-heif, where somebody installed
it, which is maintained and has a GPL encoder in its wheels.

Only in the process that decodes foreign images: nothing else registers the plugin.
"""

import re

from likeness.io.unreadable import MissingPackageError

# AVIF has the same container and other brands; Pillow reads it by itself
_HEIF = re.compile(rb".{4}ftyp(?:hei[cxms]|hev[cxms]|mif1|msf1)", re.DOTALL)
_BRANDS = 64  # bytes in which the brands of a file stand


def is_heif(head: bytes) -> bool:
    """Whether a file is HEIF and not AVIF, by its first 64 bytes."""
    return _HEIF.match(head) is not None and b"avif" not in head[:_BRANDS]


def register_heif(name: str) -> None:
    """Lets Pillow open HEIF in this process, with one thread.

    Raises:
        MissingPackageError: neither pi-heif nor pillow-heif is installed; `name` stands in the message.
    """
    try:
        import pillow_heif as heif
    except ImportError:
        try:
            import pi_heif as heif
        except ImportError as error:
            raise MissingPackageError(name, "pi-heif", "photos") from error
    heif.options.DECODE_THREADS = 1
    heif.register_heif_opener(thumbnails=False)
