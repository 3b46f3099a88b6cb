"""Gray of more than 8 bits, and every other mode: no gradient becomes all white or all black."""

import io
import struct
import zlib
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, strategies as st
from PIL import Image

from likeness.io import REMARK, decode_image, image_remark, read_image, to_rgb
from likeness.io.foreign_images import foreign_file

RAMP = np.add.outer(np.linspace(0, 0.5, 40), np.linspace(0, 0.5, 50))  # 0 to 1
OWN, BITS = "its brightness is scaled from its own range (", "its 16 bits are read as "


def png(values: np.ndarray, kind: int, *chunks: tuple[bytes, bytes]) -> bytes:
    """A PNG of 16 bits a channel: kind 0 gray, 2 RGB, 4 gray with alpha, 6 RGBA."""
    height, width = values.shape[:2]
    rows = b"".join(b"\0" + row.astype(">u2").tobytes() for row in values)
    head = struct.pack(">IIBBBBB", width, height, 16, kind, 0, 0, 0)
    parts = ((b"IHDR", head), *chunks, (b"IDAT", zlib.compress(rows)), (b"IEND", b""))
    return b"\x89PNG\r\n\x1a\n" + b"".join(struct.pack(">I", len(c)) + k + c + struct.pack(">I", zlib.crc32(k + c)) for k, c in parts)


def tiff(values: np.ndarray, bits: int, form: int = 1, big: bool = False, tags: dict[int, tuple[int, bytes, int]] | None = None) -> bytes:
    """A gray TIFF; form 1: unsigned, 2: signed, 3: float; more tags as number -> (type, bytes, count)."""
    order = ">" if big else "<"
    if bits == 12:
        pairs = values.astype(np.uint16).reshape(-1, 2)
        data = np.stack([pairs[:, 0] >> 4, (pairs[:, 0] & 15) << 4 | pairs[:, 1] >> 8, pairs[:, 1] & 255], axis=1).astype(np.uint8).tobytes()
    else:
        data = values.astype(np.dtype(f"{order}{' uif'[form]}{bits // 8}")).tobytes()
    height, width = values.shape
    short = {256: width, 257: height, 258: bits, 259: 1, 262: 1, 273: 8, 277: 1, 278: height, 339: form}
    entries = {number: (3, struct.pack(order + "HH", value, 0), 1) for number, value in short.items()} | {
        279: (4, struct.pack(order + "I", len(data)), 1)
    }
    entries |= tags or {}
    more, directory, after = b"", struct.pack(order + "H", len(entries)), 8 + len(data) + 6 + 12 * len(entries)
    for number, (kind, content, count) in sorted(entries.items()):
        if len(content) > 4:
            place, more = struct.pack(order + "I", after + len(more)), more + content + b"\0" * (len(content) % 2)
        directory += struct.pack(order + "HHI", number, kind, count) + (place if len(content) > 4 else content.ljust(4, b"\0"))
    return (b"MM\0*" if big else b"II*\0") + struct.pack(order + "I", 8 + len(data)) + data + directory + struct.pack(order + "I", 0) + more


def pgm(most: int) -> bytes:
    return f"P5 {RAMP.shape[1]} {RAMP.shape[0]} {most}\n".encode() + (RAMP * most).round().astype(">u2" if most > 255 else np.uint8).tobytes()


def saved(name: str, mode: str, **options: object) -> bytes:
    gray = Image.fromarray((RAMP * 255).round().astype(np.uint8))
    image = gray.quantize(256, dither=Image.Dither.NONE) if mode == "P" else gray.convert(mode)
    buffer = io.BytesIO()
    image.save(buffer, name, **options)
    return buffer.getvalue()


def jpeg_2000(values: np.ndarray) -> bytes:
    buffer = io.BytesIO()
    Image.fromarray(values.astype(np.uint16)).save(buffer, "JPEG2000")
    return buffer.getvalue()


def stack(*channels: np.ndarray) -> np.ndarray:
    return np.stack(channels, axis=2)


