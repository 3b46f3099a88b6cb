"""The page Semantics without a browser: what it measures of one space and of two, the class that asks, and what it says where it can't."""

from pathlib import Path

import numpy as np
import pytest

from app_page import Page
from likeness.data import read_cars
from likeness.evaluation import Semantics, most_changed, retrieved_classes, semantics
from likeness.language import class_similarities
from likeness.notions import get_notion
from likeness.space import Space
from likeness.studies import SemanticClasses, classes_of
from server.jobs import jobs
from worlds import cars, few_images, serve, show_instead, visit

BODY = ["body_type"]


@pytest.fixture
def page(app: Page) -> Page:
    """The page with body types as classes, which are few."""
    app.session_state["semantic_classes"] = BODY
    return _measured(app.open("semantics"))


def _measured(app: Page) -> Page:
    return app.wait("semantics")


def _classes(attributes: list[str]) -> SemanticClasses:
    return classes_of(read_cars(), attributes, None, 2)


def _expected(space: Space | None = None) -> Semantics:
    space, classes = space or cars(), _classes(BODY)
    return semantics(space.vectors[classes.rows], classes.labels, class_similarities(classes.names, ["minilm"]), classes.names)


def _metrics(app: Page) -> dict[str, tuple[str, str]]:
    return {metric.label: (metric.value, metric.delta) for metric in app.metric}


def _shown(found: Semantics) -> dict[str, float]:
    return {
        "Agreement with language": found.rank_correlation,
        "Relatedness of errors": found.retrieval.relatedness,
        "Same class": found.retrieval.own_share,
        "Divergence": found.images.mean,
    }


def _bars(app: Page) -> set[str]:
    (traces,) = app.charts
    return {name for trace in traces for name in [*trace.get("y", [])] if isinstance(name, str)}


def test_one_space_has_the_figures_that_python_gives(page: Page) -> None:
    expected = _expected()
    assert _metrics(page) == {name: (f"{value:.3f}", "") for name, value in _shown(expected).items()}
    page.says(f"would have a relatedness of {expected.retrieval.random_relatedness:.3f}.", "Choose a space for the right map")
    per_class = expected.retrieval.per_class.sort_values("errors", ascending=False, kind="stable")
    suggested = page.at("semantic_suggested")  # the class that asks is at first the one most often mistaken
    assert (suggested.options, suggested.label) == (per_class["class"].tolist(), "Most often confused")
    assert page.at("semantic_query").value == per_class["class"].iloc[0]
    for query in ("van", "pickup"):
        page.set("semantic_query", query).says(f"The 20 nearest neighbors of every image of **{query}**")
        near = retrieved_classes({"Raw encoder": expected.retrieval}, query, 5)
        assert _bars(page) == {f"{name} ({similarity:.2f})" for name, similarity in zip(near["class"], near["language_similarity"], strict=True)}
    last = page.at("semantic_suggested").options[-1]
    for chosen in (last, None):  # a suggestion becomes the class that asks, and stays it
        assert page.set("semantic_suggested", chosen).at("semantic_query").value == last
    assert all(difference == "" for _, difference in _metrics(_measured(page.set("b", "Raw encoder"))).values())  # the same space twice is one


def test_of_two_spaces_it_says_how_far_and_where_they_differ(page: Page) -> None:
    _measured(page.set("b", "car color")).hides("Choose a space for the right map")
    raw, color = _expected(), _expected(cars().refit(get_notion("car color")))
    a, b = _shown(raw), _shown(color)
    for name, (value, difference) in _metrics(page).items():
        assert value == f"{a[name]:.3f}"
        assert float(difference) == pytest.approx(a[name] - b[name], abs=2e-3)
    suggested = page.at("semantic_suggested")
    assert suggested.label == "Where the spaces differ most"
    assert suggested.options == most_changed(raw.retrieval, color.retrieval, 8)["class"].tolist()
    page.session_state["semantics"] = "Every class"
    table, per_class = page.run().dataframe[0].value, raw.per_class.set_index("class")
    assert table["Images"].to_dict() == per_class["images"].to_dict()
    np.testing.assert_allclose(table["Same class, Raw encoder"], per_class["own"], atol=1e-6)
    assert "Relatedness of errors, Car color" in table
    page.session_state["semantics"] = page.query_params["semantics"] = "Similarities"  # one alone may be overruled by the other
    for name, panels in (("car color", 3), ("Raw encoder", 2)):
        assert [trace["type"] for trace in _measured(page.set("b", name)).charts[0]] == ["heatmap"] * panels  # of language and of each space


