import pandas as pd
import pytest

from pages.compare.analyses import sentences


@pytest.fixture
def runs() -> pd.DataFrame:
    rows = [("raw", 512, 0.2), ("exact", 8, 0.8), ("exact", 8, 0.9), ("exact", 128, 0.3), ("random-transform", 8, 0.1), ("oracle", 128, 0.99)]
    frame = pd.DataFrame(rows, columns=["method", "dim", "map_at_r"])
    return frame.assign(notion="car color", refused="")


def _found(runs: pd.DataFrame) -> list[str]:
    return sentences(runs, "dim", "map_at_r", lambda dim: f"at {dim} dimensions", lambda dims: dims[-1])


def test_the_best_point_of_the_best_method_beside_another_and_the_raw_encoder(runs: pd.DataFrame) -> None:
    assert _found(runs) == [
        "**Car color**: best with InDiReCT (exact) **at 8 dimensions**: MAP@R **0.850**; at 128 dimensions it has 0.300; the raw encoder has 0.200."
    ]


def test_the_other_point_is_left_out_where_it_is_the_best(runs: pd.DataFrame) -> None:
    (sentence,) = _found(runs[runs["dim"] != 8])
    assert sentence == "**Car color**: best with InDiReCT (exact) **at 128 dimensions**: MAP@R **0.300**; the raw encoder has 0.200."


def test_refused_runs_are_no_points_and_the_oracle_is_no_rival(runs: pd.DataFrame) -> None:
    runs.loc[runs["method"] == "exact", "refused"] = "does not apply"
    assert "Random transform" in _found(runs)[0]
    runs.loc[runs["method"] == "random-transform", "refused"] = "does not apply"
    assert _found(runs) == ["**Car color**: the raw encoder has 0.200."]


def test_a_sentence_for_each_notion_that_has_a_run(runs: pd.DataFrame) -> None:
    assert len(_found(pd.concat([runs, runs.assign(notion="viewpoint")]))) == 2
