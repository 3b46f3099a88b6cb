"""Choosing how maps are laid out: the controls, their settings, the URL, and what is shown while a map is computed or when it fails."""

from collections.abc import Mapping
from typing import Any, ClassVar
from urllib.parse import parse_qs, urlparse

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from browsing import WAIT, drawn, open_map, settled
from likeness.projection import METHODS, LayoutFailed, LayoutJob, align, pca_map, tsne_map
from likeness.projection.layout_worker import layout_worker


class Instantly:
    """A LayoutJob that lays out at once: by a turned and stretched PCA that depends on all that it is told, or not at all."""

    asked: ClassVar[list["Instantly"]] = []
    waiting = False
    broken = False

    def __init__(self, vectors: Any, content: str, method: str, init: Any = None, **parameters: float) -> None:
        self.vectors, self.content, self.method, self.init, self.parameters = vectors, content, method, init, parameters
        self.given_up = False
        self.asked.append(self)

    @property
    def done(self) -> bool:
        return not self.waiting

    def result(self) -> np.ndarray:
        if self.broken:
            raise LayoutFailed("The map could not be laid out: out of memory")
        turn = 0.1 + list(METHODS).index(self.method) + sum(self.parameters.values())
        flat = pca_map(self.vectors) ** 3
        return flat + np.sin(turn * flat[:, ::-1])

    def abandon(self) -> bool:
        self.given_up = self.waiting
        return self.given_up


@pytest.fixture
def jobs(app: AppTest, monkeypatch: pytest.MonkeyPatch) -> type[Instantly]:
    """The app's layout jobs, replaced; all that were made, in order, in `asked`."""
    from shared import cached

    monkeypatch.setattr(Instantly, "asked", [])
    monkeypatch.setattr(cached, "LayoutJob", Instantly)
    monkeypatch.setattr(cached, "load_map", lambda key: None)
    return Instantly


def _layouts(app: AppTest, page: str = "explore") -> Any:
    return app.session_state[f"layouts_{page}_cars"]


def _control(app: AppTest, kind: str, name: str) -> Any:
    return next(control for control in getattr(app, kind) if str(control.key).startswith(name))


def _choose(app: AppTest, title: str) -> None:
    _control(app, "segmented_control", "layout").set_value(title).run()
    assert not app.exception


def _texts(app: AppTest) -> str:
    return "\n".join(element.value for kind in (app.markdown, app.caption, app.warning, app.text) for element in kind)


@pytest.mark.parametrize("method", [name for name in METHODS if name != "pca"])
def test_another_method_gives_another_map_with_its_own_settings(app: AppTest, jobs: type[Instantly], method: str) -> None:
    app.run()
    before = _layouts(app)[0]
    _choose(app, METHODS[method].title)
    after = _layouts(app)[0]
    assert (before.choice.method, after.choice.method) == ("pca", method)
    assert not np.allclose(before.shown, after.shown)
    for name, parameter in METHODS[method].parameters.items():
        assert _control(app, "slider", f"{method}_{name}").value == parameter.default
    assert jobs.asked[-1].parameters == {}


def test_a_parameter_gives_another_map_and_reset_the_first_one(app: AppTest, jobs: type[Instantly]) -> None:
    app.run()
    _choose(app, "t-SNE")
    plain = _layouts(app)[0].own
    _control(app, "slider", "tsne_perplexity").set_value(50.0).run()
    assert jobs.asked[-1].parameters == {"perplexity": 50.0}
    assert not np.allclose(_layouts(app)[0].own, plain)
    _control(app, "number_input", "map_seed").set_value(3).run()
    assert jobs.asked[-1].parameters == {"perplexity": 50.0, "seed": 3}
    app.button(key="reset_map").click().run()
    assert not app.exception
    assert (_control(app, "slider", "tsne_perplexity").value, _control(app, "number_input", "map_seed").value) == (30.0, 0)
    np.testing.assert_array_equal(_layouts(app)[0].own, plain)
    assert app.button(key="reset_map").disabled


def test_settings_of_a_method_are_kept_while_another_is_shown_and_on_the_other_page(app: AppTest, jobs: type[Instantly]) -> None:
    app.run()
    _choose(app, "PaCMAP")
    _control(app, "slider", "pacmap_neighbours").set_value(25).run()
    _choose(app, "PCA")
    assert not any(str(slider.key).startswith("pacmap_") for slider in app.slider)
    assert "PCA has no settings" in _texts(app)
    _choose(app, "PaCMAP")
    assert _control(app, "slider", "pacmap_neighbours").value == 25
    app.switch_page("pages/notions/page.py").run()
    assert not app.exception
    assert _control(app, "segmented_control", "layout").value == "PaCMAP"
    assert _control(app, "slider", "pacmap_neighbours").value == 25
    assert {job.parameters["neighbours"] for job in jobs.asked[-2:]} == {25}


