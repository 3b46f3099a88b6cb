"""From a table of images to its label distances: which columns, and what they mean."""

import hashlib
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any, Literal, cast, get_args

import numpy as np
from pydantic import Field, model_validator

from likeness.data.table import ImageTable
from likeness.errors import InputError
from likeness.io.frozen_config import Part
from likeness.labels.captions import caption_distances
from likeness.labels.layouts import LayoutLabels, read_layouts
from likeness.labels.matrix import ClassLabels, read_matrix
from likeness.labels.numbers import NumberLabels
from likeness.labels.poses import PoseLabels, joints_of
from likeness.labels.protocol import LabelDistances
from likeness.labels.stored import stored_distances

Kind = Literal["pose", "layout", "captions", "numbers", "angles", "names", "matrix", "mpii"]
KINDS: tuple[str, ...] = get_args(Kind)
_TURN = 360.0


class LabelsConfig(Part):
    """Which labels, and what makes two of them far apart.

    Attributes:
        kind: "pose": columns NAME_x and NAME_y of joints; "layout": a column of segmentation files; "captions": a column of captions;
            "numbers": numeric columns; "angles": the same, in degrees; "names": the language similarity of class names; "matrix": a file;
            "mpii": the distances between poses that come with `likeness.data.read_mpii_pose`.
        columns: which; empty: those of the kind that are there ("pose": all joints; "layout" and "captions": the column of that name; "names":
            "class").
        file: the .npy file of a matrix (n, n), in the order of the table.
        language: what reads words of captions, or class names: a language model, or "vectors:FILE".
        within: the distance between images of one class ("names"); None: half of the smallest between classes.
        size: side in pixels at which layouts are compared.
    """

    kind: Kind = "pose"
    columns: tuple[str, ...] = ()
    file: str | None = None
    language: str = "minilm"
    within: float | None = Field(default=None, ge=0)
    size: int = Field(default=64, ge=8, le=512)

    @model_validator(mode="after")
    def _complete(self) -> "LabelsConfig":
        if self.kind in ("numbers", "angles") and not self.columns:
            raise ValueError(f"kind {self.kind} needs columns, the names of numeric ones")
        if (self.kind == "matrix") != (self.file is not None):
            raise ValueError("kind matrix needs file, a .npy file; the other kinds take none")
        return self


def label_distances(table: ImageTable, config: LabelsConfig, report: Callable[[int, int], None] | None = None) -> LabelDistances:
    """The label distances of a table's images; those of captions are computed once and stored.

    Raises:
        InputError: columns that are not there or hold something else, or whatever the kind refuses.
    """
    return _READERS[config.kind](table, config, report)


def known_labels(table: ImageTable) -> dict[str, LabelsConfig]:
    """The continuous labels that a table offers by its columns, or by its folder (MPII), by names for people."""
    columns = set(table.attributes)
    found = {}
    if len(joints_of(table.frame)) > 2:
        found["Pose"] = LabelsConfig(kind="pose")
    if "layout" in columns:
        found["Layout"] = LabelsConfig(kind="layout")
    if {"yaw", "elevation"} <= columns:
        found["Viewpoint"] = LabelsConfig(kind="angles", columns=("yaw", "elevation"))
    if "captions" in columns:
        found["Captions"] = LabelsConfig(kind="captions")
    if (table.root / "dist_pose_val.mat").is_file():
        found["Pose"] = LabelsConfig(kind="mpii")
    return found


def _columns(table: ImageTable, wanted: tuple[str, ...]) -> np.ndarray[Any, Any]:
    missing = [name for name in wanted if name not in table.attributes]
    if missing:
        raise InputError(f"'{table.name}' has no column '{missing[0]}'; it has {', '.join(table.attributes[:20]) or 'none'}.")
    try:
        return table.frame[list(wanted)].to_numpy(dtype=np.float64)
    except (TypeError, ValueError, OverflowError) as error:
        raise InputError(f"The columns {', '.join(wanted)} of '{table.name}' are no numbers ({error}); name others.") from error


def _pose(table: ImageTable, config: LabelsConfig, report: Any) -> LabelDistances:
    names = list(config.columns) or joints_of(table.frame)
    if not names:
        raise InputError(f"'{table.name}' has no joints, no columns such as neck_x and neck_y; name another kind of label.")
    flat = _columns(table, tuple(f"{name}_{axis}" for name in names for axis in "xy"))
    return PoseLabels(flat.reshape(len(table), len(names), 2), tuple(names))


def _layout(table: ImageTable, config: LabelsConfig, report: Any) -> LabelDistances:
    column = _text_column(table, config, "layout")
    return LayoutLabels(read_layouts([table.root / str(each) for each in table.frame[column]], config.size))


def _numbers(table: ImageTable, config: LabelsConfig, report: Any) -> LabelDistances:
    return NumberLabels(_columns(table, config.columns))


def _angles(table: ImageTable, config: LabelsConfig, report: Any) -> LabelDistances:
    return NumberLabels(_columns(table, config.columns), (_TURN,) * len(config.columns), "degrees")


def _captions(table: ImageTable, config: LabelsConfig, report: Any) -> LabelDistances:
    from likeness.data.captions_column import read_captions

    captions = read_captions(table)
    labels = caption_distances(captions, config.language)
    content = hashlib.sha256(labels.costs.tobytes())
    content.update(json.dumps(captions).encode())
    return stored_distances(labels, f"captions 1 {content.hexdigest()}", report)


def _names(table: ImageTable, config: LabelsConfig, report: Any) -> LabelDistances:
    from likeness.data.classes import image_classes
    from likeness.language import class_similarities, readable_names

    chosen: str | tuple[str, ...] = config.columns if len(config.columns) > 1 else (*config.columns, "class")[0]
    classes = image_classes(table, chosen)
    apart = np.maximum(1 - class_similarities(readable_names(classes.names), config.language).astype(np.float64), 0)
    np.fill_diagonal(apart, 0)
    return ClassLabels((apart + apart.T) / 2, classes.labels, config.within)


def _matrix(table: ImageTable, config: LabelsConfig, report: Any) -> LabelDistances:
    return read_matrix(Path(cast(str, config.file)), len(table))


def _mpii(table: ImageTable, config: LabelsConfig, report: Any) -> LabelDistances:
    from likeness.data.readers.mpii_pose import mpii_labels

    return mpii_labels(table)


def _text_column(table: ImageTable, config: LabelsConfig, usual: str) -> str:
    column = (*config.columns, usual)[0]
    if column not in table.attributes:
        raise InputError(f"'{table.name}' has no column '{column}'; it has {', '.join(table.attributes[:20]) or 'none'}.")
    return column


_READERS: dict[str, Callable[[ImageTable, LabelsConfig, Any], LabelDistances]] = {
    "pose": _pose,
    "layout": _layout,
    "captions": _captions,
    "numbers": _numbers,
    "angles": _angles,
    "names": _names,
    "matrix": _matrix,
    "mpii": _mpii,
}
