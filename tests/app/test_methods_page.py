"""The pages Methods and What changed without a browser: what it asks for, shows and refuses, its table, and what changed between two spaces."""

import shutil
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from app_page import Page
from likeness.comparisons import neighborhood_changes, query_changes, version_changes
from likeness.data import ImageTable, read_cars, read_dataset
from likeness.embedding import embed
from likeness.evaluation import METRICS
from likeness.notions import get_notion
from likeness.slices import find_slices
from likeness.space import Space
from likeness.studies import compare
from server.jobs import jobs
from worlds import car_paths, cars, cars_store, dataset, few_images, show_instead


@pytest.fixture
def page(app: Page) -> Page:
    return app.open("methods")


def _table(app: Page) -> pd.DataFrame:
    return app.dataframe[0].value if app.dataframe else pd.DataFrame()


def _ask(app: Page, notions: list[str], methods: list[str], runs: int) -> Page:
    return app.enter(compare_notions=notions, compare_methods=methods, compare_seeds=runs)


def test_the_table_has_what_compare_gives_and_says_what_does_not_apply_or_can_not_be(page: Page) -> None:
    page.says("Which method is best?")
    assert page.at("compare_notions").value == ["background color", "car color", "car model"]
    assert page.at("compare_dims").value == ["suggested"]
    for key, value, said in (
        ("compare_methods", [], "at least one option"),
        ("compare_notions", [], "at least one option"),
        ("compare_dims", [], "at least one option"),
        ("compare_dims", ["many"], "'many' is not a whole number"),
        ("compare_dims", ["0"], "from 1 to 512"),
        ("compare_dims", ["513"], "this encoder has 512"),
    ):
        assert not page.set(key, value).says(said).has("begin_comparisons")
    page.at("compare_dims").set_value(["suggested", "128"])
    _ask(page, ["car color"], ["pca", "exact"], 1).wait("comparisons")
    shown = _table(page)
    runs = compare(cars(), [get_notion("car color")], ("raw", "exact"), ("suggested", 128), range(1)).set_index(["method", "dim"])
    assert list(runs.index) == [("raw", 512), ("exact", 6), ("exact", 128)]
    assert shown["Method"].tolist() == ["Raw encoder (baseline)", "PCA", "InDiReCT (exact)", "InDiReCT (exact)"]
    shown = shown[shown["Method"] != "PCA"].reset_index(drop=True)
    for metric in ("map_at_r", "precision_at_1", "ami", "mrr"):
        assert [f"{float(value):.3f}" for value in shown[METRICS[metric]]] == [f"{value:.3f}" for value in runs[metric]]
    assert shown["Against raw"][1] == pytest.approx(runs.loc[("exact", 6), "map_at_r"] - runs.loc[("raw", 512), "map_at_r"], abs=1e-3)
    page.says("more than 128 prompts, but there are 17")
    assert not page.has("begin_comparisons")
    assert [button.label for button in page.get("download_button")] == ["Download CSV", "Download Markdown", "Download LaTeX"]


def test_a_stop_keeps_what_is_finished(page: Page) -> None:
    _ask(page, ["car color", "car model", "viewpoint"], ["random"], 10).click("begin_comparisons")
    (job,) = jobs().all("comparisons")
    page.press("Stop").wait("comparisons").says(f"of {job.total} runs; the finished runs are shown below")
    assert job.done < job.total
    assert "Try again" in page.labels