FULL, OPAQUE = RAMP * 65535, np.full(RAMP.shape, 65535)
BLACK, WHITE = 0, 255
# file: black, white, what is said
FILES: dict[str, tuple[Callable[[], bytes], float, float, str]] = {
    "png 16": (lambda: png(FULL, 0), BLACK, WHITE, ""),
    "png 16, a color transparent": (lambda: png(FULL, 0, (b"tRNS", struct.pack(">H", 12_345))), BLACK, WHITE, ""),
    "png 16 with alpha": (lambda: png(stack(FULL, OPAQUE), 4), BLACK, WHITE, ""),
    "png 48": (lambda: png(stack(FULL, FULL, FULL), 2), BLACK, WHITE, ""),
    "png 64": (lambda: png(stack(FULL, FULL, FULL, OPAQUE), 6), BLACK, WHITE, ""),
    "png, 14 bits in 16": (lambda: png(RAMP * 16383, 0), BLACK, WHITE, f"{BITS}14"),
    "png, 12 bits in 16": (lambda: png(RAMP * 4095, 0), BLACK, WHITE, f"{BITS}12"),
    "png, 12 bits in 16, said so": (lambda: png(RAMP * 4095, 0, (b"sBIT", b"\x0c")), BLACK, WHITE, f"{BITS}12"),
    "png, 10 bits in 16": (lambda: png(RAMP * 1023, 0), BLACK, WHITE, f"{BITS}10"),
    "png, 8 bits in 16": (lambda: png(RAMP * 255, 0), BLACK, WHITE, f"{OWN}0 to 255)"),
    "png, 20 counts in 16": (lambda: png(RAMP * 20, 0), BLACK, WHITE, f"{OWN}0 to 20)"),
    "tiff 16": (lambda: tiff(FULL, 16), BLACK, WHITE, ""),
    "tiff 16, big endian": (lambda: tiff(FULL, 16, big=True), BLACK, WHITE, ""),
    "tiff, 12 bits in 16": (lambda: tiff(RAMP * 4095, 16), BLACK, WHITE, f"{BITS}12"),
    "tiff, 12 bits in 16, big endian": (lambda: tiff(RAMP * 4095, 16, big=True), BLACK, WHITE, f"{BITS}12"),
    "tiff, 12 bits": (lambda: tiff(RAMP * 2000, 12), BLACK, 125, ""),  # the format names its range
    "tiff 16, range named": (lambda: tiff(RAMP * 3000, 16, tags={281: (3, struct.pack("<H", 6000), 1)}), BLACK, 128, ""),
    "tiff 16, range named as wide as its numbers": (lambda: tiff(RAMP * 4095, 16, tags={281: (3, b"\xff\xff", 1)}), BLACK, WHITE, f"{BITS}12"),
    "tiff 16, range named too narrow": (lambda: tiff(FULL, 16, tags={281: (3, struct.pack("<H", 6000), 1)}), BLACK, WHITE, ""),
    "tiff 16 signed": (lambda: tiff(RAMP * 2000 - 1000, 16, 2), BLACK, WHITE, f"{OWN}-1,000 to 1,000)"),
    "tiff 32": (lambda: tiff(RAMP * 2e6, 32), BLACK, WHITE, f"{OWN}0 to 2e+06)"),
    "tiff 32 unsigned": (lambda: tiff(RAMP * (2**32 - 1), 32), BLACK, WHITE, OWN),
    "tiff 32 signed": (lambda: tiff(RAMP * 2e6 - 1e6, 32, 2), BLACK, WHITE, f"{OWN}-1e+06 to 1e+06)"),
    "tiff float, elevation": (lambda: tiff(RAMP * 4000 + 300, 32, 3), BLACK, WHITE, f"{OWN}300 to 4,300)"),
    "tiff float, big endian": (lambda: tiff(RAMP * 4000 + 300, 32, 3, big=True), BLACK, WHITE, f"{OWN}300 to 4,300)"),
    "tiff float, -1 to 1": (lambda: tiff(RAMP * 2 - 1, 32, 3), BLACK, WHITE, f"{OWN}-1 to 1)"),
    "tiff float, 0 to 1": (lambda: tiff(RAMP, 32, 3), BLACK, WHITE, f"{OWN}0 to 1)"),
    "tiff float, tiny": (lambda: tiff(RAMP * 1e-30, 32, 3), BLACK, WHITE, f"{OWN}0 to 1e-30)"),
    "tiff float, range named": (lambda: tiff(RAMP, 32, 3, tags={341: (11, struct.pack("<f", 2.0), 1)}), BLACK, 128, ""),
    "pgm 16": (lambda: pgm(65535), BLACK, WHITE, ""),
    "pgm 12": (lambda: pgm(4095), BLACK, WHITE, ""),
    "pgm 8": (lambda: pgm(255), BLACK, WHITE, ""),
    "jpeg 2000, 16": (lambda: jpeg_2000(FULL), BLACK, WHITE, ""),
    **{f"png {mode}": (lambda mode=mode: saved("PNG", mode), BLACK, WHITE, "") for mode in ("L", "LA", "P", "RGB", "RGBA")},  # type: ignore[misc]
    **{f"tiff {mode}": (lambda mode=mode: saved("TIFF", mode), BLACK, WHITE, "") for mode in ("L", "LA", "P", "RGB", "RGBA", "YCbCr")},  # type: ignore[misc]
    "tiff CMYK": (lambda: saved("TIFF", "CMYK"), BLACK, WHITE, "its inks have no color profile"),
    **{f"webp {mode}": (lambda mode=mode: saved("WEBP", mode, lossless=True), BLACK, WHITE, "") for mode in ("RGB", "RGBA")},  # type: ignore[misc]
    **{name: (lambda name=name: saved(name, "L"), BLACK, WHITE, "") for name in ("GIF", "BMP", "TGA", "JPEG", "PCX", "SGI")},  # type: ignore[misc]
    "avif": (lambda: saved("AVIF", "RGB", quality=100), BLACK, WHITE, ""),
}


