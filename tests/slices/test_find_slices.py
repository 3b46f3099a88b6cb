"""Slices: planted ones are found, shuffled errors give none, and tests and intervals are those of SciPy, statsmodels and slow loops."""

from itertools import combinations

import numpy as np
import pandas as pd
import pytest
import scipy.stats
from numpy.typing import NDArray
from statsmodels.stats.multitest import multipletests
from statsmodels.stats.proportion import confint_proportions_2indep
from statsmodels.stats.weightstats import CompareMeans, DescrStatsW

from likeness import Space
from likeness.data import ImageTable
from likeness.errors import InputError
from likeness.notions import get_notion
from likeness.slices import failing_slices, find_slices, slice_columns
from worlds import cars

Values = NDArray[np.float64]
N = 1200


def columns(seed: int, n: int = N) -> pd.DataFrame:
    """Columns that overlap, one of them with missing values and one with rare ones."""
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame({"color": rng.choice(["red", "green", "blue"], n, p=[0.1, 0.3, 0.6]), "size": rng.choice(["small", "large"], n)})
    frame["shape"] = np.where(rng.random(n) < 0.7, np.where(frame["color"] == "red", "round", "square"), rng.choice(["round", "flat"], n))
    frame["place"] = pd.Series(rng.choice([f"place {number}" for number in range(90)], n)).where(rng.random(n) < 0.8)
    return frame


def greater(inside: Values, outside: Values) -> float:
    """The p-value by SciPy, on the values themselves."""
    if set(inside) | set(outside) <= {0.0, 1.0}:
        table = [[inside.sum(), len(inside) - inside.sum()], [outside.sum(), len(outside) - outside.sum()]]
        return float(scipy.stats.fisher_exact(table, alternative="greater")[1])
    every = np.concatenate([inside, outside])
    spread = every.std(ddof=1) * np.sqrt((1 - len(inside) / len(every)) / len(inside))
    welch = scipy.stats.ttest_ind(inside, outside, equal_var=False, alternative="greater").pvalue
    return max(welch, scipy.stats.norm.sf((inside.mean() - every.mean()) / spread))


def slow(frame: pd.DataFrame, errors: Values, fewest: int = 20) -> dict[str, tuple[float, NDArray[np.bool_]]]:
    """The adjusted p-values of all sets and pairs and their rows, by loops."""
    sets = {(name, value): (frame[name] == value).to_numpy() for name in frame for value in frame[name].dropna().unique()}
    sets = {key: mask for key, mask in sets.items() if mask.sum() >= fewest}
    single = {f"{name}: {value}": (greater(errors[mask], errors[~mask]), mask) for (name, value), mask in sets.items() if (~mask).sum() >= fewest}
    joint = {}
    for (one, a), (other, b) in combinations(sets.items(), 2):
        both = a & b
        if one[0] != other[0] and both.sum() >= fewest and (a & ~b).sum() >= fewest and (b & ~a).sum() >= fewest:
            rests = [~both, a & ~b, b & ~a]
            joint[f"{one[0]}: {one[1]} + {other[0]}: {other[1]}"] = max(greater(errors[both], errors[rest]) for rest in rests), both
    found = {}
    for family in (single, joint):
        adjusted = multipletests([p for p, _ in family.values()], method="fdr_bh")[1]
        found |= {name: (min(2 * p, 1.0), mask) for (name, (_, mask)), p in zip(family.items(), adjusted, strict=True)}
    return found


def kinds(rng: np.random.Generator, chance: Values) -> dict[str, Values]:
    """Errors that are larger where `chance` is: shares, losses with a long tail, and differences of two models."""
    wrong = (rng.random(len(chance)) < chance).astype(float)
    return {"shares": wrong, "losses": rng.lognormal(size=len(chance)) * (1 + 4 * chance), "two models": wrong - (rng.random(len(chance)) < 0.2)}


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("kind", ["shares", "losses", "two models"])
def test_a_planted_value_and_a_planted_pair_have_the_p_values_of_slow_loops(seed: int, kind: str) -> None:
    frame, rng = columns(seed), np.random.default_rng(seed)
    for planted in (frame["color"].eq("red"), frame["color"].eq("green") & frame["size"].eq("large")):
        errors = kinds(rng, np.where(planted, 0.6, 0.1))[kind]
        found, oracle = failing_slices(frame, errors), slow(frame, errors)
        assert found.table["name"].tolist()
        assert f" of {len(oracle)} sets of {N:,} images" in found.answer
        for name, rows, p in zip(found.table["name"], found.rows, found.table["p"], strict=True):
            assert p == pytest.approx(oracle[name][0], rel=1e-6)
            assert set(rows) == set(np.flatnonzero(oracle[name][1]))
        # what is first explains most of the variance, of all that is significant
        explained = {name: np.corrcoef(mask, errors)[0, 1] for name, (p, mask) in oracle.items() if p <= 0.05}
        assert found.table["name"][0] == max(explained, key=explained.__getitem__)
        if kind == "shares":
            assert set(found.rows[0]) == set(np.flatnonzero(planted))


