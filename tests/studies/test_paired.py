"""What a row gains over another, beside SciPy's paired t-test."""

import numpy as np
import pandas as pd
import pytest
from scipy.stats import ttest_rel

from likeness.errors import InputError
from likeness.studies import paired_differences

BASE = {("a", 0): 0.5, ("a", 1): 0.6, ("b", 0): 0.3, ("b", 1): 0.35}
MORE = {("b", 1): 0.36, ("a", 0): 0.53, ("a", 1): 0.61, ("b", 0): 0.29}
RUNS = pd.DataFrame(
    [
        *({"row": "base", "split": split, "seed": seed, "step": 9, "nmi": value} for (split, seed), value in BASE.items()),
        *({"row": "more", "split": split, "seed": seed, "step": 9, "nmi": value} for (split, seed), value in MORE.items()),
        {"row": "raw", "split": "a", "seed": 0, "step": 0, "nmi": 0.4},
        {"row": "raw", "split": "b", "seed": 0, "step": 0, "nmi": 0.2},
        {"row": "begun", "split": "b", "seed": 1, "step": 9, "nmi": 0.4},
    ]
)


def test_pairs_have_the_same_seed_and_split() -> None:
    found = paired_differences(RUNS, "base").set_index("row")
    base, more = np.array([0.5, 0.6, 0.3, 0.35]), np.array([0.53, 0.61, 0.29, 0.36])
    assert found.loc["more", "nmi"] == pytest.approx((more - base).mean())
    t = ttest_rel(more, base)
    assert found.loc["more", "nmi"] / found.loc["more", "nmi ±"] == pytest.approx(t.statistic)
    assert found.loc["more", ["pairs", "nmi ahead"]].tolist() == [4, 3]


def test_what_does_not_train_stands_beside_every_seed() -> None:
    found = paired_differences(RUNS, "base").set_index("row")
    assert found["pairs"].to_dict() == {"more": 4, "raw": 4, "begun": 1}
    assert found.loc["raw", "nmi"] == pytest.approx(np.mean([0.4 - 0.5, 0.4 - 0.6, 0.2 - 0.3, 0.2 - 0.35]))
    assert "recall_at_1" not in found


def test_one_pair_has_no_error_and_a_row_without_runs_is_refused() -> None:
    without_splits = pd.DataFrame({"row": ["a", "b"], "seed": [0, 0], "step": [1, 1], "nmi": [0.1, 0.4]})
    line = paired_differences(without_splits, "a").iloc[0]
    assert line["nmi"] == pytest.approx(0.3)
    assert np.isnan(line["nmi ±"])
    with pytest.raises(InputError, match="No run of 'c' is finished, so nothing can be compared with it; finished are runs of a, b"):
        paired_differences(without_splits, "c")
    with pytest.raises(InputError, match="finished are runs of none"):
        paired_differences(pd.DataFrame(), "c")
