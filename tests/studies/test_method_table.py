"""The table of methods by hand: means, deviations, differences from the raw encoder and the paper's figures."""

import numpy as np
import pandas as pd
import pytest

from likeness.evaluation import METRICS
from likeness.notions import METHOD_TITLES
from likeness.studies import best_method, method_table, published, with_spread


def _run(method: str, dim: int, seed: int, value: float, refused: str = "") -> dict[str, object]:
    figures = dict.fromkeys(METRICS, float("nan") if refused else value)
    return {"notion": "car color", "method": method, "dim": dim, "seed": seed, "fit_seconds": 0.004, "refused": refused} | figures


@pytest.fixture
def runs() -> pd.DataFrame:
    refused = _run("pca", 128, 0, 0.0, "PCA needs more than 128 prompts, but there are <17>.")
    exact, oracle = (
        [_run(name, 128, seed, value) for seed, value in enumerate(values)] for name, values in (("exact", (0.3, 0.4)), ("oracle", (0.9, 0.9)))
    )
    return pd.DataFrame([_run("raw", 512, 0, 0.25), refused, *exact, *oracle])


def test_a_row_has_mean_deviation_and_the_difference_to_the_raw_encoder(runs: pd.DataFrame) -> None:
    shown = method_table(runs[::-1], "map_at_r").set_index("Method")
    exact = shown.loc["InDiReCT (exact)"]
    assert list(shown.index) == ["Raw encoder (baseline)", "InDiReCT (exact)", "Oracle"]  # the baseline first
    assert [exact[name] for name in ("MAP@R", "±", "Against raw")] == pytest.approx([0.35, 0.05, 0.1])
    assert np.isnan(shown.loc["Raw encoder (baseline)", ["±", "Against raw"]].astype(float)).all()
    assert {exact[title] for name, title in METRICS.items() if name != "map_at_r"} == {0.35}
    assert (exact["Fit"], exact["Runs"], exact["Dimensions"]) == ("4 ms", 2, 128)
    runs.loc[runs["method"] == "exact", "ami"] = -0.0004
    assert str(method_table(runs, "ami")["AMI"][1]) == "0.0"  # no -0.0
    assert method_table(runs[runs["refused"] != ""], "map_at_r").empty


def test_the_best_is_named_but_never_the_oracle(runs: pd.DataFrame) -> None:
    def said(some: pd.DataFrame, is_complete: bool = True) -> str:
        return best_method(method_table(some, "map_at_r"), is_complete)

    assert said(runs) == said(runs, False) == "Best: InDiReCT (exact) with 128 dimensions, +0.100 against the raw encoder."
    runs.loc[runs["method"] == "exact", list(METRICS)] = 0.1
    none = "No method is better than the raw encoder."
    assert [said(runs), said(runs, False), said(runs[runs["method"] != "exact"])] == [none, "", ""]


def test_the_papers_figures_stand_beside_ours_at_its_own_size_only(runs: pd.DataFrame) -> None:
    row = published().query("notion == 'car color' and method == 'adam' and metric == 'map_at_r'").iloc[0]
    runs.loc[runs["method"] == "exact", "method"] = "adam"
    assert method_table(runs, "map_at_r", paper=True).set_index("Method").loc[METHOD_TITLES["adam"], "Paper"] == with_spread(
        row["mean"], row["std"], 3
    )
    assert method_table(runs.assign(dim=6), "map_at_r", paper=True)["Paper"].tolist()[1:] == ["", ""]
