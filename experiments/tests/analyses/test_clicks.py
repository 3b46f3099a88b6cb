"""Simulated clicks: what is judged, controls, and the share of the gap that is closed."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

import likeness as lk
from experiments.analyses.clicks import _Halves, _Person, clicked_notions, clicks_medians, clicks_table
from likeness.data import has_label
from likeness.errors import InputError
from likeness.notions import Notion, get_notion


@pytest.fixture(scope="module")
def runs() -> pd.DataFrame:
    space = lk.embed(lk.read("cars"), "cars-small")
    return clicked_notions(space, [get_notion("car color"), get_notion("viewpoint")], (0, 5), [0], methods=["exact"], oracle=False)


def test_a_vague_sentence_becomes_better_and_controls_do_not(runs: pd.DataFrame) -> None:
    assert list(runs["notion"].unique()) == ["car color", "viewpoint"]
    table = clicks_table(runs.assign(images="cars-small")).set_index(["notion", "start"])
    assert {"raw", "0 clicks", "5 clicks", "5, coin", "5, another label"} <= set(table)
    assert "gap closed" not in table  # without an Oracle
    color = table.loc[("car color", "precise")]
    assert color["0 clicks"] > color["raw"]
    assert color["5 clicks"] == pytest.approx(color["0 clicks"], abs=0.05)


def test_the_gap_is_to_the_oracle_and_none_where_there_is_none() -> None:
    said = {"notion": "n", "sentence": "s", "start": "vague", "method": "exact", "seed": 0}
    rows = [
        {"notion": "n", "start": "", "answers": "oracle", "clicks": 0, "seed": 0, "map_at_r": 0.9},
        {"notion": "n", "start": "", "answers": "raw", "clicks": 0, "seed": 0, "map_at_r": 0.1},
        *({**said, "answers": "labels", "clicks": count, "map_at_r": value} for count, value in ((0, 0.5), (20, 0.7))),
        *({**said, "start": "precise", "answers": "labels", "clicks": count, "map_at_r": value} for count, value in ((0, 0.89), (20, 0.2))),
    ]
    medians = clicks_medians(pd.DataFrame([*rows, *({**row, "notion": "m", "map_at_r": row["map_at_r"] / 2} for row in rows)])).set_index("start")
    assert medians["with a gap"].to_dict() == {"vague": 2, "precise": 0}
    assert medians.loc["vague", "20 clicks"] == pytest.approx((0.7 + 0.35) / 2)
    two = pd.concat([pd.DataFrame(rows).assign(images="seen"), pd.DataFrame(rows).assign(images="new", map_at_r=0.1)])
    assert (clicks_medians(two, ["seen"])["0 clicks"] == 0.1).all()
    closed = clicks_table(pd.DataFrame(rows)).set_index("start")["gap closed"]
    assert closed["vague"] == pytest.approx(0.5)
    assert pd.isna(closed["precise"])


def test_what_cannot_be_judged_is_refused() -> None:
    space = lk.embed(lk.read("cars"), "cars-small")
    with pytest.raises(InputError, match="No notion has both a label"):
        clicked_notions(space, [Notion("odd", "a {} car", ["red", "blue"])])
    with pytest.raises(InputError, match="pass numbers of at least 0"):
        clicked_notions(space, [get_notion("car color")], (-1,))


def test_answers_by_another_label_are_given_by_images_that_have_it() -> None:
    """Most images lack the other label: none of these asks or is looked at, else all that lack it would be alike."""
    space = lk.embed(lk.read("cars"), "cars-small")
    viewpoint = space.table.frame["viewpoint"].astype(object)
    viewpoint.iloc[np.arange(len(space)) % 10 > 0] = "(unlabeled)"
    whole = space.replace(vectors=space.vectors, images=replace(space.table, frame=space.table.frame.assign(viewpoint=viewpoint)))
    halves = _Halves.of(whole, "car_color", "viewpoint", 0)
    assert halves.other is not None
    person = _Person(halves, [], {}, "exact")
    known = set(halves.shown.table.frame["path"][has_label(halves.other)])
    for seed in range(4):
        click = person.click(get_notion("car color"), halves.other, False, True, np.random.default_rng(seed))
        assert {click.query, click.neighbor, *click.passed} <= known
