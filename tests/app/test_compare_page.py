"""The page Compare without a browser: what it asks for, shows and refuses, its table, and what changed between two spaces."""

import re
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from app_page import Page
from background import jobs
from likeness.comparisons import neighborhood_changes, query_changes, version_changes
from likeness.data import ImageTable, read_cars, read_dataset
from likeness.embedding import embed
from likeness.evaluation import METRICS
from likeness.notions import METHODS, NotionMethod, get_notion
from likeness.space import Space
from likeness.studies import compare
from pages.compare import request as request_module
from pages.compare.table import Line, Results, printed, table_html
from worlds import car_paths, cars, cars_store, dataset, few_images, show_instead


@pytest.fixture
def page(app: Page) -> Page:
    return app.open("compare")


def _table(app: Page) -> str:
    return "".join(element.proto.body for element in app.get("html") if "comparison" in element.proto.body)


def _ask(app: Page, notions: list[str], methods: list[str], runs: int) -> Page:
    return app.enter(compare_notions=notions, compare_methods=methods, compare_seeds=runs)


def test_the_table_has_what_compare_gives_and_says_what_does_not_apply_or_can_not_be(page: Page) -> None:
    page.says("Nothing compared yet.")
    assert page.at("compare_notions").value == ["background color", "car color", "car model"]
    assert page.at("compare_dims").value == ["suggested"]
    for key, value, said in (
        ("compare_dims", [], "Choose at least one number of dimensions"),
        ("compare_dims", ["many"], "'many' is not a whole number"),
        ("compare_dims", ["0"], "from 1 to 512"),
        ("compare_dims", ["513"], "this encoder has 512"),
        ("compare_methods", [], "Choose at least one method"),
        ("compare_notions", [], "Choose at least one notion"),
    ):
        assert page.set(key, value).says(said).at("compare_start").disabled
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
    page.press("Stop").wait("comparisons").says(f"of {job.total} runs; what was finished is shown below")
    assert job.done < job.total
    assert not page.at("compare_start").disabled


def test_one_question_of_two_visitors_is_one_job_and_changed_settings_leave_its_result(page: Page) -> None:
    _ask(page, ["car color"], ["random"], 2).click("compare_start")
    assert _table(_ask(page.fresh().open("compare"), ["car color"], ["random"], 2))
    assert len(jobs().all("comparisons")) == 1
    _ask(page.wait("comparisons"), ["car color"], ["random"], 3).says("The settings have changed")
    assert (bool(_table(page)), page.at("compare_start").disabled) == (True, False)


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


def test_analyses_end_in_a_plot_and_a_sentence_also_without_an_encoder_that_is_not_here(app: Page) -> None:
    assert not app.open("compare", compare="Number of prompts").says("Nothing measured yet.").at("prompts_start").disabled
    app = app.fresh().open("compare", compare="Dimensions")
    app.enter(sizes_notions=["car color"], sizes_methods=["exact"], sizes_range=(4, 8), sizes_runs=1).click("sizes_start").wait("comparisons")
    runs = compare(cars(), [get_notion("car color")], ("exact",), (4, 8), range(1), metrics=("map_at_r",))
    best = runs.loc[runs["map_at_r"].idxmax()]
    app.says(f"best with InDiReCT (exact) **at {best['dim']} dimensions**: MAP@R **{best['map_at_r']:.3f}**")
    assert len(app.charts) == 1
    app = app.fresh().open("compare", compare="Encoders")
    app.enter(encoders=["cars", "local-dir:nowhere"], encoders_notions=["car color"], encoders_runs=1).click("encoders_start").wait("comparisons")
    app.says("best with InDiReCT (exact) **on cars**", "Left out: local-dir:nowhere: ")
    assert (len(app.charts), app.at("encoders_start").disabled) == (1, False)


@pytest.fixture
def view(app: Page) -> Page:
    """The view, car color beside the raw encoder."""
    app.query_params.update({"compare": "What changed", "b": "Car color"})
    return app


def test_images_that_moved_stand_beside_what_is_noise(view: Page) -> None:
    view.open("compare", b="None").says("Choose a space B in the sidebar")
    assert not jobs().all("neighborhood changes")
    view.set("b", "car color").wait("neighborhood changes")
    raw = cars()
    found = neighborhood_changes(raw, raw.refit(get_notion("car color")))
    view.says(
        f"an image keeps **{found.kept.mean() * 10:.1f}** in **Car color** on average",
        f"A random projection of Raw encoder to 6 dimensions keeps {found.noise.mean() * 10:.1f}",
        f"{found.beyond_noise.mean():.0%} of the images keep fewer than in each of 3 such projections",
    )
    view.click("changes_select")
    assert view.session_state["rows"].tolist() == sorted(found.rows[found.most_moved()[:24]].tolist())
    assert len(jobs().all("neighborhood changes")) == 1


