"""A study on splits as a table: a column for each split, by distance, and one figure for all."""

import numpy as np
import pandas as pd
import pytest

from likeness.errors import InputError
from likeness.evaluation import aggregated_generalization_score
from likeness.studies import continuous_table, guidance_table, shift_table, with_spread


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


BOUNDS = {
    "oracle_mean_label_distance_at_1": 100.0,
    "oracle_mean_label_distance_at_10": 150.0,
    "chance_mean_label_distance": 600.0,
    "chance_ndcg_at_10": 0.25,
    "chance_ndcg_at_100": 0.5,
}


def line(row: str, first: float, ten: float, **others: float) -> dict[str, object]:
    return {"row": row, "mean_label_distance_at_1": first, "mean_label_distance_at_10": ten, "ndcg_at_10": 0.3, "ndcg_at_100": 0.6} | BOUNDS | others


def test_rows_have_mean_and_deviation_and_stand_above_their_bounds() -> None:
    every = pd.DataFrame([line("Raw", 550, 590), line("Log-ratio", 400, 430), line("Log-ratio", 410, 450)])
    table = continuous_table(every).set_index("row")
    assert list(table) == ["distance at 1", "distance at 10", "nDCG at 10", "nDCG at 100"]
    assert list(table.index) == ["Raw", "Log-ratio", "Oracle", "Chance"]
    assert table.loc["Raw"].tolist() == ["550", "590", "0.300", "0.600"]
    assert table.loc["Log-ratio"].tolist() == ["405 ± 7", "440 ± 14", "0.300 ± 0.000", "0.600 ± 0.000"]
    assert table.loc["Oracle"].tolist() == ["100", "150", "1.000", "1.000"]
    assert table.loc["Chance"].tolist() == ["600", "600", "0.250", "0.500"]


def test_other_figures_stand_beside_them() -> None:
    table = continuous_table(pd.DataFrame([line("Raw", 0.5, 0.6, recall_at_1=0.4)]), ("recall_at_1",)).set_index("row")
    assert table["recall_at_1"].tolist() == ["0.400", "", ""]


def test_figures_have_decimals_by_their_size() -> None:
    assert [with_spread(*each) for each in ((0.4412, 0.012), (17.26, 0.44), (431.4, 6.2), (0.5, float("nan")), (float("nan"), 0.1))] == [
        "0.441 ± 0.012",
        "17.3 ± 0.4",
        "431 ± 6",
        "0.500",
        "",
    ]


def runs(row: str, values: list[float], split: str | None = None, step: int = 5) -> list[dict[str, object]]:
    place = {"split": split, "distance": 0.1} if split else {}
    figures = ("recall_at_1", "map_at_1000", "nmi")
    return [{"row": row, "seed": seed, "step": step} | place | dict.fromkeys(figures, value) for seed, value in enumerate(values)]


def test_a_guided_row_stands_beside_the_row_that_its_name_begins_with() -> None:
    every = pd.DataFrame(
        runs("Raw", [0.2], step=0)
        + runs("Multisimilarity", [0.5, 0.6])
        + runs("Multisimilarity +ELG", [0.52, 0.61])
        + runs("Margin", [0.3, 0.4])
        + runs("Margin +ELG, names shuffled", [0.2, 0.5])
        + runs("flat target, gamma 0", [0.6, 0.6])
    )
    table = guidance_table(every).set_index("row")
    assert table.loc["Multisimilarity", "R@1"] == f"0.550 ± {np.std([0.5, 0.6], ddof=1):.3f}"
    assert table.loc["Raw", "NMI"] == "0.200"
    gained = table["R@1 gained"]
    assert gained["Multisimilarity"] == gained["Margin"] == ""
    assert gained["Multisimilarity +ELG"] == "+0.015 ± 0.005 (2 of 2)"
    assert gained["Margin +ELG, names shuffled"] == "+0.000 ± 0.100 (1 of 2)"
    assert gained["flat target, gamma 0"] == "+0.050 ± 0.050 (1 of 2)"
    assert gained["Raw"] == "-0.350 ± 0.050 (0 of 2)"


def test_two_directions_have_a_column_each() -> None:
    every = pd.DataFrame(
        runs("Multisimilarity", [0.5, 0.6], "forth") + runs("Multisimilarity", [0.4, 0.4], "back")
        + runs("+ELG", [0.6, 0.7], "forth") + runs("+ELG", [0.4, 0.5], "back")
    )  # fmt: skip
    table = guidance_table(every).set_index("row")
    assert list(table.columns) == ["R@1 forth", "R@1 back", "R@1 gained", "mAP@1000 gained"]
    assert table.loc["+ELG", "R@1 back"] == f"0.450 ± {np.std([0.4, 0.5], ddof=1):.3f}"
    assert table.loc["+ELG", "mAP@1000 gained"] == "+0.075 ± 0.025 (3 of 4)"
