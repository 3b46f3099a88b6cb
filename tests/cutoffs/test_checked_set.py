"""What answers on random images prove: against counted combinations, and how rarely it is false."""

from collections.abc import Sequence
from math import comb

import numpy as np
import pytest

from likeness.cutoffs.checked_set import MOST_NEEDED, CheckedSet, answers_needed

RISK = 0.08


def _checked(unknown: int, confirmed: int = 0, fdr: float = 0.1) -> CheckedSet:
    """Of these images the last are known, and the others are drawn by place."""
    size = unknown + confirmed
    return CheckedSet(size, dict.fromkeys(range(unknown, size), True), np.arange(size), fdr, RISK)


def _proved(checked: CheckedSet, matches: Sequence[bool]) -> bool:
    return checked.proved({**checked.known, **dict(enumerate(matches))})


def _chance(unknown: int, bound: int, drawn: int, errors: int) -> float:
    """That of so many draws at most so many are wrong, if `bound` of all are."""
    return sum(comb(bound, each) * comb(unknown - bound, drawn - each) for each in range(errors + 1)) / comb(unknown, drawn)


@pytest.mark.parametrize("errors", [0, 1, 2])
@pytest.mark.parametrize("unknown", [60, 200, 3000])
def test_it_is_proved_as_soon_as_so_few_errors_are_unlikely_enough(unknown: int, errors: int) -> None:
    checked, bound = _checked(unknown), unknown // 10 + 1
    share = RISK * 0.9 * 0.1**errors
    least = next(drawn for drawn in range(errors, unknown) if _chance(unknown, bound, drawn, errors) <= share)
    matches = [False] * errors + [True] * (least - errors)
    assert _proved(checked, matches)
    assert not _proved(checked, matches[:-1])
    assert checked.still_needed(dict(enumerate(matches[:-3]))) == 3
    assert _proved(checked, [*matches, False]) == (errors + 1 < bound)  # later errors refute it only where they are too many


def test_the_answers_that_are_needed_are_those_after_which_it_is_proved() -> None:
    unknown, confirmed = np.array([1, 30, 100, 10_000]), np.array([12, 2, 0, 0])
    needed = answers_needed(unknown, confirmed, 0.1, RISK)
    assert needed[0] == 0  # one of 13 may be wrong
    for count, known, least in list(zip(unknown, confirmed, needed, strict=True))[1:]:
        checked = _checked(int(count), int(known))
        assert checked.still_needed({}) == least
        assert _proved(checked, [True] * int(least))
        assert not _proved(checked, [True] * int(least - 1))
    assert needed[1] < needed[2] < needed[3]
    assert answers_needed(np.array([10_000]), np.array([0]), 0.001, RISK)[0] == _checked(10_000, fdr=0.001).still_needed({}) == MOST_NEEDED


@pytest.mark.parametrize(("n", "wrong"), [(40, 5), (150, 16), (2000, 201), (2000, 400)])
def test_a_set_with_too_many_errors_is_ever_proved_less_often_than_the_risk(n: int, wrong: int) -> None:
    rng, checked, proved = np.random.default_rng(0), _checked(n), 0
    for _ in range(500):
        matches = rng.permutation(np.arange(n) >= wrong)[:80].tolist()
        errors = [place for place, match in enumerate(matches) if not match]
        last = errors[checked.bound - 1] if len(errors) >= checked.bound else len(matches)  # before it is refuted, what was proved stays so
        proved += _proved(checked, matches[:last])
    assert proved / 500 <= RISK + 3 * np.sqrt(RISK * (1 - RISK) / 500)


def test_what_is_known_takes_no_answers_and_errors_that_are_too_many_refute() -> None:
    assert _checked(3, 27).still_needed({}) == 0
    assert _proved(_checked(3, 2), [True] * 3)  # all are matches
    checked = _checked(200)
    answers = dict.fromkeys(range(40), True)
    assert checked.proved(answers)
    assert checked.proved(answers | dict.fromkeys(range(100, 120), False))  # 20 of 200 may be wrong
    assert not checked.proved(answers | dict.fromkeys(range(100, 121), False))


def test_images_are_drawn_in_the_order_and_answers_count_up_to_the_first_that_is_missing() -> None:
    order = np.random.default_rng(0).permutation(100)
    checked = CheckedSet(50, {int(order[order < 50][2]): False}, order, 0.1, RISK)
    drawn = [int(place) for place in order[order < 50] if place not in checked.known]
    assert checked.unknown == 49
    assert checked.next({}, 3) == drawn[:3]
    assert checked.drawn({drawn[0]: True, drawn[1]: False, drawn[3]: True}) == [True, False]
    assert checked.next({drawn[0]: True, drawn[1]: False, drawn[3]: True}, 2) == [drawn[2], drawn[4]]
