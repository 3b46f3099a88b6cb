"""Reading images of every mode as upright, opaque RGB."""

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from likeness.io import TransientError, UnreadableImageError, images, read_image, rgb, to_rgb

RED, WHITE = (255, 0, 0), (255, 255, 255)


def save(image: Image.Image, path: Path, **options) -> Path:
    image.save(path, **options)
    return path


def color(image: Image.Image, at: tuple[int, int] = (1, 1)) -> tuple[int, int, int]:
    assert image.mode == "RGB"
    return image.getpixel(at)


@pytest.mark.parametrize("orientation", range(1, 9))
def test_exif_orientation(tmp_path: Path, orientation: int) -> None:
    upright = np.zeros((4, 6, 3), np.uint8)
    upright[0, 0], upright[0, 5] = RED, WHITE
    # The stored pixels are the upright ones, undone: what each value of the tag means, from the EXIF standard.
    undo = {
        1: lambda a: a,
        2: lambda a: a[:, ::-1],
        3: lambda a: a[::-1, ::-1],
        4: lambda a: a[::-1],
        5: lambda a: a.swapaxes(0, 1),
        6: lambda a: np.rot90(a, 1),
        7: lambda a: np.rot90(a.swapaxes(0, 1), 2),
        8: lambda a: np.rot90(a, -1),
    }
    exif = Image.Exif()
    exif[0x0112] = orientation
    stored = Image.fromarray(np.ascontiguousarray(undo[orientation](upright)))
    np.testing.assert_array_equal(np.asarray(read_image(save(stored, tmp_path / "a.png", exif=exif))), upright)


@pytest.mark.parametrize("mode", ["RGBA", "LA", "PA", "RGBa"])
def test_transparent_parts_lie_over_white(mode: str) -> None:
    image = Image.new("RGBA", (4, 4), (0, 0, 0, 0))
    image.putpixel((1, 1), (0, 0, 0, 255))
    if mode == "PA":
        alpha = image.getchannel("A")
        image = Image.new("P", (4, 4), 0)
        image.putpalette([0] * 768)
        image.putalpha(alpha)
    read = to_rgb(image if image.mode == mode else image.convert(mode))
    assert color(read) == (0, 0, 0)
    assert color(read, (0, 0)) == WHITE


@pytest.mark.parametrize("mode", ["P", "L", "RGB"])
def test_a_transparent_color_is_white(tmp_path: Path, mode: str) -> None:
    image = Image.new("RGB", (4, 4), (0, 0, 0))
    image.putpixel((1, 1), (200, 200, 200))
    image = image.quantize(2) if mode == "P" else image.convert(mode)
    index = image.getpixel((0, 0))
    read = read_image(save(image, tmp_path / "a.png", transparency=index))
    assert color(read, (0, 0)) == WHITE
    assert color(read) == (200, 200, 200)


