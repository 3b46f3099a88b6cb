"""The view What changed of the page Compare: what it says is what the package finds."""

import shutil
from pathlib import Path

import pytest

from app_page import Page
from background import jobs
from likeness.comparisons import neighborhood_changes, query_changes, version_changes
from likeness.data import read_cars, read_dataset
from likeness.embedding import embed
from likeness.notions import get_notion
from worlds import car_paths, cars, cars_store, dataset


@pytest.fixture
def view(app: Page) -> Page:
    """The view, car color beside the raw encoder."""
    app.query_params.update({"compare": "What changed", "b": "Car color"})
    return app


def test_without_a_second_space_it_says_what_to_do(app: Page) -> None:
    app.query_params["compare"] = "What changed"
    assert "Choose a space B in the sidebar" in app.open("compare").texts
    assert not jobs().all("neighborhood changes")


def test_images_that_moved_stand_beside_what_is_noise(view: Page) -> None:
    texts = view.open("compare").wait("neighborhood changes").texts
    raw = cars()
    found = neighborhood_changes(raw, raw.refit(get_notion("car color")))
    assert f"an image keeps **{found.kept.mean() * 10:.1f}** in **Car color** on average" in texts
    assert f"A random projection of Raw encoder to 6 dimensions keeps {found.noise.mean() * 10:.1f}" in texts
    assert f"{found.beyond_noise.mean():.0%} of the images keep fewer than in each of 3 such projections" in texts
    view.click("changes_select")
    assert view.session_state["rows"].tolist() == sorted(found.rows[found.most_moved()[:24]].tolist())
    assert len(jobs().all("neighborhood changes")) == 1


def test_searches_are_judged_by_the_notions_label_or_by_another(view: Page) -> None:
    texts = view.open("compare", changes="Searches").wait("query changes").texts
    raw = cars()
    color = raw.refit(get_notion("car color"))
    figures = query_changes(raw, color, "car_color").summary()
    assert view.at("changes_label").value == "car_color"
    assert f"{figures['mean_a']:.3f} in **Raw encoder**, {figures['mean_b']:.3f} in **Car color**" in texts
    assert f"A random projection of Raw encoder to 6 dimensions has {figures['control']:.3f}" in texts
    view.at("changes_label").select("viewpoint")
    view.set("changes_score", "recall_at_1").wait("query changes")
    found = query_changes(raw, color, "viewpoint", "recall_at_1")
    assert f"Recall@1: {found.summary()['mean_a']:.3f} in **Raw encoder**" in view.texts
    assert view.dataframe[0].value["label"].tolist() == found.per_class()["label"].tolist()


def test_searches_are_judged_anew_when_two_images_change_their_labels(view: Page) -> None:
    paths, store = car_paths(), cars_store()
    for kind, some in (("two", paths[:20:2]), ("one", paths[1:20:2])):
        store.set_value(some, "kind", kind, who="me")
    view.session_state["changes_label"] = "kind"
    view.open("compare", changes="Searches").wait("query changes")
    store.set_value(paths[:1], "kind", "one", who="me")
    store.set_value(paths[1:2], "kind", "two", who="me")  # as many of each as before
    view.run()
    assert len(jobs().all("query changes")) == 2


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
    assert "random halves of the old one" in view.texts
    assert view.dataframe[0].value["space"].tolist() == ["Raw encoder", "Car color"]
