"""Color profiles, written after the ICC's specification (ICC.1:2001-04 and ICC.1:2022), and the colors that they mean by the same formulas."""

import io
import struct

import numpy as np
from PIL import Image, ImageCms

from hostile_images import chunk

D50, D65 = (0.3457, 0.3585), (0.3127, 0.3290)
# primaries, white point and exponent; None: the curve of sRGB
SPACES = {
    "sRGB": (((0.64, 0.33), (0.30, 0.60), (0.15, 0.06)), D65, None),
    "Display P3": (((0.68, 0.32), (0.265, 0.69), (0.15, 0.06)), D65, None),
    "Adobe RGB": (((0.64, 0.33), (0.21, 0.71), (0.15, 0.06)), D65, 563 / 256),
    "ProPhoto": (((0.7347, 0.2653), (0.1596, 0.8404), (0.0366, 0.0001)), D50, 1.8),
}
_PCS = np.array([0.9642, 1.0, 0.8249])
_BRADFORD = np.array([[0.8951, 0.2664, -0.1614], [-0.7502, 1.7135, 0.0367], [0.0389, -0.0685, 1.0296]])


def to_xyz(space: str) -> np.ndarray:
    """The matrix (3, 3) from linear RGB to XYZ of D50."""
    primaries, white, _ = SPACES[space]
    x, y = np.array([*primaries, white]).T
    points = np.stack([x / y, np.ones(4), (1 - x - y) / y])
    matrix = points[:, :3] * np.linalg.solve(points[:, :3], points[:, 3])
    gains = (_BRADFORD @ _PCS) / (_BRADFORD @ points[:, 3])
    return np.linalg.inv(_BRADFORD) @ np.diag(gains) @ _BRADFORD @ matrix


def linear(levels: np.ndarray, gamma: float | None) -> np.ndarray:
    """Light from levels 0 to 1."""
    return levels**gamma if gamma else np.where(levels <= 0.04045, levels / 12.92, ((levels + 0.055) / 1.055) ** 2.4)


def levels(light: np.ndarray, gamma: float | None) -> np.ndarray:
    """Levels 0 to 1 from light; what is outside is clipped."""
    light = np.clip(light, 0, 1)
    return light ** (1 / gamma) if gamma else np.where(light <= 0.0031308, light * 12.92, 1.055 * light ** (1 / 2.4) - 0.055)


def converted(pixels: np.ndarray, source: str, target: str) -> np.ndarray:
    """8-bit pixels (..., 3) of one space as those of another, by the formulas."""
    light = linear(np.asarray(pixels, np.float64) / 255, SPACES[source][2]) @ to_xyz(source).T @ np.linalg.inv(to_xyz(target)).T
    return (levels(light, SPACES[target][2]) * 255).round().astype(np.uint8)


def rgb_profile(space: str, version: int = 4) -> bytes:
    """A matrix profile; of version 2, the curve of sRGB is a table."""
    gamma, matrix = SPACES[space][2], to_xyz(space)
    tags = {b"wtpt": _xyz(_PCS)}
    for name, column in zip(b"rgb", matrix.T, strict=True):
        tags[bytes([name]) + b"XYZ"], tags[bytes([name]) + b"TRC"] = _xyz(column), _curve(gamma, version)
    return _profile(b"RGB ", b"XYZ ", b"mntr", tags, version)


def gray_profile(gamma: float = 1.8) -> bytes:
    """Gray with an exponent."""
    return _profile(b"GRAY", b"XYZ ", b"mntr", {b"wtpt": _xyz(_PCS), b"kTRC": _curve(gamma, 2)}, 2)


