import numpy as np
import pandas as pd
import pytest
from hypothesis import given, strategies as st
from scipy.integrate import trapezoid
from scipy.stats import pearsonr

from likeness.errors import InputError
from likeness.evaluation import (
    aggregated_generalization_score,
    by_split,
    correlation_intervals,
    few_shot_gains,
    generalization_scores,
    rise_by_removal,
    scaled_structure,
    structure_correlations,
)


@pytest.fixture
def measured() -> pd.DataFrame:
    """Two methods, two seeds, three splits; the raw encoder has one seed."""
    rng, runs = np.random.default_rng(0), (("A", 0), ("A", 1), ("B", 0), ("B", 1), ("raw", 0))
    splits = (("start", 10.0), ("swap 4", 20.0), ("removal 3", 50.0))
    frame = pd.DataFrame([(*run, *split) for run in runs for split in splits], columns=["row", "seed", "split", "distance"])
    scores = {name: rng.random(len(frame)) for name in ("recall_at_1", "structure_inter")}
    return frame.assign(**scores, zero_shot_2=0.4, few_shot_2=np.linspace(0.4, 0.6, len(frame)))


@given(st.lists(st.tuples(st.integers(0, 1000), st.floats(0, 1)), min_size=2, max_size=9, unique_by=lambda pair: pair[0]))
def test_ags_is_the_area_over_scaled_distances(pairs: list[tuple[int, float]]) -> None:
    assert aggregated_generalization_score([50, 10, 20], [0.2, 0.8, 0.6]) == pytest.approx(0.25 * 0.7 + 0.75 * 0.4)
    distances, scores = (np.array(values, dtype=float) for values in zip(*pairs, strict=True))
    order = np.argsort(distances)
    expected = trapezoid(scores[order], distances[order]) / np.ptp(distances)
    assert aggregated_generalization_score(distances, scores) == pytest.approx(expected, abs=1e-9)


@pytest.mark.parametrize(
    ("distances", "scores", "message"),
    [([1], [1], "at least two"), ([1, 2], [1], "shape"), ([1, 1], [0, 1], "the same distance"), ([1, np.nan], [0, 1], "not finite")],
)
def test_ags_errors(distances: list[float], scores: list[float], message: str) -> None:
    with pytest.raises(InputError, match=message):
        aggregated_generalization_score(distances, scores)


def test_means_and_differences_by_split(measured: pd.DataFrame) -> None:
    found = by_split(measured)
    assert found["distance"].is_monotonic_increasing
    first = found[found["split"] == "start"].set_index("row")
    own = measured[(measured["split"] == "start") & (measured["row"] == "A")]["recall_at_1"]
    assert first.loc["A", "mean"] == pytest.approx(own.mean())
    assert first.loc["A", "deviation"] == pytest.approx(own.std(ddof=1))
    assert (first.loc["raw", "runs"], first.loc["raw", "deviation"]) == (1, 0.0)
    assert first["difference"].sum() == pytest.approx(0)
    part = by_split(measured[~((measured["row"] == "A") & (measured["split"] == "start"))])
    assert part[part["split"] == "start"]["difference"].isna().all()
    assert part[part["split"] == "swap 4"]["difference"].notna().all()
    assert not len(by_split(measured.iloc[:0]))


def test_ags_of_methods_with_all_splits(measured: pd.DataFrame) -> None:
    found = generalization_scores(measured).set_index("row")
    seeds = [aggregated_generalization_score(own["distance"], own["recall_at_1"]) for _, own in measured[measured["row"] == "B"].groupby("seed")]
    assert found.loc["B", "ags"] == pytest.approx(np.mean(seeds))
    assert found.loc["B", "deviation"] == pytest.approx(np.std(seeds, ddof=1))
    assert found["ags"].is_monotonic_decreasing
    broken = generalization_scores(measured.drop(index=measured[(measured["row"] == "B") & (measured["seed"] == 1)].index[0])).set_index("row")
    assert broken.loc["B", "runs"] == 1
    assert "raw" not in generalization_scores(measured.drop(index=measured[measured["row"] == "raw"].index[0]))["row"].tolist()
    assert not len(generalization_scores(measured.iloc[:0]))
    control = measured[measured["split"] == "swap 4"].assign(split="random 3", distance=25.0, recall_at_1=0.0)
    pd.testing.assert_frame_equal(generalization_scores(pd.concat([measured, control])), generalization_scores(measured))


