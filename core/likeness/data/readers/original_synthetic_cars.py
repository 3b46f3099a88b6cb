"""The original Synthetic Cars (Kobs et al., Do Different Deep Metric Learning Losses Lead to Similar Learned Features?, ICCV 2021)."""

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from likeness.data.css_colors import nearest_color
from likeness.data.protocols import check_split
from likeness.data.readers.dataset import Dataset
from likeness.data.readers.official_layout import OfficialLayout
from likeness.data.table import ImageTable
from likeness.io import regular_file

LAYOUT = OfficialLayout(
    "Synthetic Cars (original)", "https://github.com/konstantinkobs/DML-analysis/tree/master/3D_cars", ("samples.csv", "cars.csv"), distinct=False
)
FIRST = 1000
_LARGEST = 1e9
_FOLDERS = ("images", "cars")
_COLORS = {"car_color": ("color_hue", "color_sat", "color_val"), "background_color": ("bg_color_hue", "bg_color_sat", "bg_color_val")}
_USED = ("frame", "model", *(column for columns in _COLORS.values() for column in columns))


def read_original_synthetic_cars(folder: str | Path, split: str = "test") -> ImageTable:
    """The authors' rendered cars with the labels that the InDiReCT paper judges its notions by, named as those of the shipped images.

    Attributes: `body_type` (the six car models, as the table names them), `car_color`, `background_color` (the nearest CSS 2.1 names) and the
    table's further columns as they are.

    Files: `samples.csv` or `cars.csv` and `images/<frame>.png` or `cars/<frame>.png`, the names that the authors' two repositories read;
    the archive itself was not at hand. As those do, the colors are taken from the settings of Blender's hue and saturation node: hue 0.5
    leaves the red base as it is, saturation and value run from 0 to 2; and the nearest name is sought in RGB, which the paper leaves open.

    Splits: "test", frames 1 to 1000, which the paper evaluates; "train", the others; "all".
    """
    check_split(split)
    root = LAYOUT.root(folder)
    index = LAYOUT.find(root, *LAYOUT.indexes)
    rows = _rows(index)
    inside = next((name for name in _FOLDERS if (root / name).is_dir()), _FOLDERS[0])
    frame = pd.DataFrame({"path": [f"{inside}/{number}.png" for number in rows["frame"]], "body_type": rows["model"].astype(str)})
    for attribute, columns in _COLORS.items():
        frame[attribute] = _color_names(index, rows, columns)
    frame = pd.concat([frame, rows.drop(columns=["frame", "model"])], axis=1)
    first = rows["frame"] <= FIRST
    return LAYOUT.table(root, frame[{"test": first, "train": ~first, "all": first | ~first}[split]], split, index)


def _rows(file: Path) -> pd.DataFrame:
    """The table in the order of its frames; text and numbers checked."""
    try:
        rows = pd.read_csv(regular_file(file), encoding="utf-8-sig", dtype={"model": str})
    except Exception as error:  # pandas' own errors are mostly ValueErrors
        reason = " ".join(str(error).split())[:150]
        raise LAYOUT.error(file, f"cannot be parsed ({reason})") from error
    missing = [column for column in _USED if column not in rows.columns]
    if missing:
        raise LAYOUT.error(file, f"has no column '{missing[0]}'")
    for column in _USED:
        _check_column(file, rows[column])
    rows["frame"] = rows["frame"].astype(int)
    return rows.sort_values("frame", ignore_index=True)


def _check_column(file: Path, values: "pd.Series[Any]") -> None:
    """Names in `model`, numbers in the others, each frame a whole number that stands once."""
    name = str(values.name)
    wrong, expected = values.isna(), "a name"
    if name != "model":
        numbers = pd.to_numeric(values, errors="coerce").astype(np.float64)
        wrong, expected = ~numbers.between(-np.inf, np.inf, inclusive="neither"), "a number"
        if name == "frame" and not wrong.any():
            wrong, expected = (numbers % 1 != 0) | (numbers.abs() > _LARGEST) | numbers.duplicated(), "a whole number that no other line has"
    if wrong.any():
        row = int(wrong.to_numpy().argmax())
        raise LAYOUT.malformed(file, f"'{name}' in line {row + 2}", str(values.iloc[row]), expected)


def _color_names(file: Path, rows: pd.DataFrame, columns: tuple[str, ...]) -> list[str]:
    hue, saturation, value = (rows[column].to_numpy(np.float64) for column in columns)
    for column, values in zip(columns[1:], (saturation, value), strict=True):
        wrong = np.flatnonzero((values < 0) | (values > 2))
        if wrong.size:
            frame = rows["frame"][wrong[0]]
            raise LAYOUT.malformed(file, f"'{column}' of frame {frame}", str(values[wrong[0]]), "a number from 0 to 2")
    return nearest_color(np.stack([(hue + 0.5) % 1, saturation / 2, value / 2], axis=1))


DATASET = Dataset(
    "synthetic-cars", LAYOUT.name, "The rendered cars of the InDiReCT paper; 1,000 images are evaluated.", read_original_synthetic_cars, LAYOUT
)
