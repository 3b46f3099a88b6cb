import json
import re
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from PIL import Image
from pydantic import ValidationError

from likeness.data import ImageTable
from likeness.errors import InputError
from likeness.io.frozen_config import validation_message
from likeness.labels import (
    ClassLabels,
    LabelKind,
    LabelsConfig,
    MatrixLabels,
    NumberLabels,
    caption_distances,
    known_labels,
    label_distances,
    layout_distances,
    sources,
)


def table(root: Path, **columns: Any) -> ImageTable:
    count = len(next(iter(columns.values())))
    return ImageTable("Cars", root, pd.DataFrame({"path": [f"{number}.png" for number in range(count)], **columns}))


def whole(given: ImageTable, **config: Any) -> np.ndarray:
    labels = label_distances(given, LabelsConfig(**config))
    assert len(labels) == len(given)
    return labels.between(np.arange(len(given)), np.arange(len(given)))


@pytest.fixture
def vectors(tmp_path: Path) -> str:
    (tmp_path / "words.txt").write_text("red 1 0\nblue 0.6 0.8\nbus 0 1\n", encoding="utf-8")
    return f"vectors:{tmp_path}/words.txt"


def test_poses_are_read_from_columns_of_joints(tmp_path: Path) -> None:
    people = table(tmp_path, neck_x=[0, 3.0], neck_y=[0, 4], left_hip_x=[0, 0], left_hip_y=[1, 3], tail_x=[5, 5], tail_y=[5, 6])
    np.testing.assert_array_equal(whole(people), [[0, 5 + 2 + 1], [8, 0]])
    np.testing.assert_array_equal(whole(people, columns=("neck",)), [[0, 5], [5, 0]])


def test_numbers_and_angles(tmp_path: Path) -> None:
    given = table(tmp_path, yaw=[350, 10], elevation=[0.0, 15.0])
    np.testing.assert_allclose(whole(given, kind="numbers", columns=("yaw",)), [[0, 340], [340, 0]])
    np.testing.assert_allclose(whole(given, kind="angles", columns=("yaw", "elevation")), [[0, 25], [25, 0]])
    np.testing.assert_allclose(whole(given, kind="numbers", columns=("yaw", "elevation"))[0, 1], np.hypot(340, 15), rtol=1e-6)
    assert label_distances(given, LabelsConfig(kind="angles", columns=("yaw",))).unit == "degrees"


def test_layouts_are_files_of_a_column(tmp_path: Path) -> None:
    masks = np.random.default_rng(0).integers(1, 4, (3, 8, 8), dtype=np.uint8)
    names = [f"layout{number}.png" for number in range(3)]
    for name, mask in zip(names, masks, strict=True):
        Image.fromarray(mask).save(tmp_path / name)
    expected = layout_distances(masks, masks)
    np.testing.assert_array_equal(whole(table(tmp_path, layout=names), kind="layout", size=8), expected)
    np.testing.assert_array_equal(whole(table(tmp_path, room=names), kind="layout", columns=("room",), size=16), expected)


def test_distances_of_captions_are_computed_once(tmp_path: Path, vectors: str, cache: Path) -> None:
    captions = [["a red bus", "a bus"], ["blue"], ["the blue bus", "red red"]]
    given, seen = table(tmp_path, captions=[json.dumps(each) for each in captions]), []
    config = LabelsConfig(kind="captions", language=vectors)
    found = label_distances(given, config, lambda done, total: seen.append((done, total)))
    np.testing.assert_array_equal(found.matrix, caption_distances(captions, vectors).between(np.arange(3), np.arange(3)))
    label_distances(given, config, lambda done, total: seen.append((done, total)))
    assert seen == [(6, 6)]
    assert len(list((cache / "label_distances").iterdir())) == 1


@pytest.mark.parametrize("changed", ["caption", "vector"])
def test_other_captions_and_other_vectors_are_computed_anew(changed: str, tmp_path: Path, vectors: str, cache: Path) -> None:
    config = {"kind": "captions", "language": vectors}
    whole(table(tmp_path, captions=['["red"]', '["bus"]']), **config)
    if changed == "vector":
        (tmp_path / "words.txt").write_text("red 1 0\nblue 0 1\nbus 0 3\n", encoding="utf-8")
    found = whole(table(tmp_path, captions=['["red"]', '["bus"]' if changed == "vector" else '["red bus"]']), **config)
    assert found[0, 1] == pytest.approx(2 * (np.sqrt(10) if changed == "vector" else np.sqrt(2) / 2), rel=1e-6)
    assert len(list((cache / "label_distances").iterdir())) == 2


def test_one_less_the_similarity_of_names_by_class_unless_another_column_is_named(tmp_path: Path, vectors: str) -> None:
    given = table(tmp_path, color=["red", "blue", "red", "bus"])
    config = {"kind": "names", "columns": ("color",), "language": vectors}
    assert isinstance(label_distances(given, LabelsConfig(**config)), ClassLabels)
    # cosines of (1, 0), (0.6, 0.8), (0, 1)
    expected = [[0, 0.4, 0.05, 1], [0.4, 0, 0.4, 0.2], [0.05, 0.4, 0, 1], [1, 0.2, 1, 0]]
    np.testing.assert_allclose(whole(given, within=0.05, **config), expected, atol=1e-6)
    assert whole(given, **config)[0, 2] == pytest.approx(0.1, abs=1e-6)
    given = table(tmp_path, **{"class": ["red", "blue"]})
    np.testing.assert_allclose(whole(given, kind="names", language=vectors), [[0, 0.4], [0.4, 0]], atol=1e-6)