def test_searches_are_judged_by_the_notions_label_by_another_and_anew_when_labels_change(view: Page) -> None:
    view.open("compare", changes="Searches").wait("query changes")
    raw = cars()
    color = raw.refit(get_notion("car color"))
    figures = query_changes(raw, color, "car_color").summary()
    assert view.at("changes_label").value == "car_color"
    view.says(f"{figures['mean_a']:.3f} in **Raw encoder**, {figures['mean_b']:.3f} in **Car color**")
    view.says(f"A random projection of Raw encoder to 6 dimensions has {figures['control']:.3f}")
    view.at("changes_label").select("viewpoint")
    view.set("changes_score", "recall_at_1").wait("query changes")
    found = query_changes(raw, color, "viewpoint", "recall_at_1")
    view.says(f"Recall@1: {found.summary()['mean_a']:.3f} in **Raw encoder**")
    assert view.dataframe[0].value["label"].tolist() == found.per_class()["label"].tolist()
    paths, store = car_paths(), cars_store()
    for kind, some in (("two", paths[:20:2]), ("one", paths[1:20:2])):
        store.set_value(some, "kind", kind, who="me")
    view.run().set("changes_label", "kind").wait("query changes")
    before = jobs().all("query changes")[-1]
    store.set_value(paths[:1], "kind", "one", who="me")
    store.set_value(paths[1:2], "kind", "two", who="me")  # as many of each as before
    view.run()
    assert jobs().all("query changes")[-1] is not before


def test_another_version_is_told_by_paths_contents_and_distances(view: Page, tmp_path: Path) -> None:
    ids = {}
    for version, rows in {"old": range(30), "new": range(5, 40)}.items():
        (tmp_path / version).mkdir()
        for row in rows:
            shutil.copy(read_cars().file(row), tmp_path / version)
        ids[version] = dataset(tmp_path / version).id
        embed(read_dataset(tmp_path / version), "cars")
    view.query_params["changes"] = "Another version"
    view.query_params["dataset"] = ids["new"]
    view.open("compare").set("changes_version", ids["old"]).wait("version changes")
    counts = version_changes(read_dataset(tmp_path / "old"), read_dataset(tmp_path / "new")).counts().set_index("change")["images"]
    assert {metric.label.lower(): int(metric.value) for metric in view.metric} == {state: counts[state] for state in counts.index}
    assert (counts["came"], counts["went"], counts["same"]) == (10, 5, 25)
    view.says("random halves of the old one")
    assert view.dataframe[0].value["space"].tolist() == ["Raw encoder", "Car color"]


LINES = [Line("car color", *rest) for rest in [("raw", 512, 1), ("pca", 128, 1), ("exact", 128, 2), ("oracle", 128, 2)]]


def _run(method: str, dim: int, seed: int, value: float, refused: str = "") -> dict[str, object]:
    figures = dict.fromkeys(METRICS, float("nan") if refused else value)
    return {"notion": "car color", "method": method, "dim": dim, "seed": seed, "fit_seconds": 0.004, "refused": refused} | figures


@pytest.fixture
def runs() -> pd.DataFrame:
    refused = _run("pca", 128, 0, 0.0, "PCA needs more than 128 prompts, but there are <17>.")
    exact, oracle = (
        [_run(name, 128, seed, value) for seed, value in enumerate(values)] for name, values in (("exact", (0.3, 0.4)), ("oracle", (0.9, 0.9)))
    )
    return pd.DataFrame([_run("raw", 512, 0, 0.25), refused, *exact, *oracle])


def _rows(html: str) -> dict[str, str]:
    """Method -> HTML of its row."""
    rows = re.findall(r"<tr class=\"[^\"]*\"><th scope=\"row\".*?</tr>", html)
    return {re.search(r"class=\"tip\">([^<]+)<", row)[1]: row for row in rows}


def _words(html: str) -> str:
    return re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", html))


def _html(runs: pd.DataFrame, lines: list[Line] = LINES, **more: Any) -> str:
    return table_html(Results(lines, runs), "map_at_r", {}, **more)


