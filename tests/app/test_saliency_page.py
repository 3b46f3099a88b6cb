"""The page Saliency without a browser: what it explains, and what it says where it can't."""

import numpy as np
import pytest

from app_page import Page
from likeness.notions import get_notion
from likeness.saliency import Saliency, control_spaces, difference, difference_shares, object_masks, saliency_of_spaces
from worlds import cars

ROWS = [3, 11]


def _open(app: Page) -> Page:
    app.session_state["saliency_samples"] = 2
    app.session_state["rows"] = np.array(ROWS)
    return app.open("saliency").wait("saliency")


def _result(app: Page) -> list[Saliency]:
    from pages.saliency import job as saliency_job

    job = saliency_job.find(app.session_state["saliency_shown"])
    assert job is not None
    result: list[Saliency] = job.result
    return result


def test_the_selected_images_are_explained_beside_the_raw_encoder_and_random_projections(app: Page) -> None:
    _open(app)
    assert "The 2 selected images." in app.texts
    found = _result(app)
    assert [each.name for each in found] == ["background color", "car color", "Raw encoder"]
    base = cars()
    notions = {"Background color": base.refit(get_notion("background color")), "Car color": base.refit(get_notion("car color"))}
    expected = saliency_of_spaces([notions["Car color"], base], ROWS, samples=2)
    np.testing.assert_allclose(found[1].maps, expected[0].maps, atol=2e-3)
    np.testing.assert_allclose(found[2].maps, expected[1].maps, atol=2e-3)
    assert "Dimensions: Background color in 7 and Car color in 6." in app.texts
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
    assert any(caption.value.startswith("Of the maps, this lies on the cars: Background color") for caption in app.caption)
    app.set("saliency_dim", 16).wait("saliency")
    assert np.abs(_result(app)[1].maps - found[1].maps).max() > 0.05


def test_without_a_notion_or_a_mask_no_control_is_computed(app: Page, monkeypatch: pytest.MonkeyPatch) -> None:
    from pages.saliency import job as saliency_job, rows as saliency_rows

    monkeypatch.setattr(saliency_job, "begin_controls", lambda request: pytest.fail("nothing to compare with"))
    with monkeypatch.context() as patch:
        patch.setattr(saliency_rows, "known_masks", lambda space, rows: None)
        _open(app)
    app.set("looked_at", []).wait("saliency")
    assert [each.name for each in _result(app)] == ["Raw encoder"]
    assert "Yellow marks what decides the image's place" in app.texts


def test_a_space_without_a_model_says_what_to_do(app: Page, monkeypatch: pytest.MonkeyPatch) -> None:
    from shared import cached

    monkeypatch.setattr(cached, "base", lambda dataset_id: cars().replace(differentiable=None))
    assert "came without a model" in app.open("saliency").texts


def test_images_by_chance_obey_the_filters(app: Page) -> None:
    app.session_state["saliency_samples"] = 2
    app.run().multiselect(key="filter_body_type").select("van").run().open("saliency").wait("saliency")
    shown = app.session_state["saliency_shown"].rows
    assert set(app.session_state["view"].frame["body_type"].iloc[list(shown)]) == {"van"}
