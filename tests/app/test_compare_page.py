"""The page Compare without a browser: what it asks for, what it shows, what it refuses."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from streamlit.testing.v1 import AppTest

from background import Job, jobs
from likeness.data import ImageTable, read_cars
from likeness.data.catalog import add_dataset, list_datasets, new_entry
from likeness.embedding import embed
from likeness.notions import get_notion
from likeness.space import Space
from likeness.studies import compare


@pytest.fixture
def page(app: AppTest) -> AppTest:
    return app.switch_page("pages/compare/page.py").run()


def _texts(app: AppTest) -> str:
    return "\n".join(element.value for kind in (app.markdown, app.caption, app.error, app.warning, app.info) for element in kind)


def _table(app: AppTest) -> str:
    return "".join(element.proto.body for element in app.get("html") if "comparison" in element.proto.body)


def _job() -> Job:
    return jobs().all("comparisons")[-1]


def _set(app: AppTest, notions: list[str], methods: list[str], runs: int) -> None:
    app.multiselect(key="compare_notions").set_value(notions)
    app.multiselect(key="compare_methods").set_value(methods)
    app.number_input(key="compare_seeds").set_value(runs)
    app.run()
    assert not app.exception


def test_before_anything_was_compared_the_page_says_what_it_is_for(page: AppTest) -> None:
    assert not page.exception
    assert "Nothing compared yet." in _texts(page)
    assert page.multiselect(key="compare_notions").value == ["background color", "car color", "car model"]
    assert not page.button(key="compare_start").disabled


def test_the_table_has_what_compare_gives_and_says_what_does_not_apply(page: AppTest) -> None:
    assert page.multiselect(key="compare_dims").value == ["suggested"]
    page.multiselect(key="compare_dims").set_value(["suggested", "128"])
    _set(page, ["car color"], ["pca", "exact"], 1)
    page.button(key="compare_start").click().run()
    assert _job().wait(600)
    page.run()
    assert not page.exception
    table = _table(page)
    runs = compare(embed(read_cars()), [get_notion("car color")], ("raw", "exact"), ("suggested", 128), range(1)).set_index(["method", "dim"])
    assert list(runs.index) == [("raw", 512), ("exact", 6), ("exact", 128)]
    for metric in ("map_at_r", "precision_at_1", "ami", "mrr"):
        for place in runs.index:
            assert f"{runs.loc[place, metric]:.3f}" in table
    assert f"▲ +{runs.loc[('exact', 6), 'map_at_r'] - runs.loc[('raw', 512), 'map_at_r']:.3f}" in table
    assert "Does not apply: PCA to 128 dimensions needs more than 128 prompts, but there are 17" in table
    assert page.button(key="compare_start").disabled
    assert [button.label for button in page.get("download_button")] == ["Download CSV", "Download Markdown", "Download LaTeX"]


def test_a_stop_keeps_what_is_finished(page: AppTest) -> None:
    _set(page, ["car color", "car model", "viewpoint"], ["random"], 10)
    page.button(key="compare_start").click().run()
    job = _job()
    next(button for button in page.button if button.label == "Stop").click().run()
    assert job.wait(600)
    page.run()
    assert not page.exception
    assert f"of {job.total} runs; what was finished is shown below" in _texts(page)
    assert job.done < job.total
    assert not page.button(key="compare_start").disabled


def test_the_same_question_of_two_visitors_is_one_job(page: AppTest) -> None:

    _set(page, ["car color"], ["random"], 2)
    page.button(key="compare_start").click().run()
    other = AppTest.from_file(page._script_path, default_timeout=600)
    other.query_params["layout"] = "PCA"
    other.switch_page("pages/compare/page.py").run()
    _set(other, ["car color"], ["random"], 2)
    assert _table(other)
    assert len(jobs().all("comparisons")) == 1
    _job().wait(600)


def test_changed_settings_leave_the_earlier_result_and_say_so(page: AppTest) -> None:
    _set(page, ["car color"], ["random"], 1)
    page.button(key="compare_start").click().run()
    _job().wait(600)
    _set(page, ["car color"], ["random"], 2)
    assert "The settings have changed" in _texts(page)
    assert _table(page)
    assert not page.button(key="compare_start").disabled


def test_a_setting_that_can_not_be_is_answered_in_a_sentence(page: AppTest) -> None:
    for key, value, said in [
        ("compare_dims", [], "Choose at least one number of dimensions"),
        ("compare_dims", ["many"], "'many' is not a whole number"),
        ("compare_dims", ["0"], "type a number from 1 to 512"),
        ("compare_dims", ["513"], "this encoder has 512"),
        ("compare_methods", [], "Choose at least one method"),
        ("compare_notions", [], "Choose at least one notion"),
    ]:
        page.multiselect(key=key).set_value(value).run()
        assert not page.exception
        assert said in _texts(page)
        assert page.button(key="compare_start").disabled


def test_other_images_have_other_notions_and_dimensions(page: AppTest, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    from shared import cached

    _set(page, ["car color"], ["exact"], 3)
    shipped = cached.base("cars")
    table = ImageTable("others", tmp_path, shipped.table.frame[["path", "viewpoint"]])
    others = Space(shipped.vectors[:, :64], table, name="Raw encoder", embed_texts=shipped.embed_texts, encoder="cars")
    add_dataset(new_entry("Others", str(tmp_path), "cars", None))
    entry = next(entry for entry in list_datasets() if entry.name == "Others")
    page.run()
    monkeypatch.setattr(cached, "base", lambda _: others)
    page.selectbox(key="dataset").select(entry.id).run()
    assert not page.exception
    assert page.multiselect(key="compare_notions").value == ["viewpoint"]
    assert page.multiselect(key="compare_dims").value == ["suggested"]
    assert page.multiselect(key="compare_dims").options == ["Each notion's own", "64"]
    assert page.number_input(key="compare_seeds").value == 3
    assert not page.button(key="compare_start").disabled


@pytest.mark.parametrize(
    ("attributes", "reads_text", "said"),
    [
        ({}, True, "these images have none of their own"),
        ({"shelf": ["a", "b"]}, True, "no notion uses them yet"),
        ({"car_color": ["red", "blue"]}, False, "an encoder that reads text"),
    ],
)
def test_images_that_nothing_can_be_compared_on_say_what_to_do(
    page: AppTest, monkeypatch: pytest.MonkeyPatch, attributes: dict[str, list[str]], reads_text: bool, said: str
) -> None:
    from shared import cached

    table = ImageTable("two", Path("."), pd.DataFrame({"path": ["a.png", "b.png"], **attributes}))
    vectors = np.eye(2, dtype=np.float32)
    space = Space(vectors, table, name="Raw encoder", embed_texts=(lambda texts: vectors[: len(texts)]) if reads_text else None)
    monkeypatch.setattr(cached, "base", lambda _: space.replace(encoder="cars"))
    page.run()
    assert not page.exception
    assert said in _texts(page)
    assert not [button for button in page.button if button.key == "compare_start"]


def test_each_analysis_has_its_settings_and_says_what_it_will_show(app: AppTest) -> None:
    for tab, slot in [("Dimensions", "sizes"), ("Encoders", "encoders"), ("Number of prompts", "prompts")]:
        app.query_params["compare"] = tab
        app.switch_page("pages/compare/page.py").run()
        assert not app.exception
        assert "Nothing measured yet." in _texts(app)
        assert not app.button(key=f"{slot}_start").disabled


def test_an_analysis_ends_in_a_plot_and_a_sentence(app: AppTest) -> None:
    app.query_params["compare"] = "Dimensions"
    app.switch_page("pages/compare/page.py").run()
    app.multiselect(key="sizes_notions").set_value(["car color"])
    app.multiselect(key="sizes_methods").set_value(["exact"])
    app.select_slider(key="sizes_range").set_value((4, 8))
    app.number_input(key="sizes_runs").set_value(1)
    app.run()
    app.button(key="sizes_start").click().run()
    assert _job().wait(600)
    app.run()
    assert not app.exception
    runs = compare(embed(read_cars()), [get_notion("car color")], ("exact",), (4, 8), range(1), metrics=("map_at_r",))
    best = runs.loc[runs["map_at_r"].idxmax()]
    assert f"best with InDiReCT (exact) **at {best['dim']} dimensions**: MAP@R **{best['map_at_r']:.3f}**" in _texts(app)
    assert len(app.get("plotly_chart")) == 1


def test_an_encoder_that_is_not_here_is_left_out_with_the_reason_and_can_be_tried_again(app: AppTest) -> None:
    app.query_params["compare"] = "Encoders"
    app.switch_page("pages/compare/page.py").run()
    app.multiselect(key="encoders").set_value(["cars", "local-dir:nowhere"])
    app.multiselect(key="encoders_notions").set_value(["car color"])
    app.number_input(key="encoders_runs").set_value(1)
    app.run()
    app.button(key="encoders_start").click().run()
    assert _job().wait(600)
    app.run()
    assert not app.exception
    assert "best with InDiReCT (exact) **on cars**" in _texts(app)
    assert "Left out: local-dir:nowhere: " in _texts(app)
    assert len(app.get("plotly_chart")) == 1
    assert not app.button(key="encoders_start").disabled
