from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from likeness.data import ImageTable
from likeness.errors import InputError
from likeness.labels import ImageLabels, LabelsConfig, labeled_rows, labels_named, numeric_columns, read_image_labels
from likeness.labels.kind import number_columns

YEAR = LabelsConfig(kind="numbers", columns=("year",))


def _table(**columns: object) -> ImageTable:
    n = len(next(iter(columns.values())))  # type: ignore[arg-type]
    return ImageTable("few", Path("/"), pd.DataFrame({"path": [f"{row}.png" for row in range(n)]} | columns))


YEARS = np.where(np.isin(np.arange(60), (2, 5)), np.nan, np.random.default_rng(0).integers(0, 30, 60))


@pytest.fixture
def labels() -> ImageLabels:
    """Labels of all rows but 2 and 5."""
    return read_image_labels(_table(year=YEARS), YEAR)


def test_images_without_the_label_are_left_out_and_counted(labels: ImageLabels) -> None:
    assert labels.rows.tolist() == [row for row in range(60) if row not in (2, 5)]
    assert labels.note == "2 images without this label are left out."
    assert (labels.place(0), labels.place(3), labels.place(2), labels.place(60)) == (0, 2, None, None)


def test_the_nearest_by_label_are_those_of_a_plain_sort(labels: ImageLabels) -> None:
    among = labels.rows[::2]
    for row in labels.rows[:10].tolist():
        found, distances = labels.nearest(row, among, 8)
        apart = np.where(among == row, np.inf, abs(YEARS[among] - YEARS[row]))
        order = np.argsort(apart, kind="stable")[:8]
        assert found.tolist() == among[order].tolist()
        np.testing.assert_allclose(distances, apart[order])
    with pytest.raises(InputError, match="Image 2 has no such label"):
        labels.nearest(2, labels.rows, 3)


def test_spread_images_begin_in_the_middle_and_go_where_no_other_is(labels: ImageLabels) -> None:
    years, chosen = YEARS[labels.rows], YEARS[labels.spread(labels.rows, 6)]
    apart = abs(years[:, None] - years)
    assert chosen[0] == years[apart.mean(axis=1).argmin()]
    for number in range(1, 6):
        gaps = abs(years[:, None] - chosen[:number]).min(axis=1)
        assert abs(chosen[number] - chosen[:number]).min() == gaps.max()
    assert len(labels.spread(labels.rows[:3], 6)) == 3


def test_a_label_that_nobody_has_is_refused() -> None:
    with pytest.raises(InputError, match="the column 'year' is empty everywhere"):
        labeled_rows(_table(year=[np.nan, np.inf]), YEAR)


def test_columns_are_labels_as_numbers_or_their_texts() -> None:
    joints = {f"{name}_{axis}": np.arange(4.0) for name in ("neck", "head", "hip_l") for axis in "xy"}
    assert numeric_columns(_table(year=np.arange(4.0), flag=[0, 1, 0, 1], name=list("abcd"), **joints)) == ["year"]
    table = _table(height=["1.5", "2", "2.25", "3"], year=pd.array([1, 2, 3, None], dtype="Int64"), code=["001", "002", "003", "01"])
    assert numeric_columns(table) == ["height", "year"]
    np.testing.assert_array_equal(number_columns(table, ("height", "year")), [[1.5, 1], [2, 2], [2.25, 3], [3, np.nan]])


def test_labels_are_named_by_kind_and_columns() -> None:
    table = _table(year=np.arange(4.0), yaw=np.arange(4.0), elevation=np.arange(4.0), name=list("abcd"))
    assert labels_named(table, "angles", ["yaw", "elevation"]) == LabelsConfig(kind="angles", columns=("yaw", "elevation"))
    assert labels_named(table, "numbers", ["year"]) == YEAR
    for kind, columns in (("numbers", ["name"]), ("numbers", []), ("matrix", ["year"]), ("pose", [])):
        with pytest.raises(InputError, match="choose one that is offered"):
            labels_named(table, kind, columns)
