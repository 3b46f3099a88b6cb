import numpy as np
import pandas as pd

from experiments.study_tables import continuous_table, guidance_table

BOUNDS = {"oracle_mean_label_distance_at_1": 100.0, "oracle_mean_label_distance_at_10": 150.0, "chance_mean_label_distance": 600.0}
BOUNDS |= {"chance_ndcg_at_10": 0.25, "chance_ndcg_at_100": 0.5}


def line(row: str, first: float, ten: float, **others: float) -> dict[str, object]:
    return {"row": row, "mean_label_distance_at_1": first, "mean_label_distance_at_10": ten, "ndcg_at_10": 0.3, "ndcg_at_100": 0.6} | BOUNDS | others


def test_rows_have_mean_and_deviation_and_stand_above_their_bounds() -> None:
    every = pd.DataFrame([line("Raw", 550, 590), line("Log-ratio", 400, 430), line("Log-ratio", 410, 450)])
    table = continuous_table(every).set_index("row")
    assert list(table) == ["distance at 1", "distance at 10", "nDCG at 10", "nDCG at 100"]
    assert table.apply(list, axis=1).to_dict() == {
        "Raw": ["550", "590", "0.300", "0.600"],
        "Log-ratio": ["405 ± 7", "440 ± 14", "0.300 ± 0.000", "0.600 ± 0.000"],
        "Oracle": ["100", "150", "1.000", "1.000"],
        "Chance": ["600", "600", "0.250", "0.500"],
    }
    more = continuous_table(pd.DataFrame([line("Raw", 0.5, 0.6, recall_at_1=0.4)]), ("recall_at_1",))
    assert more["recall_at_1"].tolist() == ["0.400", "", ""]


def runs(row: str, values: list[float], split: str | None = None, step: int = 5) -> list[dict[str, object]]:
    place = {"split": split, "distance": 0.1} if split else {}
    figures = ("recall_at_1", "map_at_1000", "nmi")
    return [{"row": row, "seed": seed, "step": step} | place | dict.fromkeys(figures, value) for seed, value in enumerate(values)]


def test_a_guided_row_stands_beside_the_row_that_its_name_begins_with() -> None:
    gained = {
        "Multisimilarity": ([0.5, 0.6], ""),
        "Multisimilarity +ELG": ([0.52, 0.61], "+0.015 ± 0.005 (2 of 2)"),
        "Margin": ([0.3, 0.4], ""),
        "Margin +ELG, names shuffled": ([0.2, 0.5], "+0.000 ± 0.100 (1 of 2)"),
        "flat target, gamma 0": ([0.6, 0.6], "+0.050 ± 0.050 (1 of 2)"),
    }
    every = runs("Raw", [0.2], step=0) + [line for row, (values, _) in gained.items() for line in runs(row, values)]
    table = guidance_table(pd.DataFrame(every)).set_index("row")
    assert table.loc["Multisimilarity", "R@1"] == f"0.550 ± {np.std([0.5, 0.6], ddof=1):.3f}"
    assert table.loc["Raw", "NMI"] == "0.200"
    expected = {row: text for row, (_, text) in gained.items()} | {"Raw": "-0.350 ± 0.050 (0 of 2)"}
    assert table["R@1 gained"].to_dict() == expected


def test_two_directions_have_a_column_each() -> None:
    every = pd.DataFrame(
        runs("Multisimilarity", [0.5, 0.6], "forth") + runs("Multisimilarity", [0.4, 0.4], "back")
        + runs("+ELG", [0.6, 0.7], "forth") + runs("+ELG", [0.4, 0.5], "back")
    )  # fmt: skip
    table = guidance_table(every).set_index("row")
    assert list(table.columns) == ["R@1 forth", "R@1 back", "R@1 gained", "mAP@1000 gained"]
    assert table.loc["+ELG", "R@1 back"] == f"0.450 ± {np.std([0.4, 0.5], ddof=1):.3f}"
    assert table.loc["+ELG", "mAP@1000 gained"] == "+0.075 ± 0.025 (3 of 4)"
