"""Convert the colors of images to sRGB.

Phones write Display P3, cameras Adobe RGB, printers CMYK. A file declares its color space by an ICC profile, code points (ITU-T H.273: PNG's cICP,
AVIF, HEIC), PNG's gAMA and cHRM, or EXIF's "R03" for Adobe RGB (CIPA DC-008). The order of precedence is that of browsers, and LittleCMS, which they
use for untrusted profiles, too, converts.

The intent is relative colorimetric with black point compensation: colors inside sRGB do not change, white stays white, and the darkest ink is black.
Perceptual tables would move all colors to fit those outside sRGB. The profiles of phones and cameras have no tables, so all intents are equal there.
"""

import io
import re
import struct
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from PIL import Image, ImageCms
from PIL.ExifTags import IFD

_MOST_BYTES = 4 << 20  # of a profile: those of printing presses have up to 3 MB
_KEPT = 16  # profiles whose transforms are kept
_CLASSES = ("scnr", "mntr", "prtr", "spac")
_SPACES = {"RGB": "RGB", "GRAY": "L", "CMYK": "CMYK"}  # of a profile: what it reads
_GRAY = ("1", "L", "LA", "La", "F")
# Levels of 255 by which published sRGB profiles, whose curves are tables, differ from each other.
_ROUNDING = 2

_D65, _D50 = (0.3127, 0.3290), (0.9642, 1.0, 0.8249)
_REC_709 = ((0.640, 0.330), (0.300, 0.600), (0.150, 0.060))
# Primaries by their code point, and all but one with D65; of 1, sRGB's, and 2, unspecified, nothing is to be done.
_PRIMARIES = {
    5: ((0.640, 0.330), (0.290, 0.600), (0.150, 0.060)),
    6: ((0.630, 0.340), (0.310, 0.595), (0.155, 0.070)),
    9: ((0.708, 0.292), (0.170, 0.797), (0.131, 0.046)),
    11: ((0.680, 0.320), (0.265, 0.690), (0.150, 0.060)),
    12: ((0.680, 0.320), (0.265, 0.690), (0.150, 0.060)),
}
_DCI = (0.314, 0.351)
# Curves by their code point: an exponent, or sRGB's own. 1, 6, 14 and 15 are those of cameras of television, whose pictures screens show as sRGB's.
_CURVES: dict[int, float | None] = {1: None, 4: 2.2, 5: 2.8, 6: None, 8: 1.0, 13: None, 14: None, 15: None, 17: 2.6}
_HDR = {16: "PQ", 18: "HLG"}
_ADOBE, _ADOBE_GAMMA = ((0.640, 0.330), (0.210, 0.710), (0.150, 0.060)), 563 / 256
_COLOR_SPACE, _UNCALIBRATED, _INTEROPERABILITY = 0xA001, 0xFFFF, 1

_HEAD = 4096  # bytes of a file in which its code points stand
_CODES = {"PNG": re.compile(rb"\0\0\0\x04cICP(.)(.)", re.DOTALL), "AVIF": re.compile(rb"colrnclx\0(.)\0(.)", re.DOTALL)}
# PNG: a gamma as near to sRGB's is meant as sRGB (libpng's threshold), and so are such primaries
_SRGB_GAMMA, _GAMMA_NEAR, _PRIMARY_NEAR = 1 / 2.2, 0.05, 0.005


@dataclass(frozen=True)
class ColorTransform:
    """Conversion to sRGB: `apply` takes an image of Pillow mode "RGB", "L" or "CMYK" and returns one of mode "RGB"."""

    mode: str
    apply: Callable[[Image.Image], Image.Image]


@dataclass(frozen=True)
class ImageColors:
    """The transform of an image to sRGB, None if it is sRGB or treated as such; and a remark for users, "" if colors are as in the file."""

    transform: ColorTransform | None = None
    remark: str = ""


_SRGB = ImageColors()


def image_colors(image: Image.Image) -> ImageColors:
    """The colors of an image, from its header only; no pixels are decoded."""
    profile = image.info.get("icc_profile")
    codes = _code_points(image)
    if codes is not None and (not profile or image.format == "PNG"):
        return _by_codes(image.mode, *codes)
    if profile and image.mode != "LAB":
        return _by_profile(profile, image.mode) if isinstance(profile, bytes) else ImageColors(remark=_unused("is damaged"))
    if image.mode == "CMYK":
        return ImageColors(remark="its inks have no color profile, so its colors are approximate")
    if "gamma" in image.info and "srgb" not in image.info:
        return _by_gamma(image)
    return _by_profile(_matrix_profile(_ADOBE, _D65, _ADOBE_GAMMA), image.mode) if _is_adobe(image) else _SRGB


