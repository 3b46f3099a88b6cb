"""Open-set identification: against scikit-learn, slow loops, and cases by hand."""

import numpy as np
import pandas as pd
import pytest
from scipy.stats import beta, binom
from sklearn.metrics import roc_auc_score, roc_curve

from likeness.errors import InputError
from likeness.evaluation import OpenSet, accept_threshold, best_items, count_items, known_scores, leave_one_out, metrics


def _items(items: int, images: int, spread: float = 0.3, d: int = 32, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    rows = np.repeat(rng.standard_normal((items, d)), images, axis=0) + spread * rng.standard_normal((items * images, d))
    return (rows / np.linalg.norm(rows, axis=1, keepdims=True)).astype(np.float32), np.repeat(np.arange(items), images)


def _answers(n: int = 400, seed: int = 0) -> OpenSet:
    rng = np.random.default_rng(seed)
    known = rng.random(n) < 0.6
    scores = np.round(rng.standard_normal(n) + known, 1)  # with ties
    return OpenSet(scores, known & (rng.random(n) < 0.8), known)


def test_curve_and_areas_are_those_of_scikit_learn_and_of_a_loop() -> None:
    found = _answers()
    curve = found.curve()
    assert found.auroc == pytest.approx(roc_auc_score(found.known, found.scores))
    far, tar, thresholds = roc_curve(found.known, found.scores, drop_intermediate=False)
    assert curve[["far", "tar", "threshold"]].to_numpy() == pytest.approx(np.column_stack([far, tar, thresholds])[1:])
    for line in curve.itertuples():
        accepted = found.scores >= line.threshold
        assert line.dir == pytest.approx((accepted & found.right).sum() / found.known.sum())
        assert line.coverage == pytest.approx(accepted.mean())
        assert line.accuracy == pytest.approx(found.right[accepted].mean())
    # every query answers with all of its score
    assert found.aurc == pytest.approx(np.mean([1 - found.right[found.scores >= score].mean() for score in found.scores]))
    for rate in (0, 0.01, 0.1, 1):
        reached = [
            ((found.scores >= t) & found.right).sum() / found.known.sum() for t in found.scores if (found.scores >= t)[~found.known].mean() <= rate
        ]
        assert found.dir_at(rate) == pytest.approx(max(reached, default=0))


def test_a_case_by_hand() -> None:
    found = OpenSet(np.array([0.9, 0.7, 0.8, 0.1]), np.array([True, True, False, False]), np.array([True, True, False, True]))
    curve = found.curve()
    assert curve["threshold"].tolist() == [0.9, 0.8, 0.7, 0.1]
    assert curve["far"].tolist() == [0, 1, 1, 1]
    assert curve["dir"].tolist() == pytest.approx([1 / 3, 1 / 3, 2 / 3, 2 / 3])
    assert curve["accuracy"].tolist() == pytest.approx([1, 1 / 2, 2 / 3, 2 / 4])
    assert (found.dir_at(0.5), found.dir_at(1)) == (pytest.approx(1 / 3), pytest.approx(2 / 3))
    only = OpenSet(np.ones(2), np.ones(2, bool), np.ones(2, bool))
    assert np.isnan(only.curve()["far"]).all()


@pytest.mark.parametrize("block", [64_000_000, 4 * 60 * 7])
def test_the_best_items_are_those_of_a_loop(block: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("likeness.evaluation.open_set._BLOCK_BYTES", block)
    rows, items = _items(12, 5, spread=1.0)
    order = np.random.default_rng(1).permutation(60)
    rows, items = rows[order], items[order]
    rows[7] = rows[3]  # a copy
    codes, similarities, nearest = best_items(rows, rows, items, np.arange(60))
    for query in range(60):
        products = rows @ rows[query]
        products[query] = -np.inf
        best = pd.Series(products).groupby(items).max().sort_values(ascending=False)
        assert similarities[query] == pytest.approx(best.iloc[:3].to_numpy(), abs=1e-6)
        assert best[codes[query]].to_numpy() == pytest.approx(best.iloc[:3].to_numpy(), abs=1e-6)  # of copies, either
        assert len(set(codes[query])) == 3
        assert products[nearest[query]] == pytest.approx(products.max(), abs=1e-6)
    assert nearest[7] == 3


def test_each_item_is_left_out_as_if_it_were_not_there() -> None:
    rows, items = _items(9, 4, spread=0.8)
    found, places = leave_one_out(rows, items)
    assert found.known.sum() == (~found.known).sum() == 36
    for place, row in enumerate(places):
        others = items != items[row] if not found.known[place] else np.arange(36) != row
        codes, similarities, _ = best_items(rows[[row]], rows[others], items[others])
        assert found.scores[place] == pytest.approx(float(known_scores(similarities)[0]), abs=1e-6)
        if found.known[place]:
            assert found.right[place] == (np.unique(items[others])[codes[0, 0]] == items[row])
    alone, places = leave_one_out(rows[:33], items[:33])  # the last item has one image
    assert (alone.known.sum(), places[-1]) == (32, 32)


def test_the_stated_rate_is_kept_and_the_interval_holds_it() -> None:
    """By the law of conformal prediction, k / (n + 1); and where errors come by item, the interval holds the true rate."""
    reached, held = [], []
    for seed in range(200):
        rng = np.random.default_rng(seed)
        draw = lambda items, rng=rng: np.repeat(rng.standard_normal(items), 10) + rng.standard_normal(10 * items)  # noqa: E731
        limit = accept_threshold(draw(60), np.repeat(np.arange(60), 10), 0.05)
        reached.append((draw(60) > limit.value).mean())
        held.append(limit.low <= reached[-1] <= limit.high)
    assert np.mean(reached) == pytest.approx(30 / 601, abs=3 * np.std(reached) / np.sqrt(200))
    assert sum(held) >= binom.ppf(0.001, 200, 0.95)
    single = accept_threshold(np.arange(1000.0), np.arange(1000), 0.01)
    assert (single.value, single.far) == (990, 0.01)
    # of independent images Clopper and Pearson's, of half as many: 9 of 1,000 weigh as 4.5 of 500
    assert (single.low, single.high) == pytest.approx((beta.ppf(0.025, 4.5, 496.5), beta.ppf(0.975, 5.5, 495.5)), rel=0.01)


def test_items_are_counted_where_threads_of_similar_images_are_not() -> None:
    rows, items = _items(120, 8, spread=0.9)
    known = items < 60
    found = count_items(rows[~known], rows[known], items[known])
    assert found.low < 60 < found.high
    assert found.items == pytest.approx(60, rel=0.25)
    assert abs(found.components - 60) > 2 * abs(found.items - 60)
    # Simpson's number where items have different numbers of images
    kept = ~known & ((items % 2 == 0) | (np.arange(960) % 8 == 0))
    sizes = np.bincount(items[kept])
    assert count_items(rows[kept], rows[known], items[known]).items == pytest.approx(sizes.sum() ** 2 / (sizes**2).sum(), rel=0.25)
    clear, items = _items(80, 6, spread=0.05)
    found = count_items(clear[240:], clear[:240], items[:240])
    assert found.items == pytest.approx(40, rel=0.05)
    assert found.components == pytest.approx(40, rel=0.1)
    assert count_items(clear[:1], clear, items).items == 1


def test_metrics_of_a_labeled_space() -> None:
    rows, items = _items(10, 6, spread=1.0)
    found = metrics(rows, items, ["known_auroc", "dir_at_1_in_10", "dir_at_1_in_100"])
    open_set, _ = leave_one_out(rows, items)
    assert found == {"known_auroc": open_set.auroc, "dir_at_1_in_10": open_set.dir_at(0.1), "dir_at_1_in_100": open_set.dir_at(0.01)}
    assert 0.5 < found["known_auroc"] < 1
    shuffled = metrics(rows, np.random.default_rng(0).permutation(items), ["known_auroc"])["known_auroc"]
    assert shuffled == pytest.approx(0.5, abs=0.12)
    assert np.isnan(metrics(rows[:12], items[:12], ["known_auroc"])["known_auroc"])


def test_bad_input_is_refused() -> None:
    rows, items = _items(4, 3)
    with pytest.raises(InputError, match="There are 2 items; three are needed"):
        leave_one_out(rows[:6], items[:6])
    with pytest.raises(InputError, match=r"false-accept rate of 0.01 cannot be set by 50 images; pass one from 0.02 to below 1"):
        accept_threshold(np.arange(50), np.arange(50), 0.01)
    for far in (0, 1, -1, float("nan")):
        with pytest.raises(InputError, match="false-accept rate"):
            accept_threshold(np.arange(50), np.arange(50), far)
    with pytest.raises(InputError, match="each with its item"):
        best_items(rows, rows, items[1:])
    with pytest.raises(InputError, match="rows of one encoder"):
        best_items(rows[:, 1:], rows, items)
    with pytest.raises(InputError, match="needs two items, and two images of one"):
        count_items(rows, rows, np.arange(12))
