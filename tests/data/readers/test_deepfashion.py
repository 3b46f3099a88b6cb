"""DeepFashion's fine-grained annotation on miniature copies."""

from pathlib import Path

from likeness.data.readers.deepfashion import GROUPS, read_deepfashion

DATASET = "deepfashion"


def test_labels_of_the_test_part(root: Path) -> None:
    frame = read_deepfashion(root.parent).frame
    assert frame["path"][0] == "Img/img/Robe_Décolletée/img_test_00000001.jpg"
    assert list(frame["clothing_category"]) == ["Jeans", "Décolleté", "Jeans"]
    assert list(frame["clothing_texture"]) == ["solid", "floral + striped", "solid"]
    assert list(frame["clothing_fabric"]) == ["cotton", "faux", "denim"]
    assert list(frame["clothing_fit"]) == ["conventional", "conventional", "(none)"]
    (root / "Img" / "img").rename(root / "img")  # beside the annotation
    assert list(read_deepfashion(root, "val").frame["path"]) == ["img/Robe_Décolletée/img_val_00000001.jpg"]


def test_equal_labels_are_equal_slices_of_the_line(root: Path) -> None:
    """The authors' notebook labels an image by characters of its line: texture 0 to 14, fabric 34 to 46, fit from 46 on."""
    lines = [line for part in ("train", "val", "test") for line in (root / "Anno_fine" / f"{part}_attr.txt").read_text().splitlines()]
    frame = read_deepfashion(root, "all").frame
    for group, characters in zip(GROUPS, (slice(0, 14), slice(34, 46), slice(46, None)), strict=True):
        slices = [line[characters] for line in lines]
        assert [[a == b for b in slices] for a in slices] == [[a == b for b in frame[group]] for a in frame[group]]
