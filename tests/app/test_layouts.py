"""Choosing how maps are laid out: the controls, their settings, the URL, and what is shown while a map is computed or when it fails."""

from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import pytest

from app_page import Page
from browsing import Person, drawn, until
from likeness.projection import METHODS, LayoutFailed, LayoutJob, align, pca_map, tsne_map
from likeness.projection.layout_job import WORKER
from worlds import copy_cars, dataset


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
            raise LayoutFailed("The map could not be computed: out of memory")
        turn = 0.1 + list(METHODS).index(self.method) + sum(self.parameters.values())
        flat = pca_map(self.vectors) ** 3
        return flat + np.sin(turn * flat[:, ::-1])

    def abandon(self) -> bool:
        self.given_up = self.waiting
        return self.given_up


@pytest.fixture
def jobs(app: Page, monkeypatch: pytest.MonkeyPatch) -> type[Instantly]:
    """The app's layout jobs, replaced; all that were made, in order, in `asked`."""
    from parts import cached

    monkeypatch.setattr(Instantly, "asked", [])
    monkeypatch.setattr(cached, "LayoutJob", Instantly)
    monkeypatch.setattr(cached, "load_map", lambda key: None)
    return Instantly


def _layouts(app: Page, page: str = "explore") -> Any:
    return app.session_state["layouts_last"][f"{page}_cars"]


def _choose(app: Page, title: str) -> Any:
    """The first map after this method was chosen."""
    name = next(name for name, method in METHODS.items() if method.title == title)
    return _layouts(app.fill("segmented_control", "layout", name))[0]


def _slide(app: Page, name: str, value: float) -> Page:
    return app.fill("slider", name, value)


def test_each_method_gives_a_map_of_its_own_with_its_settings_and_reset_the_first_one(app: Page, jobs: type[Instantly]) -> None:
    before = _layouts(app.run())[0]
    for method in [name for name in METHODS if name not in ("pca", "tsne")] + ["tsne"]:
        after = _choose(app, METHODS[method].title)
        assert after.choice.method == method != before.choice.method
        assert not np.allclose(before.shown, after.shown)
        for name, parameter in METHODS[method].parameters.items():
            assert app.control("slider", f"{method}_{name}").value == parameter.default
        assert jobs.asked[-1].parameters == {}
        before = after
    _slide(app, "tsne_perplexity", 50.0)
    assert jobs.asked[-1].parameters == {"perplexity": 50.0}
    assert not np.allclose(_layouts(app)[0].own, after.own)
    app.fill("number_input", "map_seed", 3)
    assert jobs.asked[-1].parameters == {"perplexity": 50.0, "seed": 3}
    app.click("reset_map")
    assert (app.control("slider", "tsne_perplexity").value, app.control("number_input", "map_seed").value) == (30.0, 0)
    np.testing.assert_array_equal(_layouts(app)[0].own, after.own)
    assert app.at("reset_map").disabled


def test_the_url_holds_what_differs_from_the_default_on_every_page_and_settings_are_kept_while_another_method_is_shown(
    app: Page, jobs: type[Instantly]
) -> None:
    _choose(app.run(), "t-SNE")
    _slide(app, "tsne_perplexity", 50.0)
    for page in ("notions", "explore"):
        assert (app.query_params["layout"], app.query_params["tsne_perplexity"]) == ("t-SNE", "50")
        assert not {"tsne_exaggeration", "map_seed"} & set(app.query_params)
        app.open(page)
        assert app.control("segmented_control", "layout").value == "tsne"
        assert {job.parameters["perplexity"] for job in jobs.asked[-2:]} == {50.0}
    _choose(app, "UMAP")
    assert not {"layout", "tsne_perplexity"} & set(app.query_params)
    assert not any(str(slider.key).startswith("tsne_") for slider in app.slider)
    _choose(app, "t-SNE")
    assert app.control("slider", "tsne_perplexity").value == 50


def test_a_link_restores_method_and_settings_and_what_it_asks_for_in_vain_is_said(app: Page, jobs: type[Instantly]) -> None:
    app.fresh().visit(layout="UMAP", umap_neighbors="40", map_seed="7")
    assert jobs.asked[-1].parameters == {"neighbors": 40, "seed": 7}
    for name, text in (("layout", "MDS"), ("umap_neighbors", "many"), ("umap_neighbors", "1"), ("umap_min_distance", "nan")):
        wrong = app.fresh()
        (said,) = wrong.visit(**{"layout": "UMAP", name: text}).warnings
        assert f"“{text}”" in said
        assert name not in wrong.query_params
        choice = _layouts(wrong)[0].choice
        assert (choice.method, choice.parameters) == ("umap", {})