def test_a_row_has_mean_deviation_and_the_difference_to_the_raw_encoder(runs: pd.DataFrame) -> None:
    rows = _rows(_html(runs))
    exact = rows["InDiReCT (exact)"]
    assert "▲ +0.100" in exact
    assert _words(exact).count("0.350 ± 0.050") == len(METRICS)  # the deviation of .3 and .4 is .05
    assert "4 ms" in exact
    assert "Does not apply: PCA needs more than 128 prompts, but there are &lt;17&gt;." in rows["PCA"]
    runs.loc[runs["method"] == "exact", "map_at_r"] = 0.1
    runs.loc[runs["method"] == "exact", "ami"] = -0.0004
    assert "▼ −0.150" in _rows(_html(runs))["InDiReCT (exact)"]
    assert "−0.000" not in table_html(Results(LINES, runs), "ami", {})


def test_dimensions_that_nobody_chooses_are_shown_once_a_run_has_them() -> None:
    lines = [Line("car color", "raw", None, 1), Line("car color", "scaled-pca", None, 1), Line("car color", "exact", 6, 2)]
    assert '<td class="number"></td>' in _rows(_html(pd.DataFrame(), lines))["Scaled PCA"]
    html = _html(pd.DataFrame([_run("raw", 512, 0, 0.25), _run("scaled-pca", 16, 0, 0.5)]), lines)
    rows = _rows(html)
    assert '<td class="number">16</td>' in rows["Scaled PCA"]
    assert _words(rows["Scaled PCA"]).count("0.500") == len(METRICS)
    assert '<td class="number">512</td>' in rows["Raw encoder"]
    assert "with 16 dimensions, +0.250 against the raw encoder" in html


@pytest.mark.parametrize("method", [method for method in METHODS.values() if method.name not in request_module._SLOW], ids=lambda method: method.name)
def test_a_request_expects_the_runs_that_come(method: NotionMethod, monkeypatch: pytest.MonkeyPatch) -> None:
    base, notion = cars(), get_notion("viewpoint")
    monkeypatch.setattr(request_module.cached, "dim_of", lambda dataset, notion: 5)
    request = request_module.Request("cars", (notion,), tuple(dict.fromkeys(("raw", method.name))), ("suggested",), 2)
    found = Results(request.lines(), compare(base, [notion], request.methods, request.dims, range(2), metrics=["map_at_r"]))
    assert found.refused or found.is_complete("viewpoint", "map_at_r")
    assert set(found.widths) | set(found.refused) == set(found.lines)


def test_the_best_is_bold_and_named_but_never_the_oracle(runs: pd.DataFrame) -> None:
    rows = _rows(_html(runs))
    assert rows["InDiReCT (exact)"].count("<b>0.350</b>") == len(METRICS)
    assert "<b>" not in rows["Oracle"] + rows["Raw encoder"]
    assert "Best: InDiReCT (exact) with 128 dimensions, +0.100 against the raw encoder." in _html(runs)
    runs.loc[runs["method"] == "exact", list(METRICS)] = 0.2504  # a tie
    assert all("<b>0.250</b>" in _rows(_html(runs))[method] for method in ("Raw encoder", "InDiReCT (exact)"))
    none = "Nothing is better than the raw encoder."
    assert none in _html(runs)
    runs.loc[runs["method"] == "exact", list(METRICS)] = 0.1
    assert [none in _html(some) for some in (runs, runs[runs["seed"] == 0], runs[runs["method"] != "exact"])] == [True, False, False]


def test_rows_stand_before_their_runs_and_are_marked_until_all_are_there_with_names_escaped(runs: pd.DataFrame) -> None:
    assert _html(pd.DataFrame()).count('class="waiting ') == len(LINES)
    assert _html(runs[runs["seed"] == 0]).count('class="partial ') == 2
    assert 'class="partial' not in _html(runs)
    line = Line("<i>red</i>", "raw", 512, 1)
    html = table_html(Results([line], pd.DataFrame()), "map_at_r", {line.notion: "<b>about</b>"})
    assert "<i>red" not in html
    assert "<b>about" not in html


def test_the_papers_figures_stand_in_a_second_line_at_its_own_size_only(runs: pd.DataFrame) -> None:
    frame = pd.DataFrame([{"dataset": "Synthetic Cars", "notion": "car color", "metric": "map_at_r", "method": "exact", "mean": 0.091, "std": 0.001}])
    rows = _rows(_html(runs, paper=printed(frame)))
    assert '<span class="printed">0.091 <small>± 0.001</small></span>' in rows["InDiReCT (exact)"]
    assert "printed" not in rows["Oracle"]
    lines = [Line("car color", "raw", 512, 1), Line("car color", "exact", 8, 2)]
    assert "printed" not in _html(runs.replace({"dim": {128: 8}}), lines, paper=printed(frame))