def test_intervals_are_newcombes_and_welchs_of_statsmodels_at_the_level_of_all_tests_together() -> None:
    frame, rng = columns(0), np.random.default_rng(0)
    for kind, errors in kinds(rng, np.where(frame["color"].eq("red"), 0.6, 0.1)).items():
        found, oracle = failing_slices(frame, errors), slow(frame, errors)
        number = sum(" + " not in name for name in oracle)
        first = found.table.iloc[0]
        assert " + " not in first["name"]
        one, other = errors[found.rows[0]], np.delete(errors, found.rows[0])
        if kind == "shares":
            low, high = confint_proportions_2indep(one.sum(), len(one), other.sum(), len(other), "newcomb", "diff", 0.05 / 2 / number)
        else:
            low, high = CompareMeans(DescrStatsW(one), DescrStatsW(other)).tconfint_diff(0.05 / 2 / number, usevar="unequal")
        assert (first["low"], first["high"]) == pytest.approx((low, high))
        assert (first["error"], first["elsewhere"]) == pytest.approx((one.mean(), other.mean()))
        assert first["difference"] == pytest.approx(one.mean() - other.mean())


def test_newcombes_interval_is_that_of_his_paper() -> None:
    """Newcombe 1998, table II, example (a): 56/70 and 48/80 have .0524 to .3339 by method 10."""
    low, high = confint_proportions_2indep(56, 70, 48, 80, "newcomb", "diff", 0.05)
    assert (low, high) == pytest.approx((0.0524, 0.3339), abs=1e-4)
    errors = np.concatenate([np.repeat([1.0, 0.0], [56, 14]), np.repeat([1.0, 0.0], [48, 32])])
    # one set and no pair: at the level .05 the interval has 95 %
    found = failing_slices(pd.DataFrame({"group": ["a"] * 70 + [None] * 80}), errors).table
    assert (found["low"][0], found["high"][0]) == pytest.approx((0.0524, 0.3339), abs=1e-4)


@pytest.mark.parametrize("kind", ["shares", "losses", "two models"])
def test_shuffled_errors_give_nothing_in_at_least_95_of_100_cases(kind: str) -> None:
    frame, rng = columns(1, 400), np.random.default_rng(1)
    errors = kinds(rng, np.full(400, 0.1))[kind]
    found = [len(failing_slices(frame, rng.permutation(errors)).rows) > 0 for _ in range(200)]
    assert scipy.stats.binomtest(sum(found), 200, 0.05, alternative="greater").pvalue > 0.01
    # the control: without a correction, the level is broken
    masks = [mask for name in frame for value in frame[name].dropna().unique() if (mask := (frame[name] == value).to_numpy()).sum() >= 20]
    naive = sum(min(greater(dealt[mask], dealt[~mask]) for mask in masks) <= 0.05 for dealt in (rng.permutation(errors) for _ in range(100)))
    assert scipy.stats.binomtest(naive, 100, 0.05, alternative="greater").pvalue < 0.01


def test_nearly_equal_sets_are_one_slice_and_what_only_overlaps_is_none() -> None:
    rng = np.random.default_rng(0)
    bad = rng.random(2000) < 0.15
    same = bad ^ (rng.random(2000) < 0.01)
    half = (bad & (rng.random(2000) < 0.9)) | (rng.random(2000) < 0.3)  # holds most of the bad and many others
    frame = pd.DataFrame({"a": bad, "b": same, "c": half}).map(str)
    errors = (rng.random(2000) < np.where(bad, 0.5, 0.1)).astype(float)
    assert slow(frame, errors)["c: True"][0] < 0.05
    found = failing_slices(frame, errors).table
    assert len(found) == 1
    assert {found["name"][0], *found["also"][0].split("; ")} >= {"a: True", "b: True"}


def test_two_places_are_two_slices_the_worst_images_come_first_and_unknown_errors_do_not_count() -> None:
    rng, frame = np.random.default_rng(0), columns(4)
    planted = [frame["color"].eq("red"), frame["size"].eq("small") & frame["color"].eq("blue")]
    errors = (rng.random(N) < np.where(planted[0], 0.7, np.where(planted[1], 0.4, 0.05))).astype(float)
    errors[:100] = np.nan
    found = failing_slices(frame, errors)
    rows_of = dict(zip(found.table["name"], found.rows, strict=True))
    assert set(rows_of) == {"color: red", "color: blue + size: small"}
    for rows, mask in zip((rows_of["color: red"], rows_of["color: blue + size: small"]), planted, strict=True):
        assert set(rows) == set(np.flatnonzero(mask & ~np.isnan(errors)))
        assert (np.diff(errors[rows]) <= 0).all()
    assert f" sets of {N - 100:,} images" in found.answer
    assert len(found.sentences) == 2
    assert found.sentences[0].startswith(f"Mean error {found.table['error'][0]:.1%} in {len(found.rows[0])} images")


