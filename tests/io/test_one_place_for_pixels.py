"""One place makes 8-bit sRGB of decoded pixels (`likeness.io.to_rgb`): no file goes around it, and every door leads through it."""

import ast
import io
from collections import defaultdict
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from PIL import Image

from icc_profiles import converted, rgb_profile, with_profile
from likeness.data import ImageTable, thumbnail, upright_picture
from likeness.encoders.objects import as_encoder
from likeness.encoders.store.pipeline import prepared_batches
from likeness.io import decode_image, foreign_image, read_image, to_rgb
from likeness.io.foreign_images import foreign_file
from likeness.training.data.pixels import load_pixels, load_whole_images

ROOT = Path(__file__).resolve().parents[2]
OPENS, CONVERTS = "opens an image", "makes RGB"
# What else decodes or converts, and why it is none of a file's colors.
OTHERS = {
    "core/likeness/io/rgb.py": {CONVERTS: "the one place"},
    "core/likeness/io/images.py": {OPENS: "for to_rgb, and for sizes"},
    "core/likeness/io/image_check.py": {OPENS: "for to_rgb"},
    "core/likeness/io/file_formats.py": {OPENS: "for to_rgb, by rgb_picture", CONVERTS: "PDFium's pixels are sRGB"},
    "core/likeness/io/video_frames.py": {OPENS: "FFmpeg's frames, which say nothing of colors"},
    "core/likeness/labels/layouts.py": {OPENS: "values are labels"},
    "core/likeness/saliency/object_masks.py": {CONVERTS: "masks drawn here"},
    "core/likeness/duplicates/suggest_threshold.py": {CONVERTS: "gray of what read_image gives"},
    "core/likeness/duplicates/altered_copies.py": {OPENS: "a JPEG written here", CONVERTS: "of it"},
    "core/likeness/training/data/pixels.py": {CONVERTS: "of what read_image gives"},
    "core/likeness/plots/label_pictures.py": {CONVERTS: "pictures drawn here, or read_image's"},
}
_DECODERS = {"cv2": ("imread", "imdecode", "VideoCapture"), "Image": ("open",), "Images": ("open",)}
_LIBRARIES = ("imageio", "skimage", "tifffile", "torchvision.io", "decord", "av")


def uses(file: Path) -> set[str]:
    """What a Python file does with pixels of its own accord."""
    found: set[str] = set()
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import | ast.ImportFrom):
            names = (
                [alias.name for alias in node.names]
                if isinstance(node, ast.Import)
                else [f"{node.module}", *(f"{node.module}.{a.name}" for a in node.names)]
            )
            found |= {OPENS} if any(name == library or name.startswith(f"{library}.") for name in names for library in _LIBRARIES) else set()
        if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute):
            continue
        owner = node.func.value
        name = owner.id if isinstance(owner, ast.Name) else owner.attr if isinstance(owner, ast.Attribute) else ""
        if node.func.attr in _DECODERS.get(name, ()):
            found.add(OPENS)
        values = [each.value for each in (*node.args, *(keyword.value for keyword in node.keywords)) if isinstance(each, ast.Constant)]
        if node.func.attr == "convert" and {"RGB", "L"} & set(values):
            found.add(CONVERTS)
    return found


def test_no_file_goes_around_it() -> None:
    found = defaultdict(set)
    for part in ("core/likeness", "app"):
        for file in sorted((ROOT / part).rglob("*.py")):
            if kinds := uses(file):
                found[file.relative_to(ROOT).as_posix()] = kinds
    assert dict(found) == {file: set(kinds) for file, kinds in OTHERS.items()}


SIDE = 64
PIXELS = np.full((SIDE, SIDE, 3), (30, 200, 60), np.uint8)
Door = Callable[[Path], object]


class _Keeper:
    """An encoder that shows what it was given."""

    identity = "keeper"

    def encode_images(self, images: list[Image.Image]) -> np.ndarray:
        return np.stack([np.asarray(image, np.float32)[8, 8] for image in images])


def table(path: Path) -> ImageTable:
    return ImageTable("one", path.parent, pd.DataFrame({"path": [path.name]}))


def opened(path: Path) -> Image.Image:
    return Image.open(io.BytesIO(path.read_bytes()))


DOORS: dict[str, Door] = {
    "read_image": read_image,
    "read_image, small": lambda path: read_image(path, 8),
    "decode_image": lambda path: decode_image(io.BytesIO(path.read_bytes()), "a"),
    "to_rgb of a person's image": lambda path: to_rgb(opened(path)),
    "to_rgb of what a person converted": lambda path: to_rgb(opened(path).convert("RGB")),
    "thumbnail": lambda path: Image.open(io.BytesIO(thumbnail(path))).convert("RGB"),
    "upright_picture": upright_picture,
    "foreign_image": lambda path: foreign_image(path.read_bytes(), "a"),
    "foreign_file": foreign_file,
    "training, squares": lambda path: load_pixels(table(path), 32)[0],
    "training, whole images": lambda path: load_whole_images(table(path), 32)[0]["pixels"],
    "embedding, a file": lambda path: next(prepared_batches([path], np.asarray, 1)).values[0],
    "embedding, an image": lambda path: next(prepared_batches([opened(path)], np.asarray, 1)).values[0],
}


@pytest.mark.parametrize("space", ["Display P3", "Adobe RGB", "ProPhoto"])
@pytest.mark.parametrize("door", DOORS)
def test_every_door_gives_srgb(door: str, space: str, tmp_path: Path) -> None:
    (tmp_path / "a.jpg").write_bytes(with_profile(PIXELS, rgb_profile(space), "jpg"))
    expected = converted(PIXELS[:1, :1], space, "sRGB")[0, 0]
    assert np.abs(expected.astype(int) - PIXELS[0, 0]).max() > 15
    np.testing.assert_allclose(np.asarray(DOORS[door](tmp_path / "a.jpg"), float).mean((0, 1)), expected, atol=4)


def test_an_object_that_encodes_is_given_srgb(tmp_path: Path) -> None:
    (tmp_path / "a.jpg").write_bytes(with_profile(PIXELS, rgb_profile("ProPhoto"), "jpg"))
    of_file, of_image = as_encoder(_Keeper()).encode_images([tmp_path / "a.jpg", opened(tmp_path / "a.jpg")])
    np.testing.assert_array_equal(of_file, of_image)
    expected = converted(PIXELS[:1, :1], "ProPhoto", "sRGB")[0, 0].astype(float)
    np.testing.assert_allclose(of_file, expected / np.linalg.norm(expected), atol=0.02)