@pytest.mark.parametrize("name", FILES)
def test_a_gradient_stays_a_gradient(name: str, tmp_path: Path) -> None:
    make, black, white, said = FILES[name]
    (tmp_path / "a").write_bytes(make())
    image = read_image(tmp_path / "a")
    pixels = np.asarray(image, float)
    assert np.ptp(pixels, axis=2).max() <= 2  # gray
    assert np.corrcoef(pixels.mean(2).ravel(), RAMP.ravel())[0, 1] > 0.99
    assert (pixels.min(), pixels.max()) == (pytest.approx(black, abs=3), pytest.approx(white, abs=3))
    assert image.info.get(REMARK, "").startswith(said)
    assert bool(image.info.get(REMARK)) == bool(said)
    assert image_remark(tmp_path / "a") == image.info.get(REMARK, "")


@pytest.mark.parametrize(
    "mode", ["1", "L", "P", "RGB", "RGBA", "CMYK", "YCbCr", "LAB", "HSV", "I", "F", "LA", "PA", "RGBX", "RGBa", "La", "I;16", "I;16L", "I;16B"]
)
def test_images_of_every_mode_keep_their_gradient(mode: str) -> None:
    gray = Image.fromarray((RAMP * 255).round().astype(np.uint8))
    if mode.startswith("I;16"):
        image = Image.frombytes(mode, gray.size, FULL.astype(">u2" if mode.endswith("B") else "<u2").tobytes())
    elif mode in ("P", "PA"):
        image = gray.quantize(256, dither=Image.Dither.NONE).convert(mode)
    elif mode == "La":
        image = gray.convert("LA").convert(mode)
    else:
        image = gray.convert("RGB").convert(mode)
    found = np.asarray(to_rgb(image), float)
    assert np.corrcoef(found.mean(2).ravel(), RAMP.ravel())[0, 1] > (0.4 if mode == "1" else 0.99)  # 1 bit: dots
    assert (found.min(), found.max()) == (pytest.approx(BLACK, abs=3), pytest.approx(WHITE, abs=3))


def test_without_numbers_and_marks_for_none_decide_nothing() -> None:
    values = (RAMP * 4000 + 300).astype(np.float32)
    values[0, :4] = np.nan, np.inf, -np.inf, -3.4028235e38
    values[1, 0] = -9999
    content = tiff(values, 32, 3, tags={42_113: (2, b"-9999\0", 6)})
    image = decode_image(io.BytesIO(content), "a")
    pixels = np.asarray(image)[..., 0]
    assert pixels[0, :4].tolist() == [0, 255, 0, 0]
    assert pixels[1, 0] == 0
    good = np.isfinite(values) & (values > 0)
    low, high = values[good].min(), values[good].max()
    np.testing.assert_array_equal(pixels[good], ((values[good].astype(np.float64) - low) * (255 / (float(high) - low))).round().astype(np.uint8))
    assert image.info[REMARK] == f"{OWN}{low:,.6g} to {high:,.6g})"


def test_the_transparent_value_is_white_and_decides_no_range() -> None:
    values = (RAMP * 4095).round()
    values[0, 0] = 65535  # marks what is clear
    image = decode_image(io.BytesIO(png(values, 0, (b"tRNS", b"\xff\xff"))), "a")
    pixels = np.asarray(image)[..., 0]
    assert (pixels[0, 0], pixels[0, 1], pixels[-1, -1]) == (255, round(values[0, 1] / 4095 * 255), 255)
    assert image.info[REMARK].startswith(f"{BITS}12")


