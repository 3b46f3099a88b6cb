"""Cut-offs on synthetic scores whose matches are known: how good, how honest, and how often a promise is broken."""

from collections.abc import Callable, Mapping

import numpy as np
import pytest
from numpy.typing import NDArray

from likeness.cutoffs import CutoffFinder, Promise
from likeness.errors import InputError


def _scores(n: int, matches: int, separation: float, seed: int) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
    rng = np.random.default_rng(seed)
    truth = rng.permutation(np.arange(n) < matches)
    return rng.normal(size=n) + separation * truth, truth


def _ask(finder: CutoffFinder, truth: NDArray[np.bool_], count: int, at_once: int = 1) -> dict[int, bool]:
    answers: dict[int, bool] = {}
    while len(answers) < count:
        rows = finder.next_to_ask(answers, at_once).tolist()
        assert len(rows) == len(set(rows) - set(answers)) == min(at_once, len(truth) - len(answers))
        answers |= {row: bool(truth[row]) for row in rows}
    return answers


def _f1(rows: NDArray[np.int64], truth: NDArray[np.bool_]) -> float:
    return float(2 * truth[rows].sum() / (len(rows) + truth.sum()))


def _best_f1(scores: NDArray[np.float64], truth: NDArray[np.bool_]) -> float:
    found = np.cumsum(truth[np.argsort(-scores)])
    return float((2 * found / (np.arange(1, len(truth) + 1) + truth.sum())).max())


def test_answers_bring_the_cut_off_near_the_best_and_a_promise() -> None:
    ratios, promised = [], []
    for seed in range(8):
        scores, truth = _scores(3000, 60 * (seed + 1), 4.5, seed)
        finder = CutoffFinder(scores)
        found = finder.cut_off(_ask(finder, truth, 30))
        ratios.append(_f1(found.rows, truth) / _best_f1(scores, truth))
        promised.append(len(found.promise.rows) / truth.sum())
        assert found.threshold == scores[found.rows].min()
        assert found.precision.low <= found.precision.mean <= found.precision.high
    assert np.mean(ratios) > 0.95
    assert np.mean(np.array(promised) > 0.5) > 0.7


def test_promises_are_broken_less_often_than_the_risk_that_they_tell() -> None:
    """Also where the model is wrong: matches that are no more frequent near the top, at a share just above what may be wrong."""
    broken = 0
    for seed in range(100):
        rng = np.random.default_rng(seed)
        scores = np.sort(rng.normal(size=600))[::-1].copy()
        truth = np.zeros(600, bool)
        truth[:200] = rng.random(200) > 0.13
        finder = CutoffFinder(scores, seed=seed)
        promise = finder.cut_off(_ask(finder, truth, 40, 5)).promise
        broken += bool(promise) and bool((~truth[promise.rows]).mean() > 0.1)
    assert broken <= 100 * 0.1 + 3 * np.sqrt(100 * 0.1 * 0.9)


def test_where_nothing_is_known_or_told_nothing_is_promised() -> None:
    found = CutoffFinder(_scores(2000, 100, 5, 0)[0]).cut_off()
    assert not found.promise
    assert "there are none" in found.sentence
    assert "guess from the scores only" in found.sentence
    scores, truth = _scores(2000, 60, 0, 1)
    finder = CutoffFinder(scores)
    found = finder.cut_off(_ask(finder, truth, 30))
    assert not found.promise
    assert "No set can be promised" in found.promise.sentence
    for needed, said in ((1, "at least 1 more answer."), (2, "at least 2 more answers.")):
        assert said in Promise(np.empty(0, np.int64), 0.1, 0.9, None, needed, "so").sentence


def test_negative_prompts_place_the_cut_off_without_answers() -> None:
    rng = np.random.default_rng(0)
    classes = rng.integers(0, 8, 4000)
    similarities = rng.normal(0, 0.5, (8, 4000)) + 2.5 * (np.arange(8)[:, None] == classes) + rng.normal(0, 1, 4000)
    truth = classes == 3
    with_others = CutoffFinder(similarities[3], np.delete(similarities, 3, axis=0)).cut_off()
    assert _f1(with_others.rows, truth) > 0.95 * _best_f1(similarities[3] - np.delete(similarities, 3, axis=0).max(axis=0), truth)
    assert _f1(with_others.rows, truth) > _f1(CutoffFinder(similarities[3]).cut_off().rows, truth)


