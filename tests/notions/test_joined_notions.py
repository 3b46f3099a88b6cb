"""Notions that are saved with others joined."""

import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import likeness as lk
from likeness.errors import InputError
from likeness.notions import get_notion, read_notion, write_notion


def test_a_joined_notion_is_saved_and_fitted_as_the_composition(tmp_path: Path, cars: lk.Space) -> None:
    color, body, background = (get_notion(name) for name in ("car color", "car model", "background color"))
    composed = 2 * color + body - background
    both = composed.as_notion("both")
    assert (both.name, both.attribute, [(weight, each.name) for weight, each in both.joined]) == (
        "both",
        None,
        [(0.5, "car model"), (-1.0, "background color")],
    )
    write_notion(tmp_path / "both.yaml", both)
    assert read_notion(tmp_path / "both.yaml") == both
    np.testing.assert_allclose(cars.refit(both).vectors, cars.refit(composed).vectors, atol=1e-6)
    assert cars.refit(both).linear is not None
    assert (color - background).as_notion("left").attribute == "car_color"
    with pytest.raises(InputError, match="Every notion is taken away"):
        (-1 * background).as_notion("none")


def test_notions_with_joined_ones_are_told_apart_and_joined_further() -> None:
    color, body = get_notion("car color"), get_notion("car model")
    both = (color + 0.5 * body).as_notion("both")
    assert both.content != color.content
    assert both.content != (color + 0.25 * body).as_notion("both").content
    assert [(weight, each.name) for weight, each in (0.5 * both).parts] == [(0.5, "both"), (0.25, "car model")]
    with pytest.raises(InputError, match="has joined notions itself"):
        replace(body, joined=((1.0, both),))
    with pytest.raises(InputError, match="The weight of 'car model' is 0"):
        replace(color, joined=((0.0, body),))


@pytest.mark.parametrize(
    ("joined", "message"),
    [
        ("3", "must be a list"),
        ("[{notion: nope}]", "which is not here"),
        ("[{notion: car-model, weight: x}]", "has the weight 'x'"),
        ("[{notion: car-model, weight: -2}]", "The weight of 'car model' is -2"),
        ("[{other: 1}]", "needs the key notion"),
        ("[{name: a, template: no place, aspects: [b, c]}]", "has no {}"),
    ],
)
def test_what_is_wrong_with_joined_notions_in_a_file_is_told(joined: str, message: str, tmp_path: Path) -> None:
    file = tmp_path / "mine.yaml"
    file.write_text(f"name: mine\ntemplate: a {{}} car\naspects: [red, blue]\njoined: {joined}\n")
    with pytest.raises(InputError, match=re.escape(message)):
        read_notion(file)


def test_a_file_names_joined_notions(tmp_path: Path) -> None:
    file = tmp_path / "mine.yaml"
    file.write_text(
        "name: mine\ntemplate: a {} car\naspects: [red, blue]\njoined:\n- {notion: car-model, weight: 0.5}\n- notion: own\n  weight: -1\n"
    )
    (tmp_path / "own.yaml").write_text("name: own\ntemplate: a {} road\naspects: [wet, dry]\n")
    assert [(weight, each.name, each.aspects[0]) for weight, each in read_notion(file).joined] == [(0.5, "car model", "sedan"), (-1.0, "own", "wet")]


def test_the_command_fits_them_as_a_space_does(tmp_path: Path, cars: lk.Space) -> None:
    from likeness.commands.fit import fit

    both = (get_notion("car color") + 0.5 * get_notion("car model") - get_notion("background color")).as_notion("both")
    write_notion(tmp_path / "both.yaml", both)
    fit(str(tmp_path / "both.yaml"), encoder="cars", out=tmp_path / "U.npy")
    np.testing.assert_allclose(np.load(tmp_path / "U.npy"), cars.refit(both).linear, atol=1e-5)


def test_methods_are_not_compared_on_them(cars: lk.Space) -> None:
    from likeness.studies import compare

    with pytest.raises(InputError, match="'both' joins several"):
        compare(cars, [(get_notion("car color") + get_notion("car model")).as_notion("both")], ["raw"])
