from collections.abc import Callable
from itertools import permutations
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image
from scipy.io import savemat
from sklearn.metrics import jaccard_score

from likeness.errors import InputError
from likeness.labels import LayoutLabels, layout_distances, read_layouts


@pytest.fixture
def masks() -> np.ndarray:
    """Layouts of up to five surfaces; some lack some, some have pixels of none."""
    rng = np.random.default_rng(0)
    return np.stack([rng.choice(rng.permutation(6)[: rng.integers(2, 7)], (9, 7)) for _ in range(14)])


def test_by_hand() -> None:
    a, b = np.array([[[1, 1], [2, 2]]]), np.array([[[2, 2], [1, 1]], [[1, 1], [1, 1]], [[3, 1], [2, 2]], [[9, 9], [9, 5]]])
    # the same regions by other numbers; half of the one and nothing of the other; a third region without a partner; 2/3 and 1/2
    np.testing.assert_allclose(layout_distances(a, b), [[0, 1 - 1 / 4, 1 - (1 / 2 + 1) / 3, 1 - (2 / 3 + 1 / 2) / 2]], rtol=1e-6)
    np.testing.assert_allclose(layout_distances(np.array([[[0, 0, 1]]]), np.array([[[0, 2, 1]], [[0, 0, 1]]])), [[0.5, 0]])  # 0 is no surface
    assert layout_distances(np.zeros((0, 4, 4), int), np.ones((3, 4, 4), int)).shape == (0, 3)
    assert len(LayoutLabels(np.zeros((0, 4, 4), np.uint8))) == 0


def best(a: np.ndarray, b: np.ndarray) -> float:
    ours, theirs = ([mask == label for label in np.unique(mask) if label] for mask in (a, b))
    few, many = sorted((ours, theirs), key=len)
    share = [[(x & y).sum() / (x | y).sum() for y in many] for x in few]
    sums = [sum(share[x][y] for x, y in enumerate(order)) for order in permutations(range(len(many)), len(few))]
    return float(1 - max(sums) / len(many))


def test_the_best_of_all_assignments_of_few_and_of_many_regions(masks: np.ndarray) -> None:
    many = np.random.default_rng(3).integers(1, 8, (5, 6, 6))
    few = many % 3 + 1
    for ours, theirs in ((masks[:6], masks[6:]), (many, many), (few, many), (many, few)):
        found = layout_distances(ours, theirs)
        assert found.dtype == np.float32
        np.testing.assert_allclose(found, [[best(a, b) for b in theirs] for a in ours], atol=1e-6)


def test_by_numbers_it_is_that_of_scikit_learn(masks: np.ndarray) -> None:
    found = layout_distances(masks[:6], masks[6:], "numbers")
    assert found.dtype == np.float32
    for i, j in np.ndindex(found.shape):
        a, b = masks[i].ravel(), masks[6 + j].ravel()
        labels = [label for label in np.union1d(a, b) if label]
        assert found[i, j] == pytest.approx(1 - jaccard_score(a, b, labels=labels, average="macro", zero_division=0), abs=1e-6)


@pytest.mark.parametrize("matching", ["best", "numbers"])
def test_names_of_labels_and_places_of_pixels_do_not_matter_and_labels_are_the_plain_form(masks: np.ndarray, matching: Any) -> None:
    apart = layout_distances(masks, masks, matching)
    names = np.array([0, 200, 7, 255, 1, 31])
    for same in (names[masks], masks[:, ::-1, ::-1], masks.repeat(2, axis=1).repeat(2, axis=2)):
        np.testing.assert_allclose(layout_distances(same, same, matching), apart, atol=1e-6)
    labels = LayoutLabels(masks, matching)
    rows, columns = np.array([3, 0, 3]), np.array([11, 3])
    np.testing.assert_allclose(labels.between(rows, columns), apart[np.ix_(rows, columns)], atol=1e-6)
    assert (len(labels), labels.unit, labels.masks.dtype) == (14, "1 - mIoU", np.uint8)
    assert labels.between(np.array([], dtype=np.int64), columns).shape == (0, 2)


@pytest.mark.parametrize(
    ("a", "b", "message"),
    [
        (np.ones((1, 4, 4), int), np.ones((1, 4, 5), int), r"The masks have \(4, 4\) and \(4, 5\) pixels; bring them to one size"),
        (np.ones((4, 4), int), np.ones((1, 4, 4), int), r"The masks have shape \(4, 4\) and type int64; give one number from 0 to 255 per pixel"),
        (np.ones((1, 4, 4)), np.ones((1, 4, 4), int), r"The masks have shape \(1, 4, 4\) and type float64"),
        (np.full((1, 4, 4), -1), np.ones((1, 4, 4), int), "give one number from 0 to 255"),
        (np.full((1, 4, 4), 256), np.ones((1, 4, 4), int), "give one number from 0 to 255"),
        (np.array([[[1]], [[0]]]), np.ones((1, 1, 1), int), "The mask of image 1 shows no surface, only 0; remove this image"),
    ],
)
def test_errors(a: np.ndarray, b: np.ndarray, message: str) -> None:
    with pytest.raises(InputError, match=message):
        layout_distances(a, b)