def _code_points(image: Image.Image) -> tuple[int, int] | None:
    """Code points of primaries and curve."""
    told = image.info.get("nclx_profile")  # of pi-heif
    if isinstance(told, dict):
        return int(told.get("color_primaries", 2)), int(told.get("transfer_characteristics", 2))
    pattern, file = _CODES.get(image.format or ""), getattr(image, "fp", None)
    if pattern is None or file is None:
        return None
    try:
        place = file.tell()
        file.seek(0)
        match = pattern.search(file.read(_HEAD))
        file.seek(place)
    except ValueError:  # it is closed: the image was decoded before
        return None
    return (match[1][0], match[2][0]) if match else None


def _by_codes(mode: str, primaries: int, curve: int) -> ImageColors:
    if curve in _HDR:
        return ImageColors(remark=f"its brightness is HDR ({_HDR[curve]}), which is read as SDR; export it as SDR")
    if primaries not in _PRIMARIES and _CURVES.get(curve) is None:
        return _SRGB
    white = _DCI if primaries == 11 else _D65
    return _by_profile(_matrix_profile(_PRIMARIES.get(primaries, _REC_709), white, _CURVES.get(curve)), mode)


def _by_gamma(image: Image.Image) -> ImageColors:
    """PNG's gAMA and cHRM; cHRM alone is ignored."""
    gamma, told = float(image.info["gamma"]), image.info.get("chromaticity")
    own, white = _REC_709, _D65
    if told is not None:
        points = [(told[number], told[number + 1]) for number in range(0, 8, 2)]
        expected = (_D65, *_REC_709)
        if any(abs(a - b) > _PRIMARY_NEAR for point, other in zip(points, expected, strict=True) for a, b in zip(point, other, strict=True)):
            white, own = points[0], (points[1], points[2], points[3])
    if abs(gamma / _SRGB_GAMMA - 1) <= _GAMMA_NEAR and own is _REC_709:
        return _SRGB
    if not 0.1 <= gamma <= 10:
        return ImageColors(remark=_unused("is damaged"))
    try:
        profile = _matrix_profile(own, white, 1 / gamma)
    except (ArithmeticError, ValueError, struct.error):  # primaries that are no colors
        return ImageColors(remark=_unused("is damaged"))
    return _by_profile(profile, image.mode)


def _is_adobe(image: Image.Image) -> bool:
    """True if EXIF data declare Adobe RGB; they are parsed only if they contain the marker."""
    data = image.info.get("exif")
    if not isinstance(data, bytes) or b"R03" not in data:
        return False
    try:
        exif = image.getexif()
        space = exif.get_ifd(IFD.Exif).get(_COLOR_SPACE)
        return space == _UNCALIBRATED and str(exif.get_ifd(IFD.Interop).get(_INTEROPERABILITY, "")).startswith("R03")
    except Exception:  # Pillow's parsers raise anything on damaged data
        return False


def _by_profile(profile: bytes, mode: str) -> ImageColors:
    if len(profile) > _MOST_BYTES:
        return ImageColors(remark=_unused(f"has more than {_MOST_BYTES >> 20} MB"))
    kind = "CMYK" if mode == "CMYK" else "L" if mode in _GRAY or mode.startswith("I") else "RGB"
    return _profile_colors(profile, kind)


@lru_cache(_KEPT)
def _profile_colors(profile: bytes, kind: str) -> ImageColors:
    """The colors of images of a mode ("L", "RGB" or "CMYK") by their profile; a gray image may have an RGB profile."""
    try:
        source = ImageCms.ImageCmsProfile(io.BytesIO(profile))
        space = source.profile.xcolor_space.strip()
        mode = _SPACES.get(space)
        if source.profile.device_class not in _CLASSES or mode is None or (mode != kind and (kind, mode) != ("L", "RGB")):
            return ImageColors(remark=_unused(f"is made for {space or 'nothing'} ({source.profile.device_class})"))
        transform = _transform(source, mode)
    except Exception:  # LittleCMS and Pillow raise anything on foreign profiles
        return ImageColors(remark=_unused("is damaged"))
    return ImageColors(None if _keeps_colors(transform) else transform)