def test_structure_is_scaled_within_each_split(measured: pd.DataFrame) -> None:
    scaled = scaled_structure(measured)
    for split, own in scaled.groupby("split"):
        raw = measured[measured["split"] == split]
        assert (own["structure"].min(), own["structure"].max(), own["score"].min(), own["score"].max()) == (0, 1, 0, 1)
        correlation = structure_correlations(scaled).set_index(["property", "split"])["correlation"]["inter", split]
        assert correlation == pytest.approx(pearsonr(raw["structure_inter"], raw["recall_at_1"])[0])
    over_all = structure_correlations(scaled).set_index("split").loc["all"]
    assert over_all["runs"] == len(measured)
    assert over_all["correlation"] == pytest.approx(pearsonr(scaled["structure"], scaled["score"])[0])
    assert not len(structure_correlations(scaled_structure(measured.assign(structure_inter=1.0))))


def test_intervals_of_a_correlation_over_methods() -> None:
    rng, rows = np.random.default_rng(0), [f"method {number}" for number in range(6)]
    runs = [(row, seed, split, place) for place, split in enumerate(("start", "swap 1", "even")) for seed in (0, 1) for row in rows]
    measured = pd.DataFrame(runs, columns=["row", "seed", "split", "distance"])
    measured[["structure_inter", "recall_at_1"]] = rng.random((len(runs), 2))
    measured.loc[measured["row"] == "method 0", ["structure_inter", "recall_at_1"]] = (9.0, 5.0)
    measured.loc[measured["split"] == "even", "structure_inter"] = 1.0
    scaled = scaled_structure(measured)
    (found,) = correlation_intervals(scaled).to_dict("records")
    means = scaled.groupby(["split", "row"])[["structure", "score"]].mean()

    def correlation(chosen: list[str]) -> float:
        parts = [pd.concat([means.loc[(split, row)] for row in chosen], axis=1).T for split in ("start", "swap 1")]
        return float(pearsonr(*pd.concat([(part - part.min()) / (part.max() - part.min()) for part in parts]).to_numpy().T)[0])

    assert (found["property"], found["correlation"]) == ("inter", pytest.approx(correlation(rows)))
    draws = np.random.default_rng(0).integers(6, size=(2000, 6))[:300]
    values = [correlation([rows[place] for place in drawn]) for drawn in draws if len(set(drawn)) > 1]
    few = correlation_intervals(scaled, draws=300).to_dict("records")[0]
    assert (few["low"], few["high"]) == (pytest.approx(np.quantile(values, 0.025)), pytest.approx(np.quantile(values, 0.975)))
    assert found["low"] < found["correlation"] < found["high"]
    assert found["low"] < 0.3  # most of it is one method
    assert not len(correlation_intervals(scaled[scaled["row"].isin(rows[:2])]))


def test_gains_of_few_shots(measured: pd.DataFrame) -> None:
    measured.loc[measured["row"] == "raw", ["zero_shot_2", "few_shot_2"]] = np.nan
    found = few_shot_gains(measured)
    assert set(found["row"]) == {"A", "B"}
    own = measured[(measured["row"] == "A") & (measured["split"] == "removal 3")]
    line = found[(found["row"] == "A") & (found["split"] == "removal 3")].iloc[0]
    assert (line["shots"], line["runs"]) == (2, 2)
    assert line["gain"] == pytest.approx(own["few_shot_2"].mean() / 0.4 - 1)
    assert not len(few_shot_gains(measured.drop(columns=["few_shot_2"])))


def _scores(removal: tuple[float, float]) -> pd.DataFrame:
    """Two methods on the start, the hardest exchange and the hardest removal."""
    lines = [
        (row, 0, split, distance, score)
        for row, after in zip(("A", "B"), removal, strict=True)
        for split, distance, score in (("start", 10.0, 0.9), ("swap 4", 20.0, 0.4), ("removal 2", 40.0, after), ("removal 1", 30.0, 0.1))
    ]
    return pd.DataFrame(lines, columns=["row", "seed", "split", "distance", "recall_at_1"])


def test_a_rise_by_removal_is_that_of_methods_that_both_splits_have() -> None:
    rising = _scores((0.7, 0.3))
    found = rise_by_removal(by_split(rising))
    assert found is not None
    assert (found.before, found.after) == ("swap 4", "removal 2")
    assert (found.score_before, found.score_after) == (pytest.approx(0.4), pytest.approx(0.5))
    rising = _scores((0.5, 0.9))
    found = rise_by_removal(by_split(rising[~((rising["row"] == "B") & (rising["split"] == "swap 4"))]))
    assert found is not None
    assert found.score_after == pytest.approx(0.5)  # of A alone
    removal = rising["split"].str.startswith("removal")
    nearer = rising.assign(distance=rising["distance"].replace({40.0: 15.0, 30.0: 12.0}))
    for nothing in (_scores((0.5, 0.2)), rising[~removal], rising[removal], rising.iloc[:0], nearer):
        assert rise_by_removal(by_split(nothing)) is None