def test_a_transparent_color_of_16_bits_a_channel_is_white() -> None:
    values = stack(FULL, FULL, FULL).round()
    values[0, 0] = 0x1234, 0x5678, 0x9ABC
    pixels = np.asarray(decode_image(io.BytesIO(png(values, 2, (b"tRNS", bytes.fromhex("123456789abc")))), "a"))
    assert pixels[0, 0].tolist() == [255] * 3
    assert pixels[0, 1].tolist() == [int(values[0, 1, 0]) >> 8] * 3


@pytest.mark.parametrize(
    ("values", "expected"),
    [(np.float32(v), e) for v, e in ((0.5, 128), (1, 255), (200, 200), (1e6, 255), (-3, 0), (np.nan, 0), (np.inf, 255), (-np.inf, 0))]
    + [(np.int32(v), e) for v, e in ((0, 0), (7, 7), (100_000, 255), (-5, 0))]
    + [(np.uint16(v), e) for v, e in ((0, 0), (257, 1), (4095, 16), (65535, 255))],
)
def test_a_constant_picture_has_no_range_of_its_own(values: np.generic, expected: int) -> None:
    image = to_rgb(Image.fromarray(np.full((4, 4), values)))
    assert image.getpixel((1, 1)) == (expected,) * 3
    assert REMARK not in image.info


@pytest.mark.parametrize(("largest", "bits"), [(1023, 10), (1024, 12), (4095, 12), (4096, 14), (16383, 14), (16384, 16)])
def test_16_bits_are_read_as_the_fewest_that_hold_the_largest_value(largest: int, bits: int) -> None:
    image = to_rgb(Image.fromarray(np.array([[0, largest]], np.uint16)))
    assert image.getpixel((1, 0)) == (round(255 * largest / (2**bits - 1)),) * 3
    assert image.info.get(REMARK, "").startswith(f"{BITS}{bits}" if bits < 16 else "")


def test_one_finite_value_beside_infinity() -> None:
    image = to_rgb(Image.fromarray(np.array([[0.5, np.inf, -np.inf, np.nan]], np.float32)))
    assert [image.getpixel((x, 0))[0] for x in range(4)] == [128, 255, 0, 0]


ROWS = [
    st.lists(st.floats(width=32), min_size=2, max_size=6).map(lambda row: np.array([row], np.float32)),
    st.lists(st.integers(-(2**31), 2**31 - 1), min_size=2, max_size=6).map(lambda row: np.array([row], np.int32)),
    st.lists(st.integers(0, 65535), min_size=2, max_size=6).map(lambda row: np.array([row], np.uint16)),
]


@given(st.one_of(ROWS))
def test_larger_values_are_never_darker_and_an_own_range_is_used_whole(values: np.ndarray) -> None:
    image = to_rgb(Image.fromarray(values))
    found, numbers = np.asarray(image)[0, :, 0].astype(int), values[0].astype(np.float64)
    known = ~np.isnan(numbers)
    assert (np.diff(found[known][np.argsort(numbers[known], kind="stable")]) >= 0).all()
    assert (found[~known] == 0).all()
    measured = np.abs(values[0]) < values.dtype.type(1e38) if values.dtype.kind == "f" else np.full(len(numbers), True)
    own = image.info.get(REMARK, "").startswith(OWN)
    assert own or values.dtype == np.uint16 or len(np.unique(numbers[measured])) < 2
    if own:
        assert (found[measured].min(), found[measured].max()) == (0, 255)


def test_files_of_others_are_scaled_alike_and_say_so(tmp_path: Path) -> None:
    (tmp_path / "a.tif").write_bytes(tiff(RAMP * 4000 + 300, 32, 3))
    foreign, own = foreign_file(tmp_path / "a.tif"), read_image(tmp_path / "a.tif")
    np.testing.assert_array_equal(np.asarray(foreign), np.asarray(own))
    assert foreign.info[REMARK] == own.info[REMARK] == f"{OWN}300 to 4,300)"


@pytest.mark.parametrize("orientation", [3, 6])
def test_a_turned_picture_has_the_same_range(tmp_path: Path, orientation: int) -> None:
    plain = tiff(RAMP * 2000, 12)
    turned = tiff(RAMP * 2000, 12, tags={274: (3, struct.pack("<HH", orientation, 0), 1)})
    first, second = (np.asarray(decode_image(io.BytesIO(content), "a"))[..., 0] for content in (plain, turned))
    np.testing.assert_array_equal(second, np.rot90(first, {3: 2, 6: 3}[orientation]))