def _transform(source: ImageCms.ImageCmsProfile, mode: str) -> ColorTransform:
    target = ImageCms.ImageCmsProfile(ImageCms.createProfile("sRGB"))
    flags = ImageCms.Flags.BLACKPOINTCOMPENSATION | ImageCms.Flags.NOCACHE  # which is for pictures of few colors, and slower on photos
    found = ImageCms.ImageCmsTransform(source, target, mode, "RGB", ImageCms.Intent.RELATIVE_COLORIMETRIC, flags=flags)

    def apply(image: Image.Image) -> Image.Image:
        assert image.mode == mode  # LittleCMS reads as many bytes as the mode has
        result = found.apply(image)
        result.info.pop("icc_profile", None)
        return result

    return ColorTransform(mode, apply)


def _keeps_colors(transform: ColorTransform) -> bool:
    """True if a transform changes no color beyond rounding, as for every sRGB profile: such images are kept bit for bit."""
    if transform.mode == "CMYK":
        return False
    grays, steps = [bytes([level] * 3) for level in range(256)], range(0, 256, 15)
    colors = grays if transform.mode == "L" else [*grays, *(bytes((r, g, b)) for r in steps for g in steps for b in steps)]
    probe = Image.frombytes("RGB", (len(colors), 1), b"".join(colors))
    found = transform.apply(probe.convert(transform.mode))
    return all(abs(a - b) <= _ROUNDING for a, b in zip(probe.tobytes(), found.tobytes(), strict=True))


def _matrix_profile(primaries: Sequence[Sequence[float]], white: Sequence[float], gamma: float | None) -> bytes:
    """An ICC profile (version 4.3) from three primaries and a white point (x, y each) and an exponent; None: sRGB's curve. Raises ArithmeticError,
    ValueError or struct.error for invalid colors.
    """
    if gamma is None:
        curve = struct.pack(">HH", 3, 0) + _fixed(2.4, 1 / 1.055, 0.055 / 1.055, 1 / 12.92, 0.04045)
    else:
        curve = struct.pack(">HH", 0, 0) + _fixed(gamma)
    tags = {b"wtpt": b"XYZ \0\0\0\0" + _fixed(*_D50)}
    for name, column in zip(b"rgb", _adapted_primaries(primaries, white), strict=True):
        tags[bytes([name]) + b"XYZ"] = b"XYZ \0\0\0\0" + _fixed(*column)
        tags[bytes([name]) + b"TRC"] = b"para\0\0\0\0" + curve
    table, data, start = struct.pack(">I", len(tags)), b"", 132 + 12 * len(tags)
    for signature, content in tags.items():
        table += signature + struct.pack(">II", start + len(data), len(content))
        data += content
    head = struct.pack(">I4x4s4s4s4s12x4s28x", start + len(data), b"\x04\x30\0\0", b"mntr", b"RGB ", b"XYZ ", b"acsp") + _fixed(*_D50)
    return head.ljust(128, b"\0") + table + data


def _fixed(*numbers: float) -> bytes:
    return struct.pack(f">{len(numbers)}i", *(round(number * 65536) for number in numbers))


def _adapted_primaries(primaries: Sequence[Sequence[float]], white: Sequence[float]) -> Any:
    """XYZ (3, 3) of the primaries, one a row, adapted to D50 by Bradford's matrix (ICC.1:2022, annex E)."""
    import numpy as np  # not at the top: as in `rgb`

    bradford = np.array([[0.8951, 0.2664, -0.1614], [-0.7502, 1.7135, 0.0367], [0.0389, -0.0685, 1.0296]])
    points = np.array([(x / y, 1, (1 - x - y) / y) for x, y in (*primaries, white)])
    try:
        scaled = points[:3] * np.linalg.solve(points[:3].T, points[3])[:, None]
    except np.linalg.LinAlgError as error:
        raise ValueError("primaries on a line") from error
    gains = bradford @ np.array(_D50) / (bradford @ points[3])
    return scaled @ (np.linalg.inv(bradford) @ (gains[:, None] * bradford)).T


def _unused(reason: str) -> str:
    return f"its color profile {reason}, so its colors are read as sRGB"