def test_a_matrix_is_a_file(tmp_path: Path) -> None:
    np.save(tmp_path / "x.npy", 1 - np.eye(3))
    given = table(tmp_path, color=["a", "b", "c"])
    assert isinstance(label_distances(given, LabelsConfig(kind="matrix", file=str(tmp_path / "x.npy"))), MatrixLabels)
    np.testing.assert_array_equal(whole(given, kind="matrix", file=str(tmp_path / "x.npy")), 1 - np.eye(3))


COLORS: dict[str, Any] = {"color": ["red", "blue"], "yaw": [1.0, np.nan]}
JOINTS: dict[str, Any] = {"neck_x": [0, np.nan], "neck_y": [0, 4], "tail_x": [5, 5], "tail_y": [5, 6]}


@pytest.mark.parametrize(
    ("columns", "config", "message"),
    [
        ({"color": ["red"]}, {}, "'Cars' has no joints, such as columns neck_x and neck_y; choose another kind of label"),
        (JOINTS, {"columns": ("neck", "nose")}, "'Cars' has no column 'nose_x'; it has neck_x, neck_y, tail_x"),
        (JOINTS, {}, "Image 1 has no coordinates for joint 0; remove images with joints that are not visible"),
        *(
            (COLORS, {"kind": kind, "columns": columns}, message)
            for kind in ("numbers", "angles")
            for columns, message in (
                (("color",), "The columns color of 'Cars' are not numeric (could not convert string to float: 'red'); choose others."),
                (("yaw", "size"), "'Cars' has no column 'size'; it has color, yaw."),
                (("yaw",), "The label of image 1 is not a finite number, and 0 more"),
                (("path",), "'Cars' has no column 'path'; it has color, yaw."),
            )
        ),
        (COLORS, {"kind": "layout"}, "'Cars' has no column 'layout'; it has color"),
        ({"layout": ["empty.png"]}, {"kind": "layout"}, "The mask of image 0 shows no surface, only 0"),
        ({"layout": ["none.png"]}, {"kind": "layout"}, "The layout 'none.png' cannot be read"),
        (COLORS, {"kind": "captions"}, "'Cars' has no captions, only the columns color"),
        ({"captions": ['["zebra"]']}, {"kind": "captions"}, "None of the words of the caption 'zebra' of image 0 is known to"),
        (COLORS, {"kind": "names"}, "'Cars' has no attribute 'class'; it has color"),
        ({"color": ["red", None]}, {"kind": "names", "columns": ("color",)}, "'Cars' has no 'color' for 1 images"),
        ({"color": ["a"]}, {"kind": "matrix", "file": "x.npy"}, "'x.npy' has shape (3, 3), and there are 1 images; give a matrix (1, 1)"),
        (COLORS, {"kind": "mpii"}, "'Cars' has no 'dist_pose_val.mat'; read MPII Human Pose as mpii-pose:FOLDER"),
    ],
)
def test_what_is_no_label_is_named(
    columns: dict[str, Any], config: dict[str, Any], message: str, tmp_path: Path, vectors: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Image.new("L", (4, 4)).save("empty.png")
    np.save("x.npy", 1 - np.eye(3))
    with pytest.raises(InputError, match=re.escape(message)):
        whole(table(tmp_path, **columns), **({"language": vectors} | config))


@pytest.mark.parametrize(
    ("config", "message"),
    [
        ({"kind": "numbers"}, "kind numbers needs columns, the names of numeric ones"),
        ({"kind": "angles"}, "kind angles needs columns"),
        *[(given, "kind matrix needs file, a .npy file; the other kinds take none") for given in ({"kind": "matrix"}, {"file": "x.npy"})],
        ({"kind": "poses"}, "kind is 'poses'"),
        ({"kind": "names", "within": -1}, "within is -1"),
        ({"kind": "layout", "size": 4}, "size is 4"),
        ({"kind": "pose", "joints": ["neck"]}, "there is no key 'joints'"),
    ],
)
def test_a_config_that_does_not_fit(config: dict[str, Any], message: str) -> None:
    with pytest.raises(ValidationError) as caught:
        LabelsConfig(**config)
    assert message in validation_message(caught.value)


def test_a_kind_that_is_listed_is_offered_and_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    known = lambda given: {"Age": {}} if "age" in given.frame else {}  # noqa: E731
    ages = LabelKind("ages", "a column of ages", lambda given, *_: NumberLabels(given.frame[["age"]]), known)
    monkeypatch.setattr(sources, "KINDS", (*sources.KINDS, ages))
    given = table(tmp_path, age=[1, 4])
    assert known_labels(given) == {"Age": LabelsConfig(kind="ages")}
    np.testing.assert_array_equal(whole(given, kind="ages"), [[0, 3], [3, 0]])


def test_what_is_known_by_columns_can_be_read(tmp_path: Path) -> None:
    joints = {f"{name}_{axis}": [0.0, 1.0] for name in ("neck", "head_top", "left_hip") for axis in "xy"}
    assert known_labels(table(tmp_path, **joints)) == {"Pose": LabelsConfig(kind="pose")}
    assert known_labels(table(tmp_path, neck_x=[0], neck_y=[0], tail_x=[0], tail_y=[0])) == {}
    assert known_labels(table(tmp_path, color=["red"], yaw=[1])) == {}
    viewpoint = {"Viewpoint": LabelsConfig(kind="angles", columns=("yaw", "elevation"))}
    others = {"Layout": LabelsConfig(kind="layout"), "Captions": LabelsConfig(kind="captions")}
    assert known_labels(table(tmp_path, layout=["a"], yaw=[1], elevation=[2], captions=["[]"])) == viewpoint | others
    given = table(tmp_path, yaw=[1, 2], elevation=[2, 2], **joints)
    for name, config in known_labels(given).items():
        assert label_distances(given, config).between(np.array([0]), np.array([1]))[0, 0] > 0, name
