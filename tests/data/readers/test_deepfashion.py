"""DeepFashion's fine-grained annotation on miniature copies."""

from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace

import pytest

from likeness.data import read_deepfashion
from likeness.data.readers.deepfashion import GROUPS
from likeness.errors import InputError


@pytest.fixture
def root(miniatures: dict[str, Callable[[Path], Path]], tmp_path: Path) -> Path:
    return miniatures["deepfashion"](tmp_path / "Category and Attribute Prediction Benchmark")


def test_labels_of_the_test_part(root: Path) -> None:
    frame = read_deepfashion(root.parent).frame
    assert frame["path"][0] == "Img/img/Robe_Décolletée/img_test_00000001.jpg"
    assert list(frame["clothing_category"]) == ["Jeans", "Décolleté", "Jeans"]
    assert list(frame["clothing_texture"]) == ["solid", "floral + striped", "solid"]
    assert list(frame["clothing_fabric"]) == ["cotton", "faux", "denim"]
    assert list(frame["clothing_fit"]) == ["conventional", "conventional", "(none)"]


def test_equal_labels_are_equal_slices_of_the_line(root: Path) -> None:
    """The authors' notebook labels an image by characters of its line: texture 0 to 14, fabric 34 to 46, fit from 46 on."""
    lines = [line for part in ("train", "val", "test") for line in (root / "Anno_fine" / f"{part}_attr.txt").read_text().splitlines()]
    frame = read_deepfashion(root, "all").frame
    for group, characters in zip(GROUPS, (slice(0, 14), slice(34, 46), slice(46, None)), strict=True):
        slices = [line[characters] for line in lines]
        assert [[a == b for b in slices] for a in slices] == [[a == b for b in frame[group]] for a in frame[group]]


def test_images_beside_the_annotation(root: Path) -> None:
    (root / "Img" / "img").rename(root / "img")
    assert list(read_deepfashion(root, "val").frame["path"]) == ["img/Robe_Décolletée/img_val_00000001.jpg"]


@pytest.mark.parametrize("missing", ["list_category_cloth.txt", "test.txt", "test_cate.txt", "test_attr.txt"])
def test_missing_files(root: Path, missing: str) -> None:
    (root / "Anno_fine" / missing).unlink()
    with pytest.raises(InputError, match=rf"DeepFashion in '.*' lacks 'Anno_fine/{missing}'; take it from the dataset published at https://mmlab"):
        read_deepfashion(root)


@pytest.mark.parametrize(
    ("file", "change", "message"),
    [
        ("test_cate.txt", ("4", "5"), r"In 'test_cate\.txt' of DeepFashion, line 2 is '5', expected a category from 1 to 4; take the file"),
        ("test_cate.txt", ("4", "0"), r"line 2 is '0', expected a category from 1 to 4"),
        ("test_cate.txt", ("4", "Jeans"), r"line 2 is 'Jeans', expected a category from 1 to 4"),
        ("test_cate.txt", ("4\n", ""), r"'test_cate\.txt' of DeepFashion has 2 lines, but 'test\.txt' lists 3 images; take both"),
        ("test_attr.txt", ("0 0 0 0 0 1 0 0", "0 0 0 0 0 1 0"), r"In 'test_attr\.txt' of DeepFashion, line 1 is '0 0 .*', expected 26 times 0 or 1"),
        ("test_attr.txt", ("0 0 0 0 0 1 0 0", "0 0 0 0 0 -1 0 0"), r"line 1 is '0 0 .*', expected 26 times 0 or 1"),
        ("list_attr_cloth.txt", ("26", "27"), r"In 'list_attr_cloth\.txt' of DeepFashion, line 1 is '27', expected the number of names .*, 26"),
        ("list_attr_cloth.txt", ("denim", "linen"), r"'list_attr_cloth\.txt' in '.*' lacks the attribute 'denim'; take the fine-grained"),
    ],
)
def test_damaged_files(root: Path, file: str, change: tuple[str, str], message: str) -> None:
    path = root / "Anno_fine" / file
    text = path.read_text(encoding="utf-8")
    assert change[0] in text
    path.write_text(text.replace(*change, 1), encoding="utf-8")
    with pytest.raises(InputError, match=message) as caught:
        read_deepfashion(root)
    assert len(str(caught.value).splitlines()) == 1


def test_an_empty_part(root: Path) -> None:
    for name in ("test", "test_cate", "test_attr"):
        (root / "Anno_fine" / f"{name}.txt").write_text("")
    with pytest.raises(InputError, match=r"The split 'test' of DeepFashion in '.*' has no images in 'test\.txt'; choose another"):
        read_deepfashion(root)


def test_the_coarse_annotation_is_another(root: Path, parts: SimpleNamespace) -> None:
    (root / "Anno_fine").rename(root / "Anno_coarse")
    with pytest.raises(InputError, match=r"directly inside holds 'Anno_fine/list_attr_cloth\.txt'"):
        read_deepfashion(root)