def test_the_url_holds_what_differs_from_the_default_on_every_page_with_maps(app: AppTest, jobs: type[Instantly]) -> None:
    app.run()
    _choose(app, "t-SNE")
    _control(app, "slider", "tsne_perplexity").set_value(50.0).run()
    assert (app.query_params["layout"], app.query_params["tsne_perplexity"]) == ("t-SNE", "50")
    assert "tsne_exaggeration" not in app.query_params
    assert "map_seed" not in app.query_params
    app.switch_page("pages/notions/page.py").run()
    assert (app.query_params["layout"], app.query_params["tsne_perplexity"]) == ("t-SNE", "50")
    _choose(app, "UMAP")
    assert not {"layout", "tsne_perplexity"} & set(app.query_params)
    app.switch_page("pages/explore/page.py").run()
    assert _control(app, "segmented_control", "layout").value == "UMAP"
    _choose(app, "t-SNE")
    assert _control(app, "slider", "tsne_perplexity").value == 50


@pytest.mark.parametrize(("name", "text"), [("layout", "MDS"), ("umap_neighbours", "many"), ("umap_neighbours", "1"), ("umap_min_distance", "nan")])
def test_what_a_link_asks_for_in_vain_is_left_at_its_default(app: AppTest, jobs: type[Instantly], name: str, text: str) -> None:
    app.query_params["layout"] = "UMAP"
    app.query_params[name] = text
    app.run()
    assert not app.exception
    assert (jobs.asked[-1].method, jobs.asked[-1].parameters) == ("umap", {})
    assert name not in app.query_params
    (said,) = (each.value for each in app.warning)
    assert f"“{text}”" in said


def test_a_link_restores_method_and_settings(app: AppTest, jobs: type[Instantly]) -> None:
    app.query_params["layout"] = "UMAP"
    app.query_params["umap_neighbours"] = "40"
    app.query_params["map_seed"] = "7"
    app.run()
    assert not app.exception
    assert jobs.asked[-1].parameters == {"neighbours": 40, "seed": 7}


def test_a_new_map_is_turned_to_lie_on_the_one_before(app: AppTest, jobs: type[Instantly]) -> None:
    app.run()
    before = _layouts(app)[0].shown
    _choose(app, "t-SNE")
    after = _layouts(app)[0]
    np.testing.assert_allclose(after.shown, align(after.own, before), atol=1e-6)
    app.run()
    np.testing.assert_array_equal(_layouts(app)[0].shown, after.shown)


def test_the_old_points_stay_until_the_new_map_is_ready(app: AppTest, jobs: type[Instantly], monkeypatch: pytest.MonkeyPatch) -> None:
    app.run()
    before = _layouts(app)[0].shown
    monkeypatch.setattr(Instantly, "waiting", True)
    _choose(app, "t-SNE")
    assert _layouts(app)[0].note == "t-SNE is being computed"
    np.testing.assert_array_equal(_layouts(app)[0].shown, before)
    assert len(app.session_state["waits_explore_cars"]) == 1
    monkeypatch.setattr(Instantly, "waiting", False)
    app.run()
    assert _layouts(app)[0].note == ""
    assert not np.allclose(_layouts(app)[0].shown, before)
    assert app.session_state["waits_explore_cars"] == []


def test_of_another_space_its_own_points_are_shown_until_its_map_is_ready(
    app: AppTest, jobs: type[Instantly], monkeypatch: pytest.MonkeyPatch
) -> None:
    app.run()
    _choose(app, "t-SNE")
    monkeypatch.setattr(Instantly, "waiting", True)
    app.selectbox(key="a").select("car color").run()
    shown = _layouts(app)[0]
    assert (shown.name, shown.note) == ("car color", "PCA while t-SNE is being computed")
    np.testing.assert_allclose(shown.own, pca_map(app.session_state["view"].a.vectors), atol=1e-5)


def test_a_map_that_is_not_wanted_any_more_makes_room_and_is_begun_anew_later(
    app: AppTest, jobs: type[Instantly], monkeypatch: pytest.MonkeyPatch
) -> None:
    app.run()
    monkeypatch.setattr(Instantly, "waiting", True)
    _choose(app, "t-SNE")
    first = jobs.asked[-1]
    app.run()
    assert jobs.asked[-1] is first
    assert not first.given_up
    _choose(app, "PaCMAP")
    assert first.given_up
    assert not jobs.asked[-1].given_up
    _choose(app, "t-SNE")
    assert jobs.asked[-1] is not first
    assert jobs.asked[-1].method == "tsne"