def test_a_new_map_lies_on_the_one_before_whose_points_stay_until_it_is_ready_and_gives_way_to_what_is_wanted_instead(
    app: Page, jobs: type[Instantly], monkeypatch: pytest.MonkeyPatch
) -> None:
    before = _layouts(app.run())[0].shown
    after = _choose(app, "t-SNE")
    np.testing.assert_allclose(after.shown, align(after.own, before), atol=1e-6)
    np.testing.assert_array_equal(_layouts(app.run())[0].shown, after.shown)
    monkeypatch.setattr(Instantly, "waiting", True)
    waiting = _choose(app, "PaCMAP")
    assert waiting.note == "PaCMAP is being computed"
    np.testing.assert_array_equal(waiting.shown, after.shown)
    assert len(app.session_state["layouts_waited_for"]["explore_cars"]) == 1
    first = jobs.asked[-1]
    app.run()
    assert jobs.asked[-1] is first
    assert not first.given_up
    _choose(app, "UMAP")
    assert (first.given_up, jobs.asked[-1].given_up) == (True, False)
    _choose(app, "PaCMAP")  # it is begun anew
    assert jobs.asked[-1] is not first
    assert jobs.asked[-1].method == "pacmap"
    monkeypatch.setattr(Instantly, "waiting", False)
    ready = _layouts(app.run())[0]
    assert (ready.note, app.session_state["layouts_waited_for"]["explore_cars"]) == ("", [])
    assert not np.allclose(ready.shown, after.shown)
    monkeypatch.setattr(Instantly, "waiting", True)
    shown = _layouts(app.set("a", "car color"))[0]  # of another space its own points
    assert (shown.name, shown.note) == ("car color", "PCA while PaCMAP is being computed")
    np.testing.assert_allclose(shown.own, pca_map(app.session_state["view"].a.vectors), atol=1e-5)


def test_only_a_refit_begins_at_the_map_before_it(app: Page, jobs: type[Instantly]) -> None:
    """Whatever else is chosen begins at its own start, so that a link shows the same map as the way there did."""
    app.open("notions").fill("segmented_control", "layout", "t-SNE")
    assert [job.init for job in jobs.asked[-2:]] == [None, None]
    own = _layouts(app, "notions")[1].own
    app.fill("text_area", "aspects_", "red\nblue\ngreen")
    np.testing.assert_array_equal(jobs.asked[-1].init, own)
    _slide(app, "tsne_perplexity", 50.0)
    assert [job.init for job in jobs.asked[-2:]] == [None, None]


def test_where_a_layout_fails_the_pca_is_shown_and_a_sentence_says_so(app: Page, jobs: type[Instantly], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Instantly, "broken", True)
    flat = _layouts(app.run())[0].own
    failed = _choose(app, "PaCMAP")
    np.testing.assert_array_equal(failed.own, flat)
    assert failed.note == "PCA, since PaCMAP failed"
    app.says("The PaCMAP map of Raw encoder could not be computed")
    assert any("out of memory" in each.value for each in app.text)
    monkeypatch.setattr(Instantly, "broken", False)
    assert _layouts(_slide(app, "pacmap_neighbors", 25))[0].note == ""
    assert not app.warning


def test_a_map_of_the_real_layout_process_is_the_functions_own(app: Page, monkeypatch: pytest.MonkeyPatch) -> None:
    from parts import cached

    def smaller(vectors: Any, *, content: str, method: str, init: Any, **parameters: Any) -> LayoutJob:
        return LayoutJob(vectors, content=content, method=method, init=init, epochs=5, **parameters)

    monkeypatch.setattr(cached, "LayoutJob", smaller)
    try:
        app.visit(layout="t-SNE", tsne_perplexity="5")
        job: LayoutJob = cached.layout(app.session_state["view"].a, "tsne", {"perplexity": 5.0})
        found = job.result(600)
        app.run()
        np.testing.assert_array_equal(_layouts(app)[0].own, found)
        np.testing.assert_allclose(found, tsne_map(app.session_state["view"].a.vectors, perplexity=5.0, epochs=5), atol=1e-3)
    finally:
        WORKER.stop()


@pytest.mark.long
def test_points_move_with_method_and_setting_and_a_reload_restores_both(person: Person, server: Any, tmp_path: Path) -> None:
    def points() -> bytes:
        """What the first map looks like once it stands still."""
        page.wait_for_selector(".lm-head .lm-caption", state="hidden")
        person.settle()
        drawn(page)
        return bytes(page.locator(".lm-stage").first.screenshot())

    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("LIKENESS_CACHE", str(server.cache))
        few = dataset(copy_cars(tmp_path / "few", range(0, 2000, 20)), "cars-small").id
    page = person.open(f"?layout=PCA&dataset={few}").map().page
    flat = points()
    page.get_by_role("button", name="Map settings").click()
    page.get_by_role("radio", name="t-SNE").or_(page.get_by_role("button", name="t-SNE")).first.click()
    until(page, lambda: points() != flat)
    plain = points()
    for _ in range(6):
        page.get_by_role("slider", name="Exaggeration").press("ArrowRight")
    until(page, lambda: points() != plain)
    assert points() != flat
    person.keys("Escape")
    assert (person.asked["layout"], person.asked["tsne_exaggeration"]) == (["t-SNE"], ["4"])
    page.reload()
    person.map()
    page.get_by_role("button", name="Map settings").click()
    values = {name: page.get_by_role("slider", name=name).input_value() for name in ("Perplexity", "Exaggeration")}
    assert values == {"Perplexity": "30", "Exaggeration": "4"}
    assert "t-SNE" in page.locator("[data-testid='stPopoverBody']").inner_text()
