"""MPII Human Pose in the layout of the log-ratio paper's authors, on miniature copies."""

import os
import pickle
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.io import savemat
from tests.data import conftest as parts

from likeness.data import ImageTable, read_dataset
from likeness.data.readers import mpii_pose
from likeness.data.readers.mpii_pose import read_mpii_pose
from likeness.errors import InputError
from likeness.labels import LabelsConfig, known_labels, label_distances, mpii_labels, nearest_labels

DATASET = "mpii-pose"


def rows(table: ImageTable, *splits: str) -> np.ndarray:
    return np.flatnonzero(table.frame["split"].isin(splits).to_numpy())


def test_images_count_in_the_order_of_their_names_not_of_their_numbers(root: Path) -> None:
    frame = read_mpii_pose(root.parent).frame
    train = ["trn/10.jpg", "trn/2.jpg", "trn/9.jpg", "trn/b.jpg", "trn/a/1.jpg"]
    assert list(frame["path"]) == [*train, *(f"val/{name}.jpg" for name in ("07", "1", "4", "5", "8", "90", "91"))]
    assert list(frame["split"]) == ["train"] * 5 + ["query"] * 3 + ["test"] * 4
    assert [len(read_dataset(f"mpii-pose{part}:{root}")) for part in ("", "/train", "/test")] == [12, 5, 7]

    # the order is that of torchvision's ImageFolder, and what is hidden or no image does not count
    torchvision = pytest.importorskip("torchvision.datasets")
    assert [Path(path).relative_to(root).as_posix() for path, _ in torchvision.ImageFolder(root).imgs] == list(frame["path"])
    for name in ("trn/._10.jpg", "trn/notes.txt", ".thumbs/1.jpg", "__MACOSX/1.jpg"):
        (root / name).parent.mkdir(exist_ok=True)
        (root / name).touch()
    (root / "empty").mkdir()
    assert len(read_mpii_pose(root)) == 12


