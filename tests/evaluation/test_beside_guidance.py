"""A study's table beside one of the paper's."""

import pandas as pd

from likeness.studies import beside_guidance


def ours(*rows: str) -> pd.DataFrame:
    return pd.DataFrame({"row": rows, "runs": 3, "recall_at_1": 0.5, "recall_at_1 ±": 0.0123, "map_at_1000": 0.25, "map_at_1000 ±": float("nan")})


def test_rows_meet_by_the_papers_names_and_in_percent() -> None:
    table = beside_guidance(ours("Multisimilarity", "Multisimilarity +ELG", "Of our own"), "table2").set_index("row")
    assert list(table.columns) == ["R@1", "mAP@1000", "R@1, CUB200, paper", "R@1, CARS196, paper"]
    assert table.loc["Multisimilarity +ELG"].tolist() == ["50.0 ± 1.2", "25.0", "67.3 ± 0.2", "85.3 ± 0.1"]
    assert table.loc["Of our own"].tolist() == ["50.0 ± 1.2", "25.0", "", ""]
    assert table.loc["Multisimilarity + S2SD"].tolist() == ["", "", "67.7 ± 0.3", "86.5 ± 0.1"]


def test_other_tables_name_their_rows_alone() -> None:
    table = beside_guidance(ours("Baseline", "+ELG"), "table4", ["CUB200"]).set_index("row")
    assert table.loc["+ELG", "R@1, CUB200, paper"] == "67.3 ± 0.2"
    assert table.loc["Mining mask", "mAP@1000, CUB200, paper"] == "32.6 ± 0.2"