def test_the_shipped_images_have_combined_classes_at_first_and_others_when_chosen(app: Page) -> None:
    app.open("semantics").wait("semantics")
    assert app.at("semantic_classes").value == ["car_color", "body_type"]
    assert app.at("semantic_query").options == _classes(["car_color", "body_type"]).names
    names = _classes(["car_color"]).names
    assert _measured(app.set("semantic_classes", ["car_color"])).at("semantic_query").value in names
    assert set(app.at("semantic_suggested").options) <= set(names)


def test_without_classes_or_a_language_model_that_is_here_it_measures_nothing(page: Page, monkeypatch: pytest.MonkeyPatch) -> None:
    for key in ("semantic_classes", "semantic_language"):
        before = page.at(key).value
        assert not page.set(key, []).says("at least one label").metric
        page.set(key, before)
    page.at("semantic_language").options.append("no-such-model")
    assert "no-such-model" in _measured(page.set("semantic_language", ["no-such-model"])).errors[0]
    assert not page.metric
    assert len(_measured(page.set("semantic_language", ["minilm"])).metric) == 4
    for columns in ({}, {"camera": ["a", "b"] * 4}):  # what a camera wrote defines no classes
        show_instead(monkeypatch, few_images(columns))
        assert [link.proto.label for link in page.run().links] == ["Add images with labels"]
    show_instead(monkeypatch, few_images({"class": ["cat"] * 4 + ["dog"] * 4, "weight": np.linspace(0, 1, 8)}))
    assert _measured(page.run().set("semantic_classes", ["class"])).at("semantic_query").options == ["cat", "dog"]


def test_too_few_classes_are_told_and_few_images_ask_for_all_the_others(app: Page, monkeypatch: pytest.MonkeyPatch) -> None:
    for labels, said in ((["cat"] * 7 + ["dog"], "only the class 'cat'"), (list("abcdefgh"), "There is no class among the selected images")):
        show_instead(monkeypatch, few_images({"class": labels}))
        assert said in app.open("semantics").texts
        assert not app.metric
    show_instead(monkeypatch, few_images({"class": ["cat"] * 4 + ["dog"] * 3 + ["cow"]}))
    assert "The 6 nearest neighbors of every image of" in _measured(app.run()).texts
    assert app.at("semantic_query").options == ["cat", "dog"]
    space = few_images({"class": ["cat"] * 30 + ["dog"] * 30}, n=60)  # a class that is never mistaken
    show_instead(monkeypatch, space.replace(vectors=np.repeat(np.eye(4, dtype=np.float32)[:2], 30, axis=0)))
    assert "Only cat is found" in _measured(app.run()).texts
    assert [_metrics(app)[name] for name in ("Relatedness of errors", "Same class")] == [("none", ""), ("1.000", "")]


def test_on_a_shared_server_the_default_language_model_measures(app: Page, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from server.access import confine_server

    serve(monkeypatch, shared=True, roots=[str(tmp_path)])
    visit(monkeypatch)
    confine_server()
    app.session_state["semantic_classes"] = BODY
    assert app.open("semantics").wait("semantics").at("semantic_language").value == ["minilm"]
    assert app.errors == [job.error for job in jobs().all("semantics") if job.error] == []
    assert app.metric