def cmyk_profile() -> bytes:
    """Inks of a device whose paper is white and whose full inks are darker than those that Pillow assumes: Lab by a table of the 16 corners."""
    corners = []
    for number in range(16):
        ink = [number >> shift & 1 for shift in (3, 2, 1, 0)]  # the last channel varies fastest
        lightness = 100 * 0.6 ** sum(ink[:3]) * (0.1 if ink[3] else 1)
        corners += [round(lightness * 2.55), 128 + 40 * (ink[1] - ink[0]), 128 + 40 * (ink[2] - ink[0])]
    straight = bytes(range(256))
    identity = struct.pack(">9i", *(65536 * (row == column) for row in range(3) for column in range(3)))
    table = b"mft1\0\0\0\0" + bytes([4, 3, 2, 0]) + identity + straight * 4 + bytes(corners) + straight * 3
    return _profile(b"CMYK", b"Lab ", b"prtr", {b"wtpt": _xyz(_PCS), b"A2B0": table, b"A2B1": table}, 2)


def with_profile(pixels: np.ndarray, profile: bytes, suffix: str, **options: object) -> bytes:
    """A file of these pixels, without loss where the format can, with a profile."""
    buffer = io.BytesIO()
    lossless = {"webp": {"lossless": True}, "jpg": {"quality": 100, "subsampling": 0}, "avif": {"quality": 100, "subsampling": "4:4:4"}}
    name = {"jpg": "JPEG", "tif": "TIFF"}.get(suffix, suffix.upper())
    Image.fromarray(pixels).save(buffer, name, icc_profile=profile, **lossless.get(suffix, {}), **options)
    return buffer.getvalue()


def png_with(pixels: np.ndarray, *chunks: tuple[bytes, bytes]) -> bytes:
    """A PNG of these pixels, with chunks behind its header."""
    buffer = io.BytesIO()
    Image.fromarray(pixels).save(buffer, "PNG")
    content = buffer.getvalue()
    return content[:33] + b"".join(chunk(*each) for each in chunks) + content[33:]


def littlecms(pixels: np.ndarray, profile: bytes, mode: str = "RGB") -> np.ndarray:
    """What LittleCMS itself makes of pixels with a profile, in sRGB."""
    source, target = (ImageCms.ImageCmsProfile(each) for each in (io.BytesIO(profile), ImageCms.createProfile("sRGB")))
    flags = ImageCms.Flags.BLACKPOINTCOMPENSATION
    transform = ImageCms.ImageCmsTransform(source, target, mode, "RGB", ImageCms.Intent.RELATIVE_COLORIMETRIC, flags=flags)
    return np.asarray(transform.apply(Image.fromarray(pixels, mode)))


def _fixed(numbers: object) -> bytes:
    return b"".join(struct.pack(">i", round(float(number) * 65536)) for number in numbers)  # type: ignore[attr-defined]


def _xyz(values: np.ndarray) -> bytes:
    return b"XYZ \0\0\0\0" + _fixed(values)


def _curve(gamma: float | None, version: int) -> bytes:
    if version == 4:
        numbers = (gamma,) if gamma else (2.4, 1 / 1.055, 0.055 / 1.055, 1 / 12.92, 0.04045)
        return b"para\0\0\0\0" + struct.pack(">HH", 0 if gamma else 3, 0) + _fixed(numbers)
    if gamma:
        return b"curv\0\0\0\0" + struct.pack(">IH", 1, round(gamma * 256)) + b"\0\0"
    table = (linear(np.linspace(0, 1, 1024), None) * 65535).round().astype(">u2")
    return b"curv\0\0\0\0" + struct.pack(">I", 1024) + table.tobytes()


def _profile(space: bytes, pcs: bytes, kind: bytes, tags: dict[bytes, bytes], version: int) -> bytes:
    table, data, start = struct.pack(">I", len(tags)), b"", 132 + 12 * len(tags)
    for name, content in tags.items():
        content += b"\0" * (-len(content) % 4)
        table += name + struct.pack(">II", start + len(data), len(content))
        data += content
    head = struct.pack(">I4xI", start + len(data), version << 24) + kind + space + pcs + bytes(12) + b"acsp" + bytes(28) + _fixed(_PCS)
    return head.ljust(128, b"\0") + table + data
