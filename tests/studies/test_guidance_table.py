import numpy as np
import pandas as pd

from likeness.studies import guidance_table


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