def test_one_question_of_two_visitors_is_one_job_and_other_settings_have_their_own(page: Page) -> None:
    _ask(page, ["car color"], ["random"], 2).click("begin_comparisons")
    assert len(_table(_ask(page.fresh().open("methods"), ["car color"], ["random"], 2)))
    assert len(jobs().all("comparisons")) == 1
    assert not len(_table(_ask(page.wait("comparisons"), ["car color"], ["random"], 3)))
    assert page.has("begin_comparisons")
    assert len(_table(_ask(page, ["car color"], ["random"], 2)))


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
    assert page.has("begin_comparisons")
    for columns, reads_text, said in (
        ({}, True, "these images have no labels"),
        ({"shelf": ["a", "b"]}, True, "no notion uses them"),
        ({"car_color": ["red", "blue"]}, False, "an encoder that reads text"),
    ):
        space = few_images(columns, 2)
        show_instead(monkeypatch, space.replace(embed_texts=(lambda texts: np.eye(4, dtype=np.float32)[: len(texts)]) if reads_text else None))
        assert said in page.run().texts
        assert not page.has("begin_comparisons")


def test_analyses_end_in_a_plot_and_a_sentence_also_without_an_encoder_that_is_not_here(app: Page) -> None:
    assert app.open("methods", compare="Number of prompts").says("How many prompts are enough?").has("begin_comparisons")
    app = app.fresh().open("methods", compare="Dimensions")
    app.enter(sizes_notions=["car color"], sizes_methods=["exact"], sizes_range=(4, 8), sizes_runs=1).wait("comparisons")
    runs = compare(cars(), [get_notion("car color")], ("exact",), (4, 8), range(1), metrics=("map_at_r",))
    best = runs.loc[runs["map_at_r"].idxmax()]
    app.says(f"best with InDiReCT (exact) **at {best['dim']} dimensions**: MAP@R **{best['map_at_r']:.3f}**")
    assert len(app.charts) == 1
    app = app.fresh().open("methods", compare="Encoders")
    app.enter(encoders=["cars", "local-dir:nowhere"], encoders_notions=["car color"], encoders_runs=1).wait("comparisons")
    app.says("best with InDiReCT (exact) **on cars**", "Left out: local-dir:nowhere: ")
    assert len(app.charts) == 1


@pytest.fixture
def view(app: Page) -> Page:
    """The view, car color beside the raw encoder."""
    app.query_params.update({"b": "Car color"})
    return app


def test_images_that_moved_stand_beside_what_is_noise(view: Page) -> None:
    view.open("what_changed", b="None").says("choose two different spaces")
    assert not jobs().all("neighborhood changes")
    view.set("b", "car color").says("Which images have other neighbors?")
    assert not jobs().all("neighborhood changes")  # it computes only when asked
    view.wait("neighborhood changes")
    raw = cars()
    found = neighborhood_changes(raw, raw.refit(get_notion("car color")))
    view.says(
        f"**{found.kept.mean() * 10:.1f} of the 10**",
        f"to 6 dimensions keeps {found.noise.mean() * 10:.1f}",
        f"{found.beyond_noise.mean():.0%} of the images",
    )
    view.click("changes_select")
    assert view.session_state["rows"].tolist() == sorted(found.rows[found.most_moved()[:24]].tolist())
    assert len(jobs().all("neighborhood changes")) == 1


def test_searches_without_labels_lead_to_the_page_label_also_with_one_map(app: Page, monkeypatch: pytest.MonkeyPatch) -> None:
    show_instead(monkeypatch, few_images({}))
    app.open("what_changed", changes="Searches").says("Label or tag some images first.").hides("two different spaces")
    assert [link.proto.label for link in app.links] == ["Label images"]