def test_the_first_1919_test_images_are_the_queries(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert mpii_pose.QUERIES == 1919
    monkeypatch.setattr(mpii_pose, "QUERIES", 2)
    assert list(read_mpii_pose(root, "test").frame["split"]) == ["query"] * 2 + ["test"] * 5


def check_labels(root: Path) -> None:
    table = read_mpii_pose(root)
    labels = mpii_labels(table)
    train, test = rows(table, "train"), rows(table, "query", "test")
    for part, chosen in (("trn", train), ("val", test)):
        found = labels.between(chosen, chosen)
        assert found.dtype == np.float32
        np.testing.assert_allclose(found, parts.mpii_distances(part), rtol=1e-6)
        np.testing.assert_array_equal(found, found.T)
    np.testing.assert_allclose(labels.between(test[[4, 0]], test[[1]])[:, 0], parts.mpii_distances("val")[[4, 0], 1], rtol=1e-6)
    assert (labels.unit, len(labels)) == ("px, sum over joints", 12)


def test_distances_from_a_matrix(root: Path) -> None:
    savemat(root / "dist_pose_trn.mat", {"dist_pose_trn": parts.mpii_distances("trn")})
    for name in ("list_nn.pkl", "dist_nn.pkl"):
        (root / name).unlink()
    check_labels(root)


@pytest.mark.parametrize("protocol", [2, 5])
def test_pickles_of_other_kinds(root: Path, protocol: int) -> None:
    lists, apart = parts.mpii_lists("trn")
    whole = np.empty(5, dtype=object)
    whole[:] = list(lists.astype(np.uint16))
    (root / "list_nn.pkl").write_bytes(pickle.dumps({"trn": whole}, protocol))
    (root / "dist_nn.pkl").write_bytes(pickle.dumps({"trn": list(apart.astype(np.float32))}, protocol))
    check_labels(root)


def test_the_lists_are_the_nearest_labels_and_between_the_parts_nothing_is_known(root: Path) -> None:
    table = read_mpii_pose(root)
    labels = mpii_labels(table)
    np.testing.assert_array_equal(nearest_labels(labels, rows(table, "train"), 4), parts.mpii_lists("trn")[0])
    assert known_labels(table) == {"Pose": LabelsConfig(kind="mpii")}
    assert label_distances(table, LabelsConfig(kind="mpii")).between(np.array([0]), np.array([0])) == 0
    with pytest.raises(InputError, match=r"Image 4 is in the part 'train' and image 6 in 'test'; label distances are only known within a part"):
        labels.between(np.array([4]), np.array([2, 6]))


def test_a_part_of_the_table_needs_the_files_of_that_part_only(root: Path) -> None:
    table = read_mpii_pose(root, "test")
    for name in ("list_nn.pkl", "dist_nn.pkl"):
        (root / name).unlink()
    some = ImageTable("Some", table.root, table.frame.iloc[[5, 1, 2]])
    found = mpii_labels(some).between(np.arange(3), np.arange(3))
    np.testing.assert_allclose(found, parts.mpii_distances("val")[np.ix_([5, 1, 2], [5, 1, 2])], rtol=1e-6)
    with pytest.raises(InputError, match=r"MPII Human Pose in '.*' lacks 'list_nn\.pkl'; get it from the dataset published at https://github"):
        mpii_labels(read_mpii_pose(root))


def test_rounding_is_evened_out(root: Path) -> None:
    rough = parts.mpii_distances("val")
    exact, rough[2, 3] = rough[2, 3], rough[2, 3] + 0.01
    rough[1, 1] = 1e-3
    savemat(root / "dist_pose_val.mat", {"dist_pose_val": rough})
    table = read_mpii_pose(root, "test")
    found = mpii_labels(table).between(np.arange(7), np.arange(7))
    assert found[1, 1] == 0
    assert found[2, 3] == found[3, 2] == pytest.approx(exact + 0.005, rel=1e-6)


def test_another_table(root: Path) -> None:
    frame = read_mpii_pose(root).frame
    for table, message in (
        (ImageTable("Cars", root.parent, frame), r"'Cars' has no 'dist_pose_val\.mat'; read MPII Human Pose as mpii-pose:FOLDER"),
        (ImageTable("Mine", root, frame.replace("trn/2.jpg", "trn/x.jpg")), r"'trn/x\.jpg' of 'Mine' is in neither folder .* 0 more"),
    ):
        with pytest.raises(InputError, match=message):
            mpii_labels(table)


@pytest.mark.parametrize(
    ("moved", "to", "message"),
    [
        ("val/4.jpg", "4", r"'dist_pose_val\.mat' of MPII Human Pose has distances \(7, 7\), and there are 6 test images; unpack all"),
        ("trn/9.jpg", "9", r"'trn' in 'list_nn\.pkl' .* has shape \(5, 4\) and type int64, .* 4 training .* expected \(4, 3\)"),
        ("val/4.jpg", "more/4.jpg", r"has 3 folders of images \(more, trn, val\), expected 2, of training and of test images; unpack"),
    ],
)
def test_images_that_are_elsewhere(root: Path, moved: str, to: str, message: str) -> None:
    (root / to).parent.mkdir(exist_ok=True)
    (root / moved).rename(root / to)
    with pytest.raises(InputError, match=message):
        mpii_labels(read_mpii_pose(root))


def changed(row: int, column: int, to: float) -> Callable[[np.ndarray], np.ndarray]:
    """A copy of a matrix with one entry changed."""
    return lambda matrix: np.where(np.arange(matrix.size).reshape(matrix.shape) == row * matrix.shape[1] + column, to, matrix)


class _Evil:
    def __reduce__(self) -> Any:
        return os.system, ("touch proof",)


VAL, NAMES, APART = "dist_pose_val.mat", "list_nn.pkl", "dist_nn.pkl"
DAMAGE: list[tuple[str, Any, str]] = [
    (VAL, changed(1, 2, -3.0), f"In '{VAL}' of MPII Human Pose, the distance of images 1 and 2 is -3, expected a number"),
    (VAL, changed(1, 2, np.nan), "images 1 and 2 is nan, expected a number of 0 or more"),
    (VAL, changed(6, 0, np.inf), "images 6 and 0 is inf, expected a number of 0 or more"),
    (VAL, changed(6, 6, 40.0), "images 6 and 6 is 40, expected 0"),
    (VAL, changed(0, 5, 5.0), "images 0 and 5 is 5 one way and "),
    (VAL, lambda matrix: matrix[:, :6], "has distances (7, 6), and there are 7 test images"),
    (VAL, lambda matrix: matrix.astype(str).astype(object), f"in '{VAL}' of MPII Human Pose has type object, expected numbers"),
    (VAL, {"other": np.zeros((7, 7))}, f"'{VAL}' of MPII Human Pose has no variable 'dist_pose_val'; take the file anew"),
    (VAL, b"no such thing", f"'{VAL}' of MPII Human Pose cannot be read as a MATLAB file ("),
    (NAMES, lambda rows: rows[:, :3], "'trn' in 'list_nn.pkl' of MPII Human Pose has shape (5, 3) and type int64"),
    (NAMES, lambda rows: rows.astype(float), "has shape (5, 4) and type float64, and there are 5 training images, expected (5, 4)"),
    (NAMES, lambda rows: rows + 1, "'list_nn.pkl' of MPII Human Pose names image 5, and there are 5 from 0"),
    (NAMES, lambda rows: rows - 1, "'list_nn.pkl' of MPII Human Pose names image -1, and there are 5 from 0"),
    (NAMES, lambda rows: np.where(rows == rows[3, 0], rows[3, 1], rows), "does not name the others once each"),
    (NAMES, changed(3, 0, 3), "Row 3 of 'list_nn.pkl' of MPII Human Pose does not name the others once each"),
    (NAMES, lambda rows: "text", "'trn' in 'list_nn.pkl' of MPII Human Pose has shape () and type <U4"),
    (NAMES, lambda rows: [[1, 2], [3]], "'trn' in 'list_nn.pkl' of MPII Human Pose is no array ("),
    (NAMES, lambda rows: rows[:, ::-1], " one way and "),
    (APART, changed(0, 0, -1.0), "In 'dist_nn.pkl' of MPII Human Pose, the distance of images 0 and"),
    (APART, changed(0, 0, np.nan), "is nan, expected a number of 0 or more"),
    (NAMES, pickle.dumps({"trn": _Evil()}), f"is no pickle of plain arrays: it asks for {os.name}.system; take it anew"),
    (NAMES, b"", "'list_nn.pkl' of MPII Human Pose is no pickle of plain arrays: "),
    (NAMES, pickle.dumps(np.zeros(3)), "has no key 'trn'"),
    (NAMES, pickle.dumps({"val": 1}), "has no key 'trn'"),
    (NAMES, None, "'list_nn.pkl' of MPII Human Pose cannot be read (is a directory)"),
]


@pytest.mark.parametrize(("name", "content", "message"), DAMAGE)
def test_damage(root: Path, monkeypatch: pytest.MonkeyPatch, name: str, content: Any, message: str) -> None:
    monkeypatch.chdir(root.parent)
    lists, apart = parts.mpii_lists("trn")
    if content is None:
        (root / name).unlink()
        (root / name).mkdir()
    elif isinstance(content, bytes):
        (root / name).write_bytes(content)
    elif name == VAL:
        savemat(root / name, content if isinstance(content, dict) else {"dist_pose_val": content(parts.mpii_distances("val"))})
    else:
        (root / name).write_bytes(pickle.dumps({"trn": content(lists if name == NAMES else apart)}))
    with pytest.raises(InputError, match=re.escape(message)) as caught:
        mpii_labels(read_mpii_pose(root))
    assert len(str(caught.value).splitlines()) == 1
    assert not Path("proof").exists()


@pytest.mark.parametrize(("joints", "unit"), [(1, "px, mean of joints"), (14, "px, sum over joints"), (16, "px, sum over joints")])
def test_means_and_sums_of_joints_are_told_apart_by_their_range(root: Path, joints: int, unit: str) -> None:
    """People in the middle of 288 px, of whom joints are 20 to 110 px apart in the mean."""
    rng = np.random.default_rng(0)
    for variable, count in (("dist_pose_val", 7), ("dist_pose_trn", 5)):
        apart = np.triu(rng.uniform(20, 110, (count, count)), 1) * joints
        savemat(root / f"{variable}.mat", {variable: apart + apart.T})
    assert mpii_labels(read_mpii_pose(root)).unit == unit
