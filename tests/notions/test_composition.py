"""Notions joined, weighed and taken away."""

from typing import Any

import numpy as np
import pytest

from likeness.errors import InputError
from likeness.notions import Composition, InDiReCT, JoinedProjection, Notion, ScaledPCA, parse_composition
from likeness.notions.aspect_probabilities import AspectProbabilities

COLOR = Notion("car color", "a {} car", ("red", "blue"), attribute="color")
BODY = Notion("car model", "a {}", ("van", "sedan"), attribute="body")
PLACE = Notion("place", "a car {}", ("indoors", "outdoors"))
KNOWN = {"car-color": COLOR, "car color": COLOR, "car-model": BODY, "place": PLACE}
RNG = np.random.default_rng(0)
TEXTS = [RNG.normal(size=(5, 9)) + 2, RNG.normal(size=(4, 9)) + 2, RNG.normal(size=(3, 9)) + 2]
IMAGES = RNG.normal(size=(20, 9))


def test_operators_make_weights() -> None:
    assert (COLOR + BODY).parts == ((1, COLOR), (1, BODY))
    assert (COLOR + 0.5 * BODY - PLACE).parts == ((1, COLOR), (0.5, BODY), (-1, PLACE))
    assert (BODY * 2 - (0.5 * PLACE)).parts == ((2, BODY), (-0.5, PLACE))
    assert (-PLACE).parts == ((-1, PLACE),)
    assert (-(COLOR - 0.5 * PLACE) + 2 * COLOR - COLOR).parts[0] == (-1, COLOR)
    for wrong in (lambda: COLOR + 1, lambda: COLOR - "place", lambda: COLOR * "2", lambda: True * COLOR):
        with pytest.raises(TypeError):
            wrong()


@pytest.mark.parametrize(
    ("text", "parts", "name"),
    [
        ("car-color + 0.5 car-model - place", ((1, COLOR), (0.5, BODY), (-1, PLACE)), "car color + 0.5 car model - place"),
        ("  2*  car color   + car-model ", ((2, COLOR), (1, BODY)), "2 car color + car model"),
        ("- place", ((-1, PLACE),), "- place"),
        ("car-color - .25 place", ((1, COLOR), (-0.25, PLACE)), "car color - 0.25 place"),
    ],
)
def test_a_text_is_read_as_it_is_written(text: str, parts: Any, name: str) -> None:
    assert parse_composition(" car-color ", KNOWN.__getitem__) is COLOR
    found = parse_composition(text, KNOWN.__getitem__)
    assert isinstance(found, Composition)
    assert found.parts == parts
    assert found.name == name
    assert parse_composition(name, {notion.name: notion for notion in KNOWN.values()}.__getitem__) == found


def _find(name: str) -> Notion:
    if name not in KNOWN:
        raise InputError(f"There is no notion '{name}'.")
    return KNOWN[name]


def test_a_notion_is_restricted_to_some_of_its_aspects() -> None:
    colors = Notion("car color", "a {} car", ("red", "blue", "green", "blue"), attribute="color", dim=3)
    some = colors.restrict([" blue", "red"])
    assert (some.aspects, some.attribute, some.dim) == (("red", "blue", "blue"), "color", 3)
    assert some.name == "car color[red, blue]"
    found = parse_composition("car-color[blue, red] - 0.5 place [outdoors, indoors]", _find)
    assert found.parts == ((1, COLOR.restrict(["red", "blue"])), (-0.5, PLACE.restrict(["indoors", "outdoors"])))
    assert found.name == "car color[red, blue] - 0.5 place[indoors, outdoors]"
    assert parse_composition(found.name, lambda name: colors if name == "car color" else PLACE if name == "place" else _find(name)).name == found.name
    with pytest.raises(InputError, match="'car color' has no aspect 'pink'; it has red, blue"):
        parse_composition("car-color[red, pink] + place", _find)
    with pytest.raises(InputError, match="only one aspect"):
        parse_composition("car-color[red]", _find)
    with pytest.raises(InputError, match="no notion 'bike'"):
        parse_composition("bike[red, blue]", _find)
    with pytest.raises(InputError, match="give a list of texts"):
        COLOR.restrict("red")


def test_a_notion_may_be_called_like_a_restricted_one() -> None:
    odd = Notion("car color [red]", "a {} car", ("dark red", "bright red"))
    assert parse_composition("car color [red]", lambda name: odd if name == odd.name else _find(name)) is odd


def test_what_is_left_out_does_not_count() -> None:
    """Images that differ in what is left out alone are the same in the restricted notion."""
    axes = np.eye(6, dtype=np.float32)
    words = {f"a {aspect} car": axes[place] for place, aspect in enumerate(("red", "blue", "green"))}
    notion = Notion("color", "a {} car", ("red", "blue", "green"))
    images = np.array([axes[0] + axes[5], axes[0] + axes[2] + axes[5], axes[1] + axes[5]], np.float32)
    fit = InDiReCT(2).fit(np.stack([words[prompt] for prompt in notion.restrict(["red", "blue"]).prompts]))
    found = fit.transform(images)
    np.testing.assert_allclose(found[0], found[1], atol=1e-6)
    assert found[0] @ found[2] < 0.1


def test_labels_judge_it_where_all_that_is_joined_has_one() -> None:
    assert (COLOR + BODY - PLACE).attributes == ("color", "body")
    assert (COLOR + PLACE).attributes == ()
    assert (-PLACE).attributes == ()


def test_similarities_are_added_with_their_weights() -> None:
    one, other = InDiReCT(2).fit(TEXTS[0]), ScaledPCA().fit(TEXTS[1])
    U = JoinedProjection([(1, one), (0.25, other)]).U
    gram = IMAGES @ one.U @ (IMAGES @ one.U).T + 0.25 * IMAGES @ other.U @ (IMAGES @ other.U).T
    np.testing.assert_allclose(IMAGES @ U @ (IMAGES @ U).T, gram, atol=1e-9)


@pytest.mark.parametrize("share", [1, 0.36])
def test_what_is_taken_away_loses_its_share(share: float) -> None:
    varies = np.array([[1.0, 1, 0, 0], [1, -1, 0, 0]])
    images = RNG.normal(size=(6, 4))
    U = JoinedProjection([], [(share, varies)]).U
    np.testing.assert_allclose((images @ U) ** 2, images**2 * [1, 1 - share, 1, 1], atol=1e-9)
    joined = JoinedProjection([(1, InDiReCT(2).fit(np.eye(4)[:3] + 1))], [(1, varies)]).U
    np.testing.assert_allclose(joined[1], 0, atol=1e-9)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: parse_composition("car-color + ", KNOWN.__getitem__), "sign without a notion"),
        (lambda: parse_composition("car-color +  - place", KNOWN.__getitem__), "sign without a notion"),
        (lambda: parse_composition("- 0.5 ", KNOWN.__getitem__), "sign without a notion"),
        *[(lambda weight=weight: Composition(((weight, COLOR),)), "weight of 'car color' is") for weight in (0, -1.5, float("nan"), float("inf"))],
        (lambda: Composition(()), "Nothing is joined"),
        (lambda: JoinedProjection([(1, AspectProbabilities().fit(TEXTS[0]))]), "AspectProbabilities is not a linear map"),
        (lambda: JoinedProjection([(1, ScaledPCA().fit(TEXTS[0])), (1, ScaledPCA().fit(np.eye(4)))]), "encoders of different dimensions"),
    ],
)
def test_bad_input_is_refused(call: Any, message: str) -> None:
    with pytest.raises(InputError, match=message):
        call()
