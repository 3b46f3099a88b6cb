import pandas as pd
import pytest

from likeness.errors import InputError
from likeness.plots.spread import spread


def test_mean_deviation_and_count_by_hand() -> None:
    runs = pd.DataFrame(
        {"notion": "color", "method": ["exact", "exact", "raw"], "dim": [4, 4, 512], "refused": "", "map_at_r": [0.2, 0.4, 0.1]},
    )
    points = spread(runs, "dim", "map_at_r")
    assert points.to_dict("records") == [
        {"notion": "color", "method": "exact", "dim": 4, "mean": pytest.approx(0.3), "std": pytest.approx(0.1), "runs": 2},
        {"notion": "color", "method": "raw", "dim": 512, "mean": 0.1, "std": 0.0, "runs": 1},
    ]


def test_refused_runs_do_not_count_if_there_are_any(runs: pd.DataFrame) -> None:
    points = spread(runs, "dim", "map_at_r")
    assert set(points.loc[points["method"] == "pca", "dim"]) == {2, 8}
    assert points["mean"].notna().all()
    measured = runs[runs["refused"] == ""]
    pd.testing.assert_frame_equal(spread(measured.drop(columns="refused"), "dim", "map_at_r"), spread(runs, "dim", "map_at_r"))


def test_bad_input_is_named(runs: pd.DataFrame) -> None:
    with pytest.raises(InputError, match=r"The runs have no 'size'; their columns are notion, method, dim"):
        spread(runs, "size", "map_at_r")
    with pytest.raises(InputError, match=r"The runs have no 'ami'; their metrics are map_at_r, precision_at_1\."):
        spread(runs, "dim", "ami")
    with pytest.raises(InputError, match="every run was refused; choose other methods"):
        spread(runs[runs["refused"] != ""], "dim", "map_at_r")
    with pytest.raises(InputError, match="There is nothing to plot"):
        spread(runs.iloc[:0], "dim", "map_at_r")
