"""A study on splits as a table: a column for each split, by distance, and one figure for all."""

import pandas as pd
import pytest

from likeness.errors import InputError
from likeness.evaluation import aggregated_generalization_score
from likeness.studies import shift_table


@pytest.fixture
def every() -> pd.DataFrame:
    lines = [
        ("Raw", 0, "hard", 30.0, 0.5),
        ("Raw", 0, "easy", 10.0, 0.7),
        ("Margin", 0, "hard", 30.0, 0.2),
        ("Margin", 0, "easy", 10.0, 0.8),
        ("Margin", 1, "hard", 30.0, 0.4),
        ("Margin", 1, "easy", 10.0, 0.8),
    ]
    return pd.DataFrame(lines, columns=["row", "seed", "split", "distance", "recall_at_1"])


def test_splits_stand_by_distance_and_methods_in_their_order(every: pd.DataFrame) -> None:
    table = shift_table(every)
    assert list(table) == ["row", "easy (10)", "hard (30)", "AGS"]
    assert list(table["row"]) == ["Raw", "Margin"]
    assert table.loc[0, ["easy (10)", "hard (30)"]].tolist() == ["0.700", "0.500"]
    assert table.loc[1, ["easy (10)", "hard (30)"]].tolist() == ["0.800 ± 0.000", "0.300 ± 0.141"]


def test_the_area_is_that_of_the_same_figure(every: pd.DataFrame) -> None:
    every["matched"] = every["recall_at_1"] / 2
    area = aggregated_generalization_score([10, 30], [0.35, 0.25])
    assert shift_table(every, "matched").loc[0, "AGS"] == f"{area:.3f}"


def test_a_method_without_a_split_has_a_gap_and_no_area(every: pd.DataFrame) -> None:
    table = shift_table(every[~((every["row"] == "Raw") & (every["split"] == "hard"))])
    assert table.loc[0].tolist() == ["Raw", "0.700", "", ""]


def test_without_a_run_the_table_is_empty(every: pd.DataFrame) -> None:
    assert len(shift_table(every[:0])) == 0


def test_a_figure_that_was_not_measured_is_refused(every: pd.DataFrame) -> None:
    with pytest.raises(InputError, match="The runs have no 'matched_recall_at_1'; their columns are row, seed, split"):
        shift_table(every, "matched_recall_at_1")