class TestFiles:
    def test_gray_palette_and_mat_files_of_any_size_are_the_same(self, tmp_path: Path) -> None:
        labels = np.random.default_rng(1).integers(0, 6, (16, 16), dtype=np.uint8)
        Image.fromarray(labels).save(tmp_path / "gray.png")
        palette = Image.new("P", (16, 16))
        palette.putdata(labels.ravel().tolist())
        palette.putpalette(list(np.random.default_rng(2).integers(0, 256, 768)))
        palette.save(tmp_path / "palette.png")
        savemat(tmp_path / "small.mat", {"layout": labels})
        savemat(tmp_path / "double.MAT", {"layout": labels.astype(float), "other": np.zeros(3)}, appendmat=False)
        wide = labels.repeat(4, axis=0).repeat(6, axis=1)  # is brought to one size without new labels
        Image.fromarray(wide).save(tmp_path / "wide.png")
        savemat(tmp_path / "wide.mat", {"layout": wide})
        names = ("gray.png", "palette.png", "small.mat", "double.MAT", "wide.png", "wide.mat")
        found = read_layouts([tmp_path / name for name in names], 16)
        assert found.dtype == np.uint8
        np.testing.assert_array_equal(found, [labels] * len(names))
        Image.fromarray(np.eye(16, dtype=bool)).save(tmp_path / "bits.png")
        np.testing.assert_array_equal(read_layouts([tmp_path / "bits.png"], 16)[0], np.eye(16))
        np.testing.assert_array_equal(read_layouts([tmp_path / "wide.png"], 32)[0], labels.repeat(2, axis=0).repeat(2, axis=1))

    def test_other_images(self, progressive_jpeg: Callable[[int, int, int], bytes], tmp_path: Path) -> None:
        Image.new("RGB", (4, 4)).save(tmp_path / "colors.png")
        Image.fromarray(np.full((4, 4), 900, np.uint16)).save(tmp_path / "deep.png")
        (tmp_path / "text.png").write_text("no image")
        Image.fromarray(np.ones((64, 64), np.uint8)).save(tmp_path / "cut.png")
        (tmp_path / "cut.png").write_bytes((tmp_path / "cut.png").read_bytes()[:50])
        (tmp_path / "foreign.mat").write_bytes(b"no such thing" * 30)
        (tmp_path / "scans.jpg").write_bytes(progressive_jpeg(16, 16, 101))
        for name, message in (
            ("colors.png", r"has mode RGB; give one 8-bit label per pixel, as gray or palette PNG"),
            ("deep.png", r"has mode I;16"),
            ("text.png", r"cannot be read \(.*\); leave this image out"),
            *((name, r"cannot be read \(") for name in ("cut.png", "none.png", "none.mat", "foreign.mat")),
            ("scans.jpg", r"cannot be read: it is a JPEG of more than 100 scans"),
        ):
            with pytest.raises(InputError, match=rf"'{name}' {message}") as caught:
                read_layouts([tmp_path / name])
            assert len(str(caught.value).splitlines()) == 1

    @pytest.mark.parametrize(
        ("content", "message"),
        [
            ({"other": np.ones((4, 4))}, r"The layout 'x\.mat' has no variable 'layout'; save the labels \(h, w\) under this name"),
            ({"layout": np.ones((4, 4, 3))}, r"The layout 'x\.mat' has shape \(4, 4, 3\) and type float64; give whole numbers from 0 to 255"),
            ({"layout": np.full((4, 4), 0.5)}, r"has shape \(4, 4\) and type float64; give whole numbers"),
            *[({"layout": np.full((4, 4), value)}, "give whole numbers") for value in (np.nan, 256, -1)],
            ({"layout": np.array(["a", "b"], dtype=object)}, "type object; give whole numbers"),
            ({"layout": np.array([np.ones(2), np.ones(3)], dtype=object)}, "type object; give whole numbers"),
            ({"layout": {"rows": np.ones((4, 4)), "columns": 4}}, "type object; give whole numbers"),
            ({"layout": np.zeros((0, 0))}, r"has shape \(0, 0\)"),
        ],
    )
    def test_damaged_mat_files(self, content: dict[str, Any], message: str, tmp_path: Path) -> None:
        savemat(tmp_path / "x.mat", content)
        with pytest.raises(InputError, match=message):
            read_layouts([tmp_path / "x.mat"])
