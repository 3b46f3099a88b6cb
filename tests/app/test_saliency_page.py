"""The page Saliency without a browser: what it explains, its columns, captions and colors, and what it says where it can't."""

import numpy as np
import pytest

from app_page import Page
from likeness.notions import get_notion
from likeness.saliency import Saliency, control_spaces, difference, difference_shares, object_masks, saliency_of_spaces
from pages.saliency import maps as saliency_maps
from pages.saliency.maps import Look, SaliencyRequest
from worlds import cars

ROWS = [3, 11]


def _open(app: Page) -> Page:
    app.session_state["saliency_samples"] = 2
    app.session_state["rows"] = np.array(ROWS)
    return app.open("saliency").wait("saliency")


def _result(app: Page) -> list[Saliency]:
    job = app.session_state["saliency_shown"].work().find()
    assert job is not None
    result: list[Saliency] = job.result
    return result


def test_the_selected_images_are_explained_beside_the_raw_encoder_and_random_projections(app: Page) -> None:
    _open(app).says("The 2 selected images.", "Background color in 7 and Car color in 6")
    found = _result(app)
    assert [each.name for each in found] == ["background color", "car color", "Raw encoder"]
    base = cars()
    notions = {"Background color": base.refit(get_notion("background color")), "Car color": base.refit(get_notion("car color"))}
    expected = saliency_of_spaces([notions["Car color"], base], ROWS, samples=2)
    for own, wanted in zip(found[1:], expected, strict=True):
        np.testing.assert_allclose(own.maps, wanted.maps, atol=2e-3)
    masks, raw = object_masks(base, ROWS), saliency_of_spaces([base], ROWS, samples=2)[0]
    parts = []
    for name, space in notions.items():
        dim = space.vectors.shape[1]
        maps = saliency_of_spaces([space, *control_spaces(base, dim)], ROWS, samples=2)
        own, *controls = (float(np.mean(difference_shares(difference(each, raw), masks)[0])) for each in maps)
        parts.append(f"{name} {own:.0%}, a random projection to {dim} dimensions {np.mean(controls):.0%}")
    (shown,) = [caption.value for caption in app.caption if "lies on the cars" in caption.value]
    assert f"on the cars: {'; '.join(parts)}. " in shown
    app.set("saliency_show", "Maps")
    assert any(caption.value.startswith("Share of the maps that lies on the cars: Background color") for caption in app.caption)
    app.set("saliency_dim", 16).wait("saliency")
    assert np.abs(_result(app)[1].maps - found[1].maps).max() > 0.05


def test_without_a_notion_or_a_mask_no_control_is_computed_and_without_a_model_it_says_what_to_do(app: Page, monkeypatch: pytest.MonkeyPatch) -> None:
    from parts import cached

    monkeypatch.setattr(SaliencyRequest, "controls", lambda request: pytest.fail("nothing to compare with"))
    with monkeypatch.context() as patch:
        patch.setattr(saliency_maps, "known_masks", lambda space, rows: None)
        _open(app)
    app.set("looked_at", []).says("earlier ones").wait("saliency").hides("earlier ones").says("Yellow marks")
    assert [each.name for each in _result(app)] == ["Raw encoder"]
    monkeypatch.setattr(cached, "base", lambda dataset_id: cars().replace(differentiable=None))
    app.run().says("came without it")


def test_images_by_chance_obey_the_filters(app: Page) -> None:
    app.session_state["saliency_samples"] = 2
    offered = app.open("saliency", filter_body_type="van").sent("saliency_chosen")["sections"][0]["rows"]
    assert app.wait("saliency").sent("saliency_chosen") is None  # the maps show them now
    shown = app.session_state["saliency_shown"].rows
    assert list(shown) == offered
    assert set(app.session_state["view"].frame["body_type"].iloc[list(shown)]) == {"van"}


BLUE, YELLOW = (0, 40, 105), (255, 233, 70)


def _found(name: str, hot: tuple[int, int]) -> Saliency:
    """Two images of 4 x 4 pixels whose only salient pixel is `hot`."""
    sums = np.zeros((2, 4, 4), np.float32)
    sums[:, *hot] = 3
    return Saliency(name, sums, np.full((2, 4, 4, 3), 100, np.uint8), 100.0)


NOTION, RAW = _found("car color", (1, 2)), _found("Raw encoder", (3, 0))


@pytest.mark.parametrize(
    ("found", "maps", "differences", "expected"),
    [
        ([RAW], False, True, ["Image", "Raw encoder"]),
        ([NOTION, RAW], False, True, ["Image", "Car color − Raw encoder"]),
        ([NOTION, RAW], True, False, ["Image", "Raw encoder", "Car color"]),
        ([NOTION, RAW], True, True, ["Image", "Raw encoder", "Car color", "Car color − Raw encoder"]),
    ],
)
def test_each_column_has_a_title(found: list[Saliency], maps: bool, differences: bool, expected: list[str]) -> None:
    look = Look(maps, differences, 100.0)
    titles, rows = saliency_maps.grid(found, ["a", "b"], None, look)
    assert titles == expected
    assert [(row.name, len(row.pictures)) for row in rows] == [("a", len(expected)), ("b", len(expected))]
    assert {picture.caption for row in rows for picture in row.pictures} == {""}


def test_more_attention_is_yellow_less_is_blue_equal_is_grey_and_captions_say_how_much_lies_on_the_car(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(saliency_maps, "_BLUR", 0.0)
    monkeypatch.setattr(saliency_maps, "overlay", lambda images, colors, strength: colors)
    shown, equal = (saliency_maps.grid([found, RAW], ["a", "b"], None, Look(False, True, 100.0))[1][0].pictures[1].pixels for found in (NOTION, RAW))
    assert (tuple(shown[1, 2]), tuple(shown[3, 0])) == (YELLOW, BLUE)
    assert np.ptp(shown[0, 0].astype(int)) < 5
    assert np.ptp(equal.astype(int), axis=-1).max() < 5
    masks = np.zeros((3, 4, 4), bool)
    masks[0, :2] = True  # the notion's pixel is on the first car, not on the second
    _, rows = saliency_maps.grid([NOTION, RAW], ["a", "b", "c"], masks, Look(True, True, 100.0))
    captions = ["car: 50% of the picture", "0% on the car", "100% on the car", "100% of the yellow on the car"]
    assert [picture.caption for picture in rows[0].pictures] == captions
    assert rows[1].pictures[2].caption == "0% on the car"
    assert [row.name for row in rows] == ["a", "b"]  # of a stopped run what is done
