import base64
import json
from typing import Any

import numpy as np
import pytest

from likeness.errors import InputError
from likeness.plots.linked_map.coloring import Coloring, coloring_of
from likeness.plots.linked_map.map_payload import CATEGORICAL, OTHER, MapPanel, encode_coloring, encode_map, home_box
from likeness.plots.linked_map.parts import INLINE_BYTES, decode_rows, part


def array(described: dict[str, object]) -> np.ndarray:
    return np.frombuffer(base64.b64decode(str(described["base64"])), dtype=str(described["type"]))


def test_home_is_the_box_around_all_points_even_of_none_or_one() -> None:
    points = np.array([[0, 0], [4, 1], [np.nan, 100]])
    assert home_box(points) == (2, 0.5, 2, 0.5)
    assert home_box(points * 10 + 3) == (23, 8, 20, 5)
    assert home_box(points * [1, 0]) == (2, 0, 2, 0.2)
    assert home_box(np.full((3, 2), np.nan)) == (0, 0, 1, 1)
    assert home_box(np.array([[5.0, 6.0]])) == (5, 6, 1, 1)


def test_a_part_is_named_by_its_content_alone_and_a_large_one_is_published() -> None:
    one, same, other = np.arange(6, dtype=np.float32), np.arange(6, dtype=np.float32), np.arange(6, dtype=np.uint8)
    assert part(one)["id"] == part(same)["id"] != part(other)["id"]
    assert part(np.zeros(8, np.uint8))["id"] != part(np.zeros(4, np.uint16))["id"]
    np.testing.assert_array_equal(array(part(one)), one)
    sent: list[tuple[bytes, str]] = []
    large = np.arange(INLINE_BYTES, dtype=np.uint16)
    described = part(large, lambda content, name: sent.append((content, name)) or f"/media/{name}")  # type: ignore[func-returns-value]
    assert sent == [(large.tobytes(), described["id"])]
    assert (described["url"], "base64" in described) == (f"/media/{described['id']}", False)
    assert "base64" in part(large[:10], lambda content, name: pytest.fail("a small part rides along"))


def encoded(label: str, values: list[object], kind: str = "category") -> Any:
    return encode_coloring(coloring_of(label, values, kind), len(values))  # type: ignore[arg-type]


def test_missing_classes_become_a_grey_one_at_the_end_and_many_are_listed_by_size_and_fit_their_type() -> None:
    few = encoded("body", ["a", None, "b", "b"])
    assert (few["names"], few["counts"], few["legend"]) == (["a", "b", "no value"], [1, 2, 1], [0, 1, 2])
    assert few["colors"] == [CATEGORICAL[1], CATEGORICAL[0], OTHER]
    assert array(few["codes"]).tolist() == [0, 2, 1, 1]
    names = [f"{i:03d}" for i in range(300)]
    many = encoded("model", [name for i, name in enumerate(names) for _ in range(1 + (i == 7))])
    assert (many["legend"][0], many["codes"]["type"], array(many["codes"]).max(), many["colors"].count(OTHER)) == (7, "uint16", 299, 288)


def test_numbers_run_over_the_scale_missing_ones_are_grey_and_angles_wrap() -> None:
    numbers = encoded("size", [10, 20, float("nan"), 15], "number")
    assert array(numbers["codes"]).tolist() == [0, 254, 255, 127]
    assert (numbers["low"], numbers["high"], numbers["missing"], len(numbers["colors"]), numbers["colors"][255]) == (10, 20, 1, 256, OTHER)
    assert array(encoded("x", [3, 3], "number")["codes"]).tolist() == [0, 0]
    assert array(encoded("x", [float("nan")] * 2, "number")["codes"]).tolist() == [255, 255]
    codes = array(encoded("yaw", [0, 360, -90, 270, 180], "angle")["codes"])
    assert (codes[0], codes[2], codes[4]) == (codes[1], codes[3], 127)


def payload(**changes: object) -> dict[str, object]:
    panels = [MapPanel("A", np.zeros((5, 2))), MapPanel("B", np.ones((5, 2)))]
    settings: dict[str, object] = {"n": 5, "thumbnails": "/t/{row}"} | changes
    return encode_map(settings.pop("panels", panels), settings.pop("coloring", Coloring("none")), **settings)  # type: ignore[arg-type]


def test_the_payload_is_json_and_holds_the_state() -> None:
    sent = payload(selected=np.array([4, 1]), query=np.int64(3), neighbors=[np.array([1]), np.array([2, 0])], dimmed=np.arange(5) > 3, seen="e1")
    sent = json.loads(json.dumps(sent))
    assert decode_rows(str(sent["selected"]), 5).tolist() == [1, 4]
    assert decode_rows(str(sent["dimmed"]), 5).tolist() == [4]
    assert (sent["query"], sent["neighbors"], sent["seen"]) == (3, [[1], [2, 0]], "e1")
    assert payload(selected=np.array([], int))["selected"] is None
    assert payload(dimmed=np.zeros(5, bool))["dimmed"] is None


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"panels": []}, "0 maps were passed; pass one or two"),
        ({"panels": [MapPanel("A", np.zeros((4, 2)))]}, r"'A' has positions of shape \(4, 2\); pass \(5, 2\)"),
        ({"query": 5}, "query 5 is outside the 5 rows"),
        ({"neighbors": [np.array([1])]}, "1 lists of neighbors do not fit 2 maps"),
        ({"selected": np.array([9])}, "Row 9 is outside"),
        ({"coloring": coloring_of("x", ["a", "b"])}, "one for each of the 5 rows"),
    ],
)
def test_what_does_not_fit_is_named(changes: dict[str, object], message: str) -> None:
    with pytest.raises(InputError, match=message):
        payload(**changes)
