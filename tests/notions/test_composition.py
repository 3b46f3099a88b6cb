import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import likeness as lk
from likeness.errors import InputError
from likeness.notions import (
    AspectProbabilities,
    Composition,
    InDiReCT,
    JoinedProjection,
    Notion,
    ScaledPCA,
    get_notion,
    parse_composition,
    read_notion,
    write_notion,
)
from likeness.studies import compare

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
    # labels judge it where all that is joined has one
    assert [both.attributes for both in (COLOR + BODY - PLACE, COLOR + PLACE, -PLACE)] == [("color", "body"), (), ()]
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
    odd = Notion("car color [red]", "a {} car", ("dark red", "bright red"))
    assert parse_composition("car color [red]", lambda name: odd if name == odd.name else _find(name)) is odd


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
        (lambda: Composition(()), "There is no notion; name at least one"),
        (lambda: parse_composition("car-color[red, pink] + place", _find), "'car color' has no aspect 'pink'; it has red, blue"),
        (lambda: parse_composition("car-color[red]", _find), "only one aspect"),
        (lambda: parse_composition("bike[red, blue]", _find), "no notion 'bike'"),
        (lambda: COLOR.restrict("red"), "expected a list of texts"),
        (lambda: JoinedProjection([(1, AspectProbabilities().fit(TEXTS[0]))]), "AspectProbabilities is not a linear map"),
        (lambda: JoinedProjection([(1, ScaledPCA().fit(TEXTS[0])), (1, ScaledPCA().fit(np.eye(4)))]), "encoders of different dimensions"),
    ],
)
def test_bad_input_is_refused(call: Any, message: str) -> None:
    with pytest.raises(InputError, match=message):
        call()


def test_a_joined_notion_is_saved_and_fitted_as_the_composition(tmp_path: Path, cars: lk.Space) -> None:
    from likeness.commands.fit import fit

    color, body, background = (get_notion(name) for name in ("car color", "car model", "background color"))
    composed = 2 * color + body - background
    both = composed.as_notion("both")
    joined = [(weight, each.name) for weight, each in both.joined]
    assert (both.name, both.attribute, joined) == ("both", None, [(0.5, "car model"), (-1.0, "background color")])
    write_notion(tmp_path / "both.yaml", both)
    assert read_notion(tmp_path / "both.yaml") == both
    fitted = cars.refit(both)
    np.testing.assert_allclose(fitted.vectors, cars.refit(composed).vectors, atol=1e-6)
    fit(str(tmp_path / "both.yaml"), encoder="cars", out=tmp_path / "U.npy")
    np.testing.assert_allclose(np.load(tmp_path / "U.npy"), fitted.linear, atol=1e-5)
    assert (color - background).as_notion("left").attribute == "car_color"
    with pytest.raises(InputError, match="All notions are subtracted"):
        (-1 * background).as_notion("none")


def test_notions_with_joined_ones_are_told_apart_joined_further_and_not_compared_on(cars: lk.Space) -> None:
    color, body = get_notion("car color"), get_notion("car model")
    both = (color + 0.5 * body).as_notion("both")
    assert len({str(each.content) for each in (both, color, (color + 0.25 * body).as_notion("both"))}) == 3
    assert [(weight, each.name) for weight, each in (0.5 * both).parts] == [(0.5, "both"), (0.25, "car model")]
    for call, message in (
        (lambda: replace(body, joined=((1.0, both),)), "is a composition itself"),
        (lambda: replace(color, joined=((0.0, body),)), "The weight of 'car model' is 0"),
        (lambda: compare(cars, [both], ["raw"]), "'both' joins several"),
    ):
        with pytest.raises(InputError, match=message):
            call()


@pytest.mark.parametrize(
    ("joined", "message"),
    [
        ("3", "must be a list"),
        ("[{notion: nope}]", "which does not exist"),
        ("[{notion: car-model, weight: x}]", "has the weight 'x'"),
        ("[{notion: car-model, weight: -2}]", "The weight of 'car model' is -2"),
        ("[{other: 1}]", "needs the key notion"),
        ("[{name: a, template: no place, aspects: [b, c]}]", "has no {}"),
    ],
)
def test_a_file_names_joined_notions_and_what_is_wrong_with_them_is_told(joined: str, message: str, tmp_path: Path) -> None:
    def read(joined: str) -> Notion:
        (tmp_path / "mine.yaml").write_text(f"name: mine\ntemplate: a {{}} car\naspects: [red, blue]\njoined: {joined}\n")
        return read_notion(tmp_path / "mine.yaml")

    (tmp_path / "own.yaml").write_text("name: own\ntemplate: a {} road\naspects: [wet, dry]\n")
    found = read("[{notion: car-model, weight: 0.5}, {notion: own, weight: -1}]")
    assert [(weight, each.name, each.aspects[0]) for weight, each in found.joined] == [(0.5, "car model", "sedan"), (-1.0, "own", "wet")]
    with pytest.raises(InputError, match=re.escape(message)):
        read(joined)