def test_nothing_is_said_to_be_nothing_and_bad_input_is_refused() -> None:
    frame = columns(0)
    for errors in (np.zeros(N), np.ones(N), np.full(N, 0.25)):
        found = failing_slices(frame, errors)
        assert not found.rows
        assert " concentrate beyond chance in none of " in found.answer
    assert not failing_slices(frame[["place"]], np.zeros(N), fewest=500).rows
    for errors, options, message in (
        (np.full(N, np.nan), {}, "0 errors"),
        (np.zeros(N), {"level": 1.5}, "level is 1.5"),
        (np.zeros(N), {"fewest": 1}, "errors"),
    ):
        with pytest.raises(InputError, match=message):
            failing_slices(frame, errors, **options)


def table(**values: object) -> Space:
    """The first 300 cars, without their own attributes, with these columns."""
    images = cars().table
    frame = pd.DataFrame({"path": images.frame["path"][:300], **values})
    return Space(cars().vectors[:300], ImageTable("few", images.root, frame))


def test_errors_come_from_predictions_labels_losses_and_second_models(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(0)
    truth = rng.integers(0, 5, 300)
    wrong, other = rng.random(300) < 0.3, rng.random(300) < 0.2
    space = table(
        truth=truth, guess=np.where(wrong, truth + 1, truth).astype(float), named=[f"class {each}" for each in truth],
        second=np.where(other, truth + 2, truth).astype(str), loss=rng.random(300), age=truth + 0.5, missing=[None, ""] + ["x"] * 298,
        words=np.where(wrong, "yes", "no"), more=np.where(other, "yes", "no"),
    )  # fmt: skip
    given: list[Values] = []
    module = __import__("likeness.slices.find_slices", fromlist=["x"])
    monkeypatch.setattr(module, "failing_slices", lambda columns, errors, level: given.append(np.asarray(errors, float)) or columns)
    monkeypatch.setattr(module, "slice_columns", lambda space: space.table.frame.drop(columns="path"))
    cases: list[tuple[tuple[str | None, ...], Values]] = [
        (("guess", "truth"), wrong * 1.0),  # 3.0 is 3
        (("second", "truth"), other * 1.0),  # "3" is 3
        (("guess", "truth", "second"), wrong * 1.0 - other),
        (("loss",), space.table.frame["loss"].to_numpy()),
        (("loss", None, "age"), space.table.frame["loss"].to_numpy() - truth - 0.5),
        (("loss", "age"), np.abs(space.table.frame["loss"].to_numpy() - truth - 0.5)),
        (("words", None, "more"), (wrong != other) * 1.0),
        (("missing", "named"), np.r_[np.nan, np.nan, np.ones(298)]),
    ]
    for names, errors in cases:
        left = find_slices(space, *names)
        np.testing.assert_allclose(given[-1], errors)
        assert names[0] not in left  # a prediction makes no slices
        assert set(names[1:2]) - {None} <= set(left)  # a true label does
    for names, message in ((("nope",), "no attribute 'nope'"), (("named",), "'named' holds labels"), (("loss", None, "named"), "holds labels")):
        with pytest.raises(InputError, match=message):
            find_slices(space, *names)


def test_columns_are_clusters_trusted_notions_and_attributes_with_numbers_by_quarters() -> None:
    sun = np.r_[np.nan, np.inf, np.linspace(0, 1, 298)]
    space = cars().with_table(ImageTable("cars", cars().table.root, cars().table.frame[["path", "car_color"]].assign(yaw=cars().table.frame["yaw"])))
    found = slice_columns(space)
    assert {"cluster 1", "car_color", "yaw", "car color, by words"} <= set(found)
    assert "path" not in found
    assert found["yaw"].value_counts().tolist() == [500] * 4
    assert (found["car color, by words"] == space.table.frame["car_color"]).mean() > 0.9
    assert not any(name.startswith("season") for name in found)
    plain = slice_columns(table(sun=sun, count=np.arange(300) % 7, flag=np.arange(300) % 2 == 0))  # no text side
    assert not any("by words" in name for name in plain)
    assert plain["sun"].isna().tolist() == [True, True] + [False] * 298
    assert set(plain["count"]) == set("0123456")
    assert set(plain["flag"]) == {"True", "False"}


def test_a_notions_space_is_divided_by_its_own_clusters_and_the_attributes_of_its_base() -> None:
    base = cars()
    frame = base.table.frame.assign(wrong=(base.table.frame["car_color"] == "red") * 1.0)
    own = base.with_table(ImageTable("cars", base.table.root, frame)).refit(get_notion("car color"))
    found = find_slices(own, "wrong")
    assert found.table["name"][0] == "car_color: red"
    assert found.table["error"][0] == 1
