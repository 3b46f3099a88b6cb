import numpy as np
import pandas as pd
import pytest

from experiments.published import side_by_side
from experiments.study_tables import (
    autoencoder_ranges,
    continuous_table,
    guidance_table,
    methods_paper_table,
    ranged_statistics,
    sentence_shares,
)

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


def runs_of(method: str, *values: float, notion: str = "color", dim: int = 4) -> pd.DataFrame:
    return pd.DataFrame({"notion": notion, "method": method, "dim": dim, "seed": range(len(values)), "refused": "", "map_at_r": values})


def test_an_autoencoder_stands_by_median_and_range_and_others_by_mean_and_deviation() -> None:
    runs = pd.concat([runs_of("lae", 0.2, 0.4), runs_of("ae", 0.1, 0.9, 0.8), runs_of("ae", 0.3, dim=8), runs_of("lae", 0.5, dim=8)])
    table = methods_paper_table(runs, ["map_at_r"], bold=True).set_index("dim")
    assert table.loc[4, "Autoencoder"] == "**0.800 (0.100 to 0.900)**"
    assert table.loc[4, "Linear autoencoder"] == "0.300 ± 0.100"
    assert table.loc[8, ["Autoencoder", "Linear autoencoder"]].tolist() == ["0.300", "**0.500**"]
    found = ranged_statistics(runs).set_index(["method", "dim"])
    assert found.loc[("ae", 4), ["mean", "std", "text"]].tolist() == [0.8, 0.4, "0.800 (0.100 to 0.900)"]
    assert found.loc[("lae", 4), ["mean", "std"]].tolist() == [pytest.approx(0.3), pytest.approx(0.1)]
    assert found["text"].isna().sum() == 3
    assert autoencoder_ranges(runs).to_numpy().tolist() == [["color", "ae", 4, 0.8, 0.1, 0.9, 3], ["color", "ae", 8, 0.3, 0.3, 0.3, 1]]
    paper = pd.DataFrame({"notion": "color", "metric": "map_at_r", "method": ["ae"], "mean": [0.2], "std": [0.1]})
    beside = side_by_side(ranged_statistics(runs[runs["dim"] == 4]), paper)
    assert beside["Autoencoder"].tolist() == ["0.800 (0.100 to 0.900)", "0.200 ± 0.100"]


def test_sentences_are_compared_photo_by_photo() -> None:
    scores = {("XE", "a"): (0.1, 0.2), ("XE", "b"): (0.3, 0.3), ("RL", "a"): (0.5, 0.4), ("RL", "b"): (0.5, 0.1)}
    lines = [
        (stage, path, features, score)
        for (stage, path), each in scores.items()
        for features, score in zip(("ImageNet", "caption-aware"), each, strict=True)
    ]
    found = sentence_shares(pd.DataFrame(lines, columns=["stage", "path", "features", "cider_d"])).set_index("stage")
    assert found.loc["XE", ["higher", "the same", "lower"]].tolist() == [0.5, 0.5, 0]
    assert found.loc["RL", ["higher", "the same", "lower"]].tolist() == [0, 0, 1]
