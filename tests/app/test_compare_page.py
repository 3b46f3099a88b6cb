"""The page Compare without a browser: what it asks for, what it shows, what it refuses."""

from pathlib import Path

import numpy as np
import pytest

from app_page import Page
from background import jobs
from likeness.data import ImageTable
from likeness.notions import get_notion
from likeness.space import Space
from likeness.studies import compare
from worlds import cars, dataset, few_images, show_instead


@pytest.fixture
def page(app: Page) -> Page:
    return app.open("compare")


def _table(app: Page) -> str:
    return "".join(element.proto.body for element in app.get("html") if "comparison" in element.proto.body)


def _ask(app: Page, notions: list[str], methods: list[str], runs: int) -> Page:
    return app.enter(compare_notions=notions, compare_methods=methods, compare_seeds=runs)


def test_the_table_has_what_compare_gives_and_says_what_does_not_apply(page: Page) -> None:
    assert "Nothing compared yet." in page.texts
    assert page.at("compare_notions").value == ["background color", "car color", "car model"]
    assert page.at("compare_dims").value == ["suggested"]
    assert not page.at("compare_start").disabled
    page.at("compare_dims").set_value(["suggested", "128"])
    _ask(page, ["car color"], ["pca", "exact"], 1).click("compare_start").wait("comparisons")
    table = _table(page)
    runs = compare(cars(), [get_notion("car color")], ("raw", "exact"), ("suggested", 128), range(1)).set_index(["method", "dim"])
    assert list(runs.index) == [("raw", 512), ("exact", 6), ("exact", 128)]
    for metric in ("map_at_r", "precision_at_1", "ami", "mrr"):
        for place in runs.index:
            assert f"{runs.loc[place, metric]:.3f}" in table
    assert f"▲ +{runs.loc[('exact', 6), 'map_at_r'] - runs.loc[('raw', 512), 'map_at_r']:.3f}" in table
    assert "Does not apply: PCA to 128 dimensions needs more than 128 prompts, but there are 17" in table
    assert page.at("compare_start").disabled
    assert [button.label for button in page.get("download_button")] == ["Download CSV", "Download Markdown", "Download LaTeX"]


def test_a_stop_keeps_what_is_finished(page: Page) -> None:
    _ask(page, ["car color", "car model", "viewpoint"], ["random"], 10).click("compare_start")
    (job,) = jobs().all("comparisons")
    page.press("Stop").wait("comparisons")
    assert f"of {job.total} runs; what was finished is shown below" in page.texts
    assert job.done < job.total
    assert not page.at("compare_start").disabled


def test_one_question_of_two_visitors_is_one_job_and_changed_settings_leave_its_result(page: Page) -> None:
    _ask(page, ["car color"], ["random"], 2).click("compare_start")
    assert _table(_ask(page.fresh().open("compare"), ["car color"], ["random"], 2))
    assert len(jobs().all("comparisons")) == 1
    _ask(page.wait("comparisons"), ["car color"], ["random"], 3)
    assert "The settings have changed" in page.texts
    assert _table(page)
    assert not page.at("compare_start").disabled


def test_a_setting_that_can_not_be_is_answered_in_a_sentence(page: Page) -> None:
    for key, value, said in [
        ("compare_dims", [], "Choose at least one number of dimensions"),
        ("compare_dims", ["many"], "'many' is not a whole number"),
        ("compare_dims", ["0"], "from 1 to 512"),
        ("compare_dims", ["513"], "this encoder has 512"),
        ("compare_methods", [], "Choose at least one method"),
        ("compare_notions", [], "Choose at least one notion"),
    ]:
        assert said in page.set(key, value).texts
        assert page.at("compare_start").disabled


def test_other_images_have_other_notions_and_dimensions_or_say_what_to_do(page: Page, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    _ask(page, ["car color"], ["exact"], 3)
    shipped = cars()
    table = ImageTable("others", tmp_path, shipped.table.frame[["path", "viewpoint"]])
    entry = dataset(tmp_path)
    page.run()
    show_instead(monkeypatch, Space(shipped.vectors[:, :64], table, name="Raw encoder", embed_texts=shipped.embed_texts, encoder="cars"))
    page.set("dataset", entry.id)
    assert [page.at(f"compare_{name}").value for name in ("notions", "dims", "seeds")] == [["viewpoint"], ["suggested"], 3]
    assert page.at("compare_dims").options == ["Each notion's own", "64"]
    assert not page.at("compare_start").disabled
    for columns, reads_text, said in (
        ({}, True, "these images have none of their own"),
        ({"shelf": ["a", "b"]}, True, "no notion uses them yet"),
        ({"car_color": ["red", "blue"]}, False, "an encoder that reads text"),
    ):
        space = few_images(columns, 2)
        show_instead(monkeypatch, space.replace(embed_texts=(lambda texts: np.eye(4, dtype=np.float32)[: len(texts)]) if reads_text else None))
        assert said in page.run().texts
        assert not page.has("compare_start")


def test_an_analysis_has_its_settings_and_ends_in_a_plot_and_a_sentence(app: Page) -> None:
    for tab, slot in [("Dimensions", "sizes"), ("Encoders", "encoders"), ("Number of prompts", "prompts")]:
        app.open("compare", compare=tab)
        assert "Nothing measured yet." in app.texts
        assert not app.at(f"{slot}_start").disabled
    app = app.fresh().open("compare", compare="Dimensions")
    app.enter(sizes_notions=["car color"], sizes_methods=["exact"], sizes_range=(4, 8), sizes_runs=1).click("sizes_start").wait("comparisons")
    runs = compare(cars(), [get_notion("car color")], ("exact",), (4, 8), range(1), metrics=("map_at_r",))
    best = runs.loc[runs["map_at_r"].idxmax()]
    assert f"best with InDiReCT (exact) **at {best['dim']} dimensions**: MAP@R **{best['map_at_r']:.3f}**" in app.texts
    assert len(app.charts) == 1


def test_an_encoder_that_is_not_here_is_left_out_with_the_reason_and_can_be_tried_again(app: Page) -> None:
    app.open("compare", compare="Encoders")
    app.enter(encoders=["cars", "local-dir:nowhere"], encoders_notions=["car color"], encoders_runs=1).click("encoders_start").wait("comparisons")
    assert "best with InDiReCT (exact) **on cars**" in app.texts
    assert "Left out: local-dir:nowhere: " in app.texts
    assert len(app.charts) == 1
    assert not app.at("encoders_start").disabled