def test_known_errors_are_not_promised_and_the_same_answers_give_the_same() -> None:
    scores, truth = _scores(3000, 300, 5, 3)
    finder = CutoffFinder(scores, seed=5)
    answers = _ask(finder, truth, 36)
    first, again = finder.cut_off(answers), CutoffFinder(scores, seed=5).cut_off(list(answers.items()))
    np.testing.assert_array_equal(first.promise.rows, again.promise.rows)
    np.testing.assert_array_equal(first.rows, again.rows)
    assert not {row for row, match in answers.items() if not match} & set(first.promise.rows.tolist())


def test_several_are_asked_at_once_and_all_can_be() -> None:
    scores, truth = _scores(40, 15, 3, 0)
    finder = CutoffFinder(scores)
    answers = _ask(finder, truth, 40, 7)
    assert len(finder.next_to_ask(answers, 7)) == 0
    assert abs(len(finder.cut_off(answers).rows) - 15) <= 5


@pytest.mark.parametrize("scores", [np.zeros(10), np.r_[np.zeros(9), 1.0], np.array([1.0, 0.0]), np.arange(5)])
def test_odd_scores_are_answered(scores: NDArray[np.float64]) -> None:
    finder = CutoffFinder(scores)
    answers: Mapping[int, bool] = {0: True, 1: False}
    found = finder.cut_off(answers)
    assert 1 <= len(found.rows) <= len(scores)
    assert np.isfinite([found.threshold, *found.precision, *found.recall]).all()


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: CutoffFinder([0.3]), "at least 2 images"),
        (lambda: CutoffFinder([0.3, np.nan]), "finite"),
        (lambda: CutoffFinder([0.3, 0.2], [[0.1, 0.2, 0.3]]), "negative prompts"),
        (lambda: CutoffFinder([0.3, 0.2], fdr=1), "fdr is 1"),
        (lambda: CutoffFinder([0.3, 0.2]).cut_off({7: True}), "no image 7"),
        (lambda: CutoffFinder([0.3, 0.2]).next_to_ask({}, 0), "at least 1 image"),
    ],
)
def test_what_cannot_be_is_refused(call: Callable[[], object], message: str) -> None:
    with pytest.raises(InputError, match=message):
        call()


def test_the_last_image_is_asked_about_even_where_it_is_drawn_for_a_promise() -> None:
    """Every third question is one near the cut-off, unless all that are left are drawn already."""
    rng = np.random.default_rng(277)
    n = int(rng.integers(2, 60))
    truth = rng.random(n) < rng.random()
    finder = CutoffFinder(rng.normal(size=n) + rng.choice([0, 1, 3, 8]) * truth, seed=277, fdr=rng.choice([0.05, 0.1, 0.3]))
    answers: dict[int, bool] = {}
    while len(answers) < n:
        rows = finder.next_to_ask(answers, int(rng.integers(1, 4)))
        assert len(rows)
        answers |= {int(row): bool(truth[row]) for row in rows}
        finder.cut_off(answers)


def test_a_promise_that_later_answers_refute_is_withdrawn() -> None:
    scores, truth = _scores(2000, 150, 6, 0)
    finder = CutoffFinder(scores)
    answers = _ask(finder, truth, 30)
    promised = finder.cut_off(answers).promise.rows
    assert len(promised) > 100
    wrong = [int(row) for row in promised if row not in answers][:20]
    for row in wrong:  # more than a tenth of them turn out not to match
        answers[row] = False
    assert not finder.cut_off(answers).promise


def test_matches_are_corrected_by_answers() -> None:
    scores, truth = _scores(3000, 300, 4, 3)
    finder = CutoffFinder(scores)
    answers = _ask(finder, truth, 40)
    found = finder.cut_off(answers)
    beyond = int(np.argmin(scores))
    answers |= {beyond: True, int(found.rows[0]): False}
    corrected = found.corrected(answers).tolist()
    assert set(corrected) == (set(found.rows.tolist()) | {row for row in answers if answers[row]}) - {row for row in answers if not answers[row]}
    assert len(corrected) == len(set(corrected))
    assert corrected[-1] == beyond