def test_searches_are_judged_by_the_notions_label_by_another_and_anew_when_labels_change(view: Page) -> None:
    view.open("what_changed", changes="Searches").wait("query changes")
    raw = cars()
    color = raw.refit(get_notion("car color"))
    figures = query_changes(raw, color, "car_color").summary()
    assert view.at("changes_label").value == "car_color"
    view.says(f"**Raw encoder** {figures['mean_a']:.3f}, **Car color** {figures['mean_b']:.3f}")
    view.says(f"to 6 dimensions reaches {figures['control']:.3f}")
    view.at("changes_label").select("viewpoint")
    view.set("changes_score", "recall_at_1").wait("query changes")
    found = query_changes(raw, color, "viewpoint", "recall_at_1")
    view.says(f"**Raw encoder** {found.summary()['mean_a']:.3f}")
    assert view.dataframe[0].value["label"].tolist() == found.per_class()["label"].tolist()
    paths, store = car_paths(), cars_store()
    for kind, some in (("two", paths[:20:2]), ("one", paths[1:20:2])):
        store.set_value(some, "kind", kind, who="me")
    view.run().set("changes_label", "kind").wait("query changes")
    before = jobs().all("query changes")[-1]
    store.set_value(paths[:1], "kind", "one", who="me")
    store.set_value(paths[1:2], "kind", "two", who="me")  # as many of each as before
    view.run().wait("query changes")
    assert jobs().all("query changes")[-1] is not before


def test_slices_of_a_models_errors_are_listed_and_one_is_selected(app: Page, monkeypatch: pytest.MonkeyPatch) -> None:
    kind = np.array(["good", "bad", "fine", "fair"] * 60)
    truth = np.array([f"class {number % 7}" for number in range(240)])
    guess = np.where((kind == "bad") & (np.arange(240) % 8 == 1), "class 9", truth)
    space = show_instead(monkeypatch, few_images({"kind": kind, "truth": truth, "guess": guess, "loss": (kind == "good") * 1.0}, 240))
    app.open("what_changed", changes="Errors of a model").says("column with the model's predictions")
    app.set("slices_predicted", "guess").wait("slices")
    assert "holds labels; name the column of true labels" in app.texts
    app.set("slices_actual", "guess").says("Choose each column once.")
    app.set("slices_actual", "truth").wait("slices")
    found = find_slices(space, "guess", "truth")
    assert found.table["name"].tolist() == ["kind: bad"]
    app.says(found.answer)
    (section,) = app.sent("slice_0")["sections"]
    wrong = np.flatnonzero(guess != truth)
    assert (section["title"], section["rows"]) == ("Kind: bad", wrong[:12].tolist())
    assert section["captions"][0] == f"class 9 → {truth[wrong[0]]}"
    app.click("make_report_slices")
    report = jobs().all("report")[-1]
    report.wait()
    assert b'["Kind: bad","Mean error ' in report.result
    app.run().click("slice_select_0")
    assert app.session_state["rows"].tolist() == np.flatnonzero(kind == "bad").tolist()
    app.set("slices_actual", None).set("slices_predicted", "loss").wait("slices").says("in 1 of")


def test_without_columns_the_page_says_what_to_add(app: Page, monkeypatch: pytest.MonkeyPatch) -> None:
    show_instead(monkeypatch, few_images({}))
    app.open("what_changed", changes="Errors of a model").says("no column with a model's")


def test_another_version_is_told_by_paths_and_contents_and_whether_it_drifted(view: Page, tmp_path: Path) -> None:
    ids = {}
    for version, rows in {"old": range(30), "new": range(5, 40)}.items():
        (tmp_path / version).mkdir()
        for row in rows:
            shutil.copy(read_cars().file(row), tmp_path / version)
        ids[version] = dataset(tmp_path / version).id
        embed(read_dataset(tmp_path / version), "cars")
    view.query_params["changes"] = "Another version"
    view.query_params["dataset"] = ids["new"]
    view.open("what_changed").set("changes_version", ids["old"]).wait("version changes")
    counts = version_changes(read_dataset(tmp_path / "old"), read_dataset(tmp_path / "new")).counts().set_index("change")["images"]
    assert [int(metric.value) for metric in view.metric] == [counts[state] for state in ("came", "went", "changed", "renamed", "same")]
    assert (counts["came"], counts["went"], counts["same"]) == (10, 5, 25)
    view.says("Not drifted", "**Raw encoder**, **Car color**")
    assert {"auc", "chance"} < set(view.dataframe[0].value)
    assert view.dataframe[0].value["space"].tolist() == ["Raw encoder", "Car color"]
