import pandas as pd
import pytest

from experiments.analyses.trust import flags_table, trust_cases, trust_summary, trust_verdicts


@pytest.fixture
def runs() -> pd.DataFrame:
    """Three notions, two draws; the score orders the gains as they are, halves the other way round, and turned words score nothing."""
    rows = []
    for notion, score, reads, map_at_r, raw in (("x", 0.9, True, 0.8, 0.1), ("y", 0.6, True, 0.5, 0.2), ("z", 0.2, False, 0.2, 0.3)):
        for seed in range(2):
            about = {"images": "cars", "notion": notion, "seed": seed, "map_at_r": map_at_r, "raw": raw}
            rows.append(about | {"row": "as it is", "score": score, "stability": score, "alignment": score, "halves": -score, "reads": reads})
            rows.append(about | {"row": "turned words", "score": 0.0, "stability": 1.0, "alignment": 0.0, "halves": 0.5, "reads": False})
    return pd.DataFrame(rows)


def test_rank_correlations_and_verdicts_beside_the_control(runs: pd.DataFrame) -> None:
    table = trust_summary(runs).set_index("without labels")
    assert list(table.loc["Score"]) == ["1.000 ± 0.000", "1.000 ± 0.000", "0.567", "0.000"]
    assert table.loc["Halves of the prompts", "rank correlation with MAP@R"] == "-1.000 ± 0.000"
    assert table.loc["Stability", "turned words"] == "1.000"
    found = trust_verdicts(runs).set_index("notion")
    assert found["verdict"].to_dict() == {"x": "reads it", "y": "reads it", "z": "flagged"}
    assert found["gain"].tolist() == pytest.approx([0.7, 0.3, -0.1])
    read, flagged = flags_table(runs).to_dict("records")
    assert (read["notions and encoders"], read["InDiReCT"], read["smallest gain"], read["largest gain"]) == (2, "0.650", "+0.300", "+0.700")
    assert (flagged["notions and encoders"], flagged["smallest gain"], flagged["largest gain"]) == (1, "-0.100", "-0.100")


def test_each_case_stands_with_verdict_and_gain_beside_the_control(runs: pd.DataFrame) -> None:
    rooms = runs.assign(images="rooms", map_at_r=runs["raw"], reads=False)
    table = trust_cases(pd.concat([runs, rooms])).set_index(["images", "notion"])
    assert table["verdict"].tolist() == ["reads it", "reads it", "flagged"] + ["flagged"] * 3
    assert table.loc["rooms", "gain"].tolist() == [0, 0, 0]
    assert table.loc[("cars", "x"), ["stability", "score", "turned words", "gain"]].tolist() == pytest.approx([0.9, 0.9, 0.0, 0.7])
