"""A study of continuous labels as a table: rows with their spread, between chance and the Oracle."""

import pandas as pd

from likeness.studies import continuous_table, with_spread

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
