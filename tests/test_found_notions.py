"""Notions ranked without labels, and the directions that are left when they are taken away."""

from collections.abc import Callable

import numpy as np
import pytest

import likeness as lk
import worlds
from experiments.analyses.unnamed import explained, unnamed_table
from likeness.errors import InputError
from likeness.found_notions import found_notions, most_dividing, unnamed_directions
from likeness.notion_trust import Trust
from likeness.notions import get_notion, list_notions
from likeness.studies import judged_notions


@pytest.fixture(scope="module")
def cars() -> lk.Space:
    return worlds.cars()


def test_what_the_encoder_reads_comes_before_what_it_does_not() -> None:
    small = lk.embed(lk.read("cars"), "cars-small")
    nonsense = lk.Notion("nonsense", "a {} thing", ["blorb", "quux"])
    found = found_notions(small, [nonsense, get_notion("sun side"), get_notion("car color"), get_notion("car model")])
    assert [each.notion.name for each in found][2:] == ["sun side", "nonsense"]
    assert [each.trust.reads for each in found] == [True, True, False, False]
    assert found[0].share > 0.1 > found[-1].share


def test_a_share_is_of_the_variance(cars: lk.Space) -> None:
    color = get_notion("car color")
    (found,) = found_notions(cars, [color])
    rows = cars.vectors.astype(float) - cars.vectors.astype(float).mean(axis=0)
    aspects = cars.embed_aspects(color)[0].astype(float)
    _, lengths, axes = np.linalg.svd(aspects - aspects.mean(axis=0), full_matrices=False)
    kept = axes[: int(np.searchsorted(np.cumsum(lengths**2) / (lengths**2).sum(), 0.9)) + 1]
    assert found.share == pytest.approx(((rows @ kept.T) ** 2).sum() / (rows**2).sum(), rel=1e-6)


def test_joined_notions_count_and_what_they_take_away_does_not(cars: lk.Space) -> None:
    color, body, background = (get_notion(name) for name in ("car color", "car model", "background color"))
    shares = {
        each.notion.name: each.share
        for each in found_notions(cars, [color, (color + body).as_notion("both"), (color - background).as_notion("less")])
    }
    assert shares["both"] > 1.3 * shares["car color"] == pytest.approx(1.3 * shares["less"])


def test_without_notions_the_directions_are_principal_components(cars: lk.Space) -> None:
    from sklearn.decomposition import PCA

    expected = PCA(3, svd_solver="full").fit(cars.vectors.astype(float))
    found = unnamed_directions(cars, [], 3)
    np.testing.assert_allclose([each.share for each in found], expected.explained_variance_ratio_, rtol=1e-6)
    np.testing.assert_allclose([abs(each.vector @ axis) for each, axis in zip(found, expected.components_, strict=True)], 1, rtol=1e-6)
    places = cars.vectors @ found[0].vector
    assert found[0].low[0] == places.argmin()
    assert found[0].high[0] == places.argmax()


def test_the_first_direction_shows_the_notion_that_is_not_named(cars: lk.Space) -> None:
    notions = [each for each in judged_notions(cars.table, every=True) if each.name != "car model names"]
    runs = unnamed_table(cars, notions, count=1, seeds=range(2))
    kinds = runs.groupby(["notion", "row"])["explained"].mean().unstack()
    assert (kinds["unnamed"] > 0.6).all()
    assert (kinds["unnamed"] > kinds["principal"]).all()
    assert (kinds["random"] < 0.4).all()
    assert runs.groupby(["notion", "row"]).size().unstack().loc["car color"].to_dict() == {"principal": 1, "random": 2, "unnamed": 1}


def test_explained_is_eta_squared() -> None:
    values, labels = np.array([1.0, 2.0, 5.0, 8.0]), np.array(["a", "a", "b", "b"])
    whole, between = ((values - 4) ** 2).sum(), 2 * (1.5 - 4) ** 2 + 2 * (6.5 - 4) ** 2
    assert explained(values, labels) == pytest.approx(between / whole)
    assert explained(np.ones(4), labels) == 0.0


COLOR = lk.Notion("color", "a {} car", ["red", "green", "blue", "white", "black"])
SEASON = lk.Notion("season", "{}", ["summer", "winter"])


def test_the_first_is_the_notion_that_the_images_differ_in_or_none(cars: lk.Space) -> None:
    assert most_dividing(cars, [SEASON, COLOR]) is COLOR
    assert most_dividing(cars.refit(COLOR), [SEASON, COLOR]) is COLOR  # by the space behind a notion's
    noise = np.random.default_rng(0).normal(size=cars.vectors.shape)
    assert most_dividing(cars.replace(vectors=noise), [COLOR, SEASON]) is None
    assert most_dividing(cars, []) is None


def test_what_cannot_be_relied_on_is_not_first(cars: lk.Space, monkeypatch: pytest.MonkeyPatch) -> None:
    trusts = {COLOR: Trust(0.4, 0.5, 0.8, False), SEASON: Trust(0.9, 0.99, 0.9, True)}
    monkeypatch.setattr("likeness.found_notions.notion_trust", lambda space, notion, seed: trusts[notion])
    monkeypatch.setattr("likeness.found_notions.division_scores", lambda rows, aspects, seed: [0.1, 0.2][-len(aspects) :])
    assert most_dividing(cars, [SEASON, COLOR]) is SEASON
    assert most_dividing(cars, [COLOR]) is None


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: unnamed_directions(worlds.cars(), [], 0), "0 directions"),
        (lambda: unnamed_directions(lk.Space(np.ones((5, 3))), []), "all images are equal"),
        (lambda: found_notions(lk.Space(np.eye(5)), list_notions()[:1]), "has no text side"),
    ],
)
def test_what_cannot_be_shown_is_told(call: Callable[[], object], message: str) -> None:
    with pytest.raises(InputError, match=message):
        call()