@pytest.mark.parametrize("rows", [1, 5, 64])
@pytest.mark.parametrize("kind", ["16 bit", "32 bit", "float", "float with gaps", "transparent", "palette with a transparent color"])
def test_strips_change_no_pixel(monkeypatch: pytest.MonkeyPatch, kind: str, rows: int) -> None:
    rng = np.random.default_rng(0)
    width, height = 7, 23
    values = rng.random((height, width))
    if kind == "transparent":
        image = Image.fromarray(rng.integers(0, 256, (height, width, 4), dtype=np.uint8))
        white = Image.new("RGBA", image.size, "white")
        expected = np.asarray(Image.alpha_composite(white, image).convert("RGB"))
    elif kind.startswith("palette"):
        colors = rng.integers(0, 200, (4, 3), dtype=np.uint8)
        indices = rng.integers(0, 4, (height, width), dtype=np.uint8)
        image = Image.fromarray(indices, "P")
        image.putpalette(colors.tobytes())
        image.info["transparency"] = 2
        colors[2] = 255
        expected = colors[indices]
    else:
        # what decides of the scale, the least and the largest value, lies in the last row alone
        pixels = {"16 bit": (values * 65535).astype(np.uint16), "32 bit": (values * 200).astype(np.int32)}.get(kind, values.astype(np.float32))
        low, high = {"16 bit": (0, 65535), "32 bit": (-7, 60_000)}.get(kind, (-0.5, 1.5))
        pixels[-1, -2:] = low, high
        if kind == "float with gaps":
            pixels[0, :3] = np.nan, np.inf, -np.inf
        image = Image.fromarray(pixels)
        scaled = np.nan_to_num((pixels.astype(np.float64) - low) * (255 / (high - low)))
        gray = np.clip(scaled, 0, 255).round().astype(np.uint8)
        expected = np.repeat(gray[..., None], 3, axis=2)
    monkeypatch.setattr(rgb, "_STRIP", rows * width)
    np.testing.assert_array_equal(np.asarray(to_rgb(image)), expected)


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="says how much memory a process has held")
def test_beside_a_large_deep_image_there_is_little_in_memory() -> None:
    # in a process of its own, whose peak is this image's: 2 bytes a pixel as it is, 4 as RGB
    code = """
import re
from pathlib import Path
from PIL import Image
from likeness.io import to_rgb
peak = lambda: 1024 * int(re.search(r"VmHWM:\\s+(\\d+)", Path("/proc/self/status").read_text())[1])
to_rgb(Image.new("I;16", (2_000, 2_000)))
before = peak()
to_rgb(Image.new("I;16", (6_000, 6_000)))
print((peak() - before) / 6_000**2)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert float(done.stdout) < 10


def test_a_jpeg_of_many_scans_is_refused_before_it_is_decoded(tmp_path: Path, progressive_jpeg) -> None:
    path = tmp_path / "a.jpg"
    path.write_bytes(progressive_jpeg(16, 16, 100))
    assert read_image(path).size == (16, 16)
    path.write_bytes(progressive_jpeg(16, 16, 101))
    with pytest.raises(UnreadableImageError, match=r"'a\.jpg' cannot be read: it is a JPEG of more than 100 scans, which takes too long to decode"):
        read_image(path)


@pytest.mark.filterwarnings("ignore")  # Pillow warns of what it reads over
@pytest.mark.parametrize("suffix", ["jpg", "png", "webp", "gif", "tif", "bmp"])
def test_truncated_and_damaged_files_are_unreadable_never_a_crash(photo, tmp_path: Path, suffix: str) -> None:
    def whole(side: int) -> bytes:
        return save(photo(side, side), tmp_path / f"whole.{suffix}").read_bytes()

    content = whole(64)
    path = tmp_path / f"a.{suffix}"
    messages = []
    for length in range(0, len(content), len(content) // 40):
        path.write_bytes(content[:length])
        try:
            read_image(path)
        except UnreadableImageError as error:
            messages.append(str(error))
    assert len(messages) > 30
    assert all(message.startswith(f"The image 'a.{suffix}' cannot be read: it is ") for message in messages)
    rng, small = np.random.default_rng(0), whole(24)
    for _ in range(150):
        content = bytearray(small)
        for position in rng.integers(0, min(len(content), 300), 3):
            content[position] = rng.integers(256)
        path.write_bytes(content)
        try:
            assert read_image(path).mode == "RGB"
        except UnreadableImageError:
            continue


def test_too_many_pixels_and_no_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(FileNotFoundError):
        read_image(tmp_path / "nowhere.png")
    path = save(Image.new("L", (100, 100)), tmp_path / "a.png")
    monkeypatch.setattr(Image, "MAX_IMAGE_PIXELS", 1000)
    with pytest.raises(UnreadableImageError, match="more pixels than is safe"):
        read_image(path)


def test_too_little_memory_is_no_damage_and_damage_not_believed_while_memory_is_short(tmp_path: Path, photo, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_) -> None:
        raise MemoryError

    with monkeypatch.context() as patch:
        patch.setattr(Image.core, "new", refuse)
        with pytest.raises(TransientError, match=r"'a.png' cannot be read now: there is not enough memory now; try again") as caught:
            read_image(save(Image.frombytes("L", (1, 1), b"a"), tmp_path / "a.png"))
    assert not isinstance(caught.value, UnreadableImageError)
    (tmp_path / "a.png").write_bytes(save(photo(64, 64), tmp_path / "whole.png").read_bytes()[:5000])
    with monkeypatch.context() as patch:
        patch.setattr(images, "check_memory", refuse)
        with pytest.raises(TransientError, match="not enough memory now"):
            read_image(tmp_path / "a.png")
    with pytest.raises(UnreadableImageError, match="damaged"):
        read_image(tmp_path / "a.png")


# Decodes files with little more memory than the process has already, and prints what each is answered with.
SHORT_OF_MEMORY = """
import resource, sys
from pathlib import Path
from PIL import Image
from likeness.io import read_image
Image.init()
size = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
resource.setrlimit(resource.RLIMIT_AS, (size + 35_000_000,) * 2)
for path in sys.argv[1:]:
    try:
        read_image(Path(path))
        print(path, "read")
    except Exception as error:
        print(path, type(error).__name__)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
