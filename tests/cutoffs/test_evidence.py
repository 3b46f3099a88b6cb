"""What answers prove: hand-computed bounds, SciPy's hypergeometric distribution, and how often a wrong set is proved."""

import numpy as np
import pytest
from scipy.stats import hypergeom

from likeness.cutoffs import Bet, answers_needed
from likeness.errors import InputError


def _after(unknown: int, confirmed: int, fdr: float, matches: list[bool]) -> float:
    bet = Bet(unknown, confirmed, fdr)
    for match in matches:
        bet.add(match)
    return float(bet.best)


def test_matches_alone_prove_what_the_hypergeometric_distribution_says_but_for_the_other_stake() -> None:
    for unknown, drawn in ((60, 10), (200, 25), (5000, 24)):
        chance = hypergeom(unknown, int(0.1 * unknown) + 1, drawn).pmf(0)
        assert np.exp(_after(unknown, 0, 0.1, [True] * drawn)) > 0.85 / chance
        assert np.exp(_after(unknown, 0, 0.1, [True] * drawn)) < 1.15 / chance


def test_the_answers_that_are_needed_are_those_after_which_it_is_proved() -> None:
    unknown, confirmed = np.array([1, 30, 100, 10_000]), np.array([12, 2, 0, 0])
    needed = answers_needed(unknown, confirmed, 0.1, 0.08)
    assert needed[0] == 0  # one of 13 may be wrong
    for count, known, least in list(zip(unknown, confirmed, needed, strict=True))[1:]:
        bound = np.log(1 / 0.08)
        assert _after(int(count), int(known), 0.1, [True] * int(least)) >= bound
        assert _after(int(count), int(known), 0.1, [True] * int(least - 1)) < bound
    assert needed[1] < needed[2] < needed[3]


@pytest.mark.parametrize(("n", "wrong"), [(40, 5), (150, 16), (2000, 201), (2000, 400)])
def test_a_set_with_too_many_errors_is_proved_less_often_than_the_risk(n: int, wrong: int) -> None:
    rng, risk, proved = np.random.default_rng(0), 0.1, 0
    for _ in range(1500):
        matches = rng.permutation(np.arange(n) >= wrong)
        proved += _after(n, 0, 0.1, matches[:60].tolist() if n > 60 else matches.tolist()) >= np.log(1 / risk)
    assert proved / 1500 <= risk + 3 * np.sqrt(risk * (1 - risk) / 1500)


def test_an_error_takes_more_answers_and_does_not_end_it() -> None:
    assert _after(1000, 0, 0.1, [False] + [True] * 90) > np.log(10)
    assert _after(1000, 0, 0.1, [False] + [True] * 25) < np.log(10)


def test_certain_sets_and_too_many_answers() -> None:
    assert _after(3, 27, 0.1, []) == np.inf
    assert _after(3, 2, 0.1, [True] * 3) == np.inf  # all are matches
    bet = Bet(1, 0, 0.1)
    bet.add(False)
    with pytest.raises(InputError, match="more answers than the 1 images"):
        bet.add(True)
