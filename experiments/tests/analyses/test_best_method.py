"""A method is chosen by all other notions than the one that judges it."""

import numpy as np
import pandas as pd
import pytest

from experiments.analyses.best_method import leave_one_notion_out
from likeness.errors import InputError


def _runs(scores: dict[tuple[str, str], dict[str, float]]) -> pd.DataFrame:
    rows = [
        {"images": images, "notion": notion, "method": method, "seed": seed, "map_at_r": score + (seed - 0.5) * 0.02}
        for (images, notion), methods in scores.items()
        for method, score in methods.items()
        for seed in (0, 1)
    ]
    return pd.DataFrame(rows)


SCORES = {
    ("cars", "color"): {"a": 0.9, "b": 0.1, "c": 0.5},
    ("cars", "body"): {"a": 0.3, "b": 0.6, "c": 0.5},
    ("birds", "species"): {"a": 0.1, "b": 0.2, "c": 0.3},
    ("birds", "names"): {"a": 0.2, "b": 0.3, "c": 0.2},
}


def test_each_notion_is_judged_by_what_the_others_choose() -> None:
    found = leave_one_notion_out(_runs(SCORES)).set_index("notion")
    for (_, notion), own in SCORES.items():
        sets = [[methods for (images, other), methods in SCORES.items() if other != notion and images == each] for each in ("cars", "birds")]
        chosen = max(own, key=lambda method: np.mean([np.mean([methods[method] for methods in others]) for others in sets if others]))
        assert found.loc[notion, "chosen"] == chosen
        assert found.loc[notion, "score"] == pytest.approx(own[chosen])
        assert found.loc[notion, "best_score"] == pytest.approx(max(own.values()))
        assert found.loc[notion, ["a", "b", "c"]].to_list() == pytest.approx(list(own.values()))


def test_notions_of_one_label_are_left_out_together() -> None:
    labels = {"species": "species", "names": "species", "color": "color", "body": "color"}
    for given, chosen in ({}, ["b", "a", "a"]), ({"labels": labels}, ["b", "a", "b"]):
        found = leave_one_notion_out(_runs(SCORES), **given).set_index("notion")["chosen"]
        assert found[["color", "species", "body"]].to_list() == chosen


def test_images_count_alike_however_many_notions_they_have() -> None:
    """Three notions of cars prefer a by a little, one of birds and one of trucks b by more: by notions alone a would be chosen for the last."""
    cars = {("cars", name): {"a": 0.6, "b": 0.5} for name in ("color", "body", "view")}
    scores = cars | {("birds", "species"): {"a": 0.1, "b": 0.35}, ("trucks", "load"): {"a": 0.3, "b": 0.3}}
    found = leave_one_notion_out(_runs(scores)).set_index("notion")["chosen"]
    assert found["load"] == "b"
    assert leave_one_notion_out(_runs(scores), sets={"birds": "cars"}).set_index("notion")["chosen"]["load"] == "a"


def test_the_same_notion_elsewhere_and_a_refused_method_take_no_part() -> None:
    twice = SCORES | {("trucks", "color"): {"a": 0.0, "b": 0.0, "c": 5.0}}
    found = leave_one_notion_out(_runs(twice))
    assert found[found["notion"] == "color"]["chosen"].to_list() == ["b", "b"]
    runs = _runs(SCORES)
    runs.loc[(runs["method"] == "a") & (runs["notion"] == "names"), "map_at_r"] = np.nan
    found = leave_one_notion_out(runs)
    assert "a" not in found
    assert set(found["chosen"]) <= {"b", "c"}


@pytest.mark.parametrize(
    ("runs", "message"),
    [
        (_runs(SCORES).drop(columns="images"), "no column 'images'"),
        (_runs({("cars", "color"): {"a": 0.9}}), "Leave-one-out needs at least two notions"),
        (_runs({("cars", "color"): {"a": 0.9}, ("cars", "body"): {"b": 0.9}}), "No method has a score for every notion"),
    ],
)
def test_runs_that_say_nothing_are_refused(runs: pd.DataFrame, message: str) -> None:
    with pytest.raises(InputError, match=message):
        leave_one_notion_out(runs)
