"""The page Saliency without a browser: what it explains, and what it says where it can't."""

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from background import jobs
from likeness.data import read_cars
from likeness.embedding import embed
from likeness.notions import get_notion
from likeness.saliency import Saliency, control_spaces, difference, difference_shares, object_masks, saliency_of_spaces

FEW = ("saliency_samples", 2)


def _texts(app: AppTest) -> str:
    return "\n".join(element.value for kind in (app.markdown, app.caption, app.error, app.warning, app.info) for element in kind)


def _open(app: AppTest) -> AppTest:
    app.session_state[FEW[0]] = FEW[1]
    app.session_state["rows"] = np.array([3, 11])
    app.switch_page("pages/saliency/page.py").run()
    return _finished(app)


def _finished(app: AppTest) -> AppTest:
    for job in jobs().all("saliency"):
        assert job.wait(600)
        assert job.error is None
    return app.run()


def _result(app: AppTest) -> list[Saliency]:
    from pages.saliency import job as saliency_job

    job = saliency_job.find(app.session_state["saliency_shown"])
    assert job is not None
    result: list[Saliency] = job.result
    return result


def test_the_selected_images_are_explained_in_two_notions_and_the_raw_encoder(app: AppTest) -> None:
    _open(app)
    assert not app.exception
    assert "The 2 selected images." in _texts(app)
    found = _result(app)
    assert [each.name for each in found] == ["background color", "car color", "Raw encoder"]
    base = embed(read_cars())
    notion = base.refit(get_notion("car color"))
    expected = saliency_of_spaces([notion, base], [3, 11], samples=2)
    np.testing.assert_allclose(found[1].maps, expected[0].maps, atol=2e-3)
    np.testing.assert_allclose(found[2].maps, expected[1].maps, atol=2e-3)
    assert "Dimensions: Background color in 7 and Car color in 6." in _texts(app)


def test_beside_each_share_on_the_cars_stands_that_of_random_projections(app: AppTest) -> None:
    _open(app)
    _finished(app)
    assert not app.exception
    shown = [caption.value for caption in app.caption if "lies on the cars" in caption.value]
    base, cars = embed(read_cars()), [3, 11]
    notions = {"Background color": base.refit(get_notion("background color")), "Car color": base.refit(get_notion("car color"))}
    masks, raw = object_masks(base, cars), saliency_of_spaces([base], cars, samples=2)[0]
    parts = []
    for name, space in notions.items():
        dim = space.vectors.shape[1]
        maps = saliency_of_spaces([space, *control_spaces(base, dim)], cars, samples=2)
        own, *controls = (float(np.mean(difference_shares(difference(each, raw), masks)[0])) for each in maps)
        parts.append(f"{name} {own:.0%}, a random projection to {dim} dimensions {np.mean(controls):.0%}")
    assert shown == [f"Of the yellow, this lies on the cars: {'; '.join(parts)}. Only what goes beyond chance says something about the notion."]
    app.segmented_control(key="saliency_show").set_value("Maps").run()
    assert any(caption.value.startswith("Of the maps, this lies on the cars: Background color") for caption in app.caption)


def test_no_control_is_computed_where_no_notion_or_no_mask_is_shown(app: AppTest, monkeypatch: pytest.MonkeyPatch) -> None:
    from pages.saliency import job as saliency_job, rows as saliency_rows

    monkeypatch.setattr(saliency_job, "begin_controls", lambda request: pytest.fail("nothing to compare with"))
    with monkeypatch.context() as patch:
        patch.setattr(saliency_rows, "known_masks", lambda space, rows: None)
        _open(app)
        assert not app.exception
    app.multiselect(key="looked_at").set_value([]).run()
    _finished(app)
    assert not app.exception


def test_dimensions_make_other_maps(app: AppTest) -> None:
    _open(app)
    before = _result(app)[1].maps
    app.number_input(key="saliency_dim").set_value(16).run()
    _finished(app)
    assert not app.exception
    assert np.abs(_result(app)[1].maps - before).max() > 0.05


def test_without_a_notion_the_raw_encoder_stands_alone(app: AppTest) -> None:
    _open(app)
    app.multiselect(key="looked_at").set_value([]).run()
    _finished(app)
    assert not app.exception
    assert [each.name for each in _result(app)] == ["Raw encoder"]
    assert "Yellow marks what decides the image's place" in _texts(app)


def test_a_space_without_a_model_says_what_to_do(app: AppTest, monkeypatch: pytest.MonkeyPatch) -> None:
    from shared import cached

    base = embed(read_cars())
    mute = base.replace(differentiable=None)
    monkeypatch.setattr(cached, "base", lambda dataset_id: mute)
    app.switch_page("pages/saliency/page.py").run()
    assert not app.exception
    assert "came without a model" in _texts(app)


def test_images_by_chance_obey_the_filters(app: AppTest) -> None:
    app.session_state[FEW[0]] = FEW[1]
    app.run()
    app.multiselect(key="filter_body_type").select("van").run()
    app.switch_page("pages/saliency/page.py").run()
    _finished(app)
    assert not app.exception
    frame = app.session_state["view"].frame
    shown = app.session_state["saliency_shown"].rows
    assert set(frame["body_type"].iloc[list(shown)]) == {"van"}