def test_codecs_that_call_a_lack_of_memory_damage_are_not_believed(tmp_path: Path) -> None:
    large = Image.new("RGB", (2600, 2600), (1, 2, 3))
    files = [save(large, tmp_path / "a.webp", method=0), save(large, tmp_path / "b.jpg", progressive=True)]
    done = subprocess.run([sys.executable, "-c", SHORT_OF_MEMORY, *map(str, files)], capture_output=True, text=True)
    assert done.stdout.split() == [word for file in files for word in (str(file), "TransientError")], done.stderr
    assert all(read_image(file).size == (2600, 2600) for file in files)


def test_on_a_shared_server_large_images_are_decoded_apart(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest) -> None:
    """Decoding one for a visitor took the server's own time."""
    from likeness.io import confine, foreign_images, images
    from likeness.io.decoder_pool import DecoderPool

    pool = DecoderPool(1)  # of its own: its process stays confined
    monkeypatch.setattr(foreign_images, "_files", pool)
    request.addfinalizer(pool.close)
    asked: list[str] = []
    foreign = images.foreign_file
    monkeypatch.setattr(images, "foreign_file", lambda path, *more: asked.append(path.name) or foreign(path, *more))
    pixels = np.random.default_rng(0).integers(0, 256, (40, 50, 3), dtype=np.uint8)
    Image.fromarray(pixels).save(tmp_path / "small.png")
    Image.fromarray(pixels).resize((2500, 2000), Image.Resampling.NEAREST).save(tmp_path / "large.png")
    before = [np.asarray(read_image(tmp_path / name)) for name in ("small.png", "large.png")]
    assert not asked
    confine([tmp_path])
    after = [np.asarray(read_image(tmp_path / name)) for name in ("small.png", "large.png")]
    assert asked == ["large.png"]
    for one, other in zip(before, after, strict=True):
        np.testing.assert_array_equal(one, other)
    (tmp_path / "large.png").write_bytes((tmp_path / "large.png").read_bytes()[:9000])
    with pytest.raises(UnreadableImageError, match=r"large\.png"):
        read_image(tmp_path / "large.png")


@pytest.mark.parametrize(("least", "size"), [(None, (1600, 1200)), (300, (400, 300)), (301, (800, 600)), (700, (1600, 1200)), (90, (200, 150))])
@pytest.mark.parametrize("mode", ["RGB", "L", "CMYK"])
def test_a_large_jpeg_is_decoded_at_a_part_of_its_size_where_that_is_enough(
    tmp_path: Path, least: int | None, size: tuple[int, int], mode: str
) -> None:
    tilted = Image.Exif()
    tilted[274] = 6  # orientation: the camera was turned
    fade = np.add.outer(np.linspace(0, 120, 1200), np.linspace(0, 120, 1600)).astype(np.uint8)
    Image.fromarray(fade).convert(mode).save(tmp_path / "large.jpg", quality=95, exif=tilted)
    Image.fromarray(fade).save(tmp_path / "large.png")
    image = read_image(tmp_path / "large.jpg", least)
    assert (image.mode, image.size) == ("RGB", size[::-1])
    whole = read_image(tmp_path / "large.jpg").resize(image.size, Image.Resampling.BOX)
    np.testing.assert_allclose(np.asarray(image, int), np.asarray(whole, int), atol=3)
    assert read_image(tmp_path / "large.png", least).size == (1600, 1200)