def test_only_a_refit_begins_at_the_map_before_it(app: AppTest, jobs: type[Instantly]) -> None:
    """Whatever else is chosen begins at its own start, so that a link shows the same map as the way there did."""
    app.run()
    app.switch_page("pages/notions/page.py").run()
    _choose(app, "t-SNE")
    assert [job.init for job in jobs.asked[-2:]] == [None, None]
    own = _layouts(app, "notions")[1].own
    next(field for field in app.text_area if str(field.key).startswith("aspects_")).input("red\nblue\ngreen").run()
    np.testing.assert_array_equal(jobs.asked[-1].init, own)
    _control(app, "slider", "tsne_perplexity").set_value(50.0).run()
    assert [job.init for job in jobs.asked[-2:]] == [None, None]


def test_where_a_layout_fails_the_pca_is_shown_and_a_sentence_says_so(app: AppTest, jobs: type[Instantly], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Instantly, "broken", True)
    app.run()
    flat = _layouts(app)[0].own
    _choose(app, "PaCMAP")
    np.testing.assert_array_equal(_layouts(app)[0].own, flat)
    assert _layouts(app)[0].note == "PCA, since PaCMAP failed"
    assert "The PaCMAP map of Raw encoder could not be computed, so the PCA map is shown." in _texts(app)
    assert "out of memory" in _texts(app)
    monkeypatch.setattr(Instantly, "broken", False)
    _control(app, "slider", "pacmap_neighbours").set_value(25).run()
    assert _layouts(app)[0].note == ""
    assert not app.warning


def test_a_map_of_the_real_layout_process_is_the_functions_own(app: AppTest, monkeypatch: pytest.MonkeyPatch) -> None:
    from shared import cached

    def smaller(vectors: Any, *, content: str, method: str, init: Any, **parameters: Any) -> LayoutJob:
        return LayoutJob(vectors, content=content, method=method, init=init, epochs=5, **parameters)

    monkeypatch.setattr(cached, "LayoutJob", smaller)
    try:
        app.query_params["layout"] = "t-SNE"
        app.query_params["tsne_perplexity"] = "5"
        app.run()
        job: LayoutJob = cached.layout(app.session_state["view"].a, "tsne", {"perplexity": 5.0})
        found = job.result(600)
        app.run()
        np.testing.assert_array_equal(_layouts(app)[0].own, found)
        np.testing.assert_allclose(found, tsne_map(app.session_state["view"].a.vectors, perplexity=5.0, epochs=5), atol=1e-3)
    finally:
        layout_worker().stop()


def _laid_out(page: Any) -> None:
    page.wait_for_selector(".lm-head .lm-caption", state="hidden", timeout=WAIT)
    settled(page)
    drawn(page)  # the points have moved


def _computed(page: Any, title: str) -> None:
    """Waits until a map has begun to be computed, and then for the map."""
    page.get_by_text(f"{title} is being computed").first.wait_for(timeout=WAIT)
    _laid_out(page)


def _points(page: Any) -> bytes:
    """What the first map looks like."""
    return bytes(page.locator(".lm-stage").first.screenshot())


def _parameters(page: Any) -> Mapping[str, list[str]]:
    return parse_qs(urlparse(page.url).query)


@pytest.mark.long
def test_points_move_with_method_and_setting_and_a_reload_restores_both(page: Any, server: Any) -> None:
    open_map(page, f"{server.url}/?layout=PCA")
    flat = _points(page)
    page.get_by_role("radio", name="t-SNE").or_(page.get_by_role("button", name="t-SNE")).first.click()
    _computed(page, "t-SNE")
    plain = _points(page)
    assert plain != flat
    page.get_by_role("button", name="Map settings").click()
    slider = page.get_by_role("slider", name="Exaggeration")
    for _ in range(6):
        slider.press("ArrowRight")
    _computed(page, "t-SNE")
    page.keyboard.press("Escape")
    settled(page)
    changed = _points(page)
    assert changed not in (flat, plain)
    assert _parameters(page) == {"layout": ["t-SNE"], "tsne_exaggeration": ["4"]}
    open_map(page, page.url)
    _laid_out(page)
    page.get_by_role("button", name="Map settings").click()
    values = {name: page.get_by_role("slider", name=name).input_value() for name in ("Perplexity", "Exaggeration")}
    assert values == {"Perplexity": "30", "Exaggeration": "4"}
    assert "t-SNE" in page.locator("[data-testid='stPopoverBody']").inner_text()
