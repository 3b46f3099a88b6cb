"""The page Semantics without a browser: what it measures of one space and of two, the class that asks, and what it says where it can't."""

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from streamlit.testing.v1 import AppTest

from background import jobs
from likeness.data import ImageTable, read_cars
from likeness.embedding import embed
from likeness.evaluation import Semantics, most_changed, retrieved_classes, semantics
from likeness.language import class_similarities
from likeness.notions import get_notion
from likeness.space import Space
from likeness.studies import SemanticClasses, classes_of

BODY = ["body_type"]


@pytest.fixture
def page(app: AppTest) -> AppTest:
    """The page with body types as classes, which are few."""
    app.session_state["semantic_classes"] = BODY
    return _finished(app.switch_page("pages/semantics/page.py").run())


def _texts(app: AppTest) -> str:
    return "\n".join(element.value for kind in (app.markdown, app.caption, app.error, app.warning, app.info) for element in kind)


def _finished(app: AppTest) -> AppTest:
    for job in jobs().all("semantics"):
        assert job.wait(600)
    app.run()
    assert not app.exception
    return app


def _choose_b(app: AppTest, name: str) -> AppTest:
    app.selectbox(key="b").select(name).run()
    return _finished(app)


def _open(app: AppTest, tab: str) -> AppTest:
    app.session_state["semantics"] = tab
    return _finished(app)


def _classes(attributes: list[str]) -> SemanticClasses:
    return classes_of(read_cars(), attributes, None, 2)


def _expected(space: Space, classes: SemanticClasses) -> Semantics:
    language = class_similarities(classes.names, ["minilm"])
    return semantics(space.vectors[classes.rows], classes.labels, language, classes.names)


def _raw() -> Space:
    return embed(read_cars())


def _car_color() -> Space:
    return _raw().refit(get_notion("car color"))


def _metrics(app: AppTest) -> dict[str, tuple[str, str]]:
    return {metric.label: (metric.value, metric.delta) for metric in app.metric}


def _shown(found: Semantics) -> dict[str, float]:
    return {
        "Order of the classes": found.rank_correlation,
        "Relatedness of errors": found.retrieval.relatedness,
        "Of the same class": found.retrieval.own_share,
        "Divergence": found.images.mean,
    }


def test_one_space_has_the_figures_that_python_gives(page: AppTest) -> None:
    expected = _expected(_raw(), _classes(BODY))
    assert _metrics(page) == {name: (f"{value:.3f}", "") for name, value in _shown(expected).items()}
    assert f"Figures for Raw encoder. For random images, the relatedness would be {expected.retrieval.random_relatedness:.3f}." in _texts(page)
    assert "Choose a space B in the sidebar" in _texts(page)


def test_of_two_spaces_it_says_how_far_they_differ(page: AppTest) -> None:
    _choose_b(page, "car color")
    a, b = (_shown(_expected(space, _classes(BODY))) for space in (_raw(), _car_color()))
    for name, (value, difference) in _metrics(page).items():
        assert value == f"{a[name]:.3f}"
        assert float(difference) == pytest.approx(a[name] - b[name], abs=2e-3)
    assert "Figures for Raw encoder, and the difference from Car color." in _texts(page)
    assert "Choose a space B in the sidebar" not in _texts(page)


def test_the_same_space_twice_is_one(page: AppTest) -> None:
    _choose_b(page, "Raw encoder")
    assert all(difference == "" for _, difference in _metrics(page).values())


def test_the_shipped_images_have_combined_classes_at_first(app: AppTest) -> None:
    _finished(app.switch_page("pages/semantics/page.py").run())
    assert app.multiselect(key="semantic_classes").value == ["car_color", "body_type"]
    assert app.selectbox(key="semantic_query").options == _classes(["car_color", "body_type"]).names
    assert "red pickup" in app.selectbox(key="semantic_query").options


def test_the_class_that_asks_is_at_first_the_one_most_often_mistaken(page: AppTest) -> None:
    found = _expected(_raw(), _classes(BODY))
    per_class = found.retrieval.per_class.sort_values("errors", ascending=False, kind="stable")
    assert page.pills(key="semantic_suggested").options == per_class["class"].tolist()
    assert page.selectbox(key="semantic_query").value == per_class["class"].iloc[0]
    assert page.pills(key="semantic_suggested").label == "Most often confused"


def _bars(app: AppTest) -> set[str]:
    import json

    (chart,) = app.get("plotly_chart")
    return {name for trace in json.loads(chart.proto.spec)["data"] for name in [*trace.get("y", [])] if isinstance(name, str)}


def test_another_class_asks_for_its_own_neighbors(page: AppTest) -> None:
    found = _expected(_raw(), _classes(BODY))
    for query in ("van", "pickup"):
        page.selectbox(key="semantic_query").select(query).run()
        assert not page.exception
        assert f"The 20 nearest neighbors of all images of **{query}**." in _texts(page)
        expected = retrieved_classes({"Raw encoder": found.retrieval}, query, 5)
        named = zip(expected["class"], expected["language_similarity"], strict=True)
        assert _bars(page) == {f"{name} ({similarity:.2f})" for name, similarity in named}


def test_a_suggestion_becomes_the_class_that_asks(page: AppTest) -> None:
    last = page.pills(key="semantic_suggested").options[-1]
    page.pills(key="semantic_suggested").set_value(last).run()
    assert page.selectbox(key="semantic_query").value == last
    page.pills(key="semantic_suggested").set_value(None).run()
    assert not page.exception
    assert page.selectbox(key="semantic_query").value == last


def test_with_a_space_b_the_suggestions_are_where_they_differ_most(page: AppTest) -> None:
    page.pills(key="semantic_suggested").set_value(page.pills(key="semantic_suggested").options[-1]).run()
    _choose_b(page, "car color")
    a, b = (_expected(space, _classes(BODY)).retrieval for space in (_raw(), _car_color()))
    assert page.pills(key="semantic_suggested").label == "Where the spaces differ most"
    assert page.pills(key="semantic_suggested").options == most_changed(a, b, 8)["class"].tolist()


def test_other_classes_replace_the_class_that_asks(page: AppTest) -> None:
    page.multiselect(key="semantic_classes").set_value(["car_color"]).run()
    _finished(page)
    assert page.selectbox(key="semantic_query").value in _classes(["car_color"]).names
    assert set(page.pills(key="semantic_suggested").options) <= set(_classes(["car_color"]).names)


def test_the_similarities_are_one_panel_for_language_and_one_for_each_space(page: AppTest) -> None:
    import json

    _open(page, "Similarities")
    (chart,) = page.get("plotly_chart")
    assert [trace["type"] for trace in json.loads(chart.proto.spec)["data"]] == ["heatmap"] * 2
    _choose_b(page, "car color")
    (chart,) = page.get("plotly_chart")
    assert [trace["type"] for trace in json.loads(chart.proto.spec)["data"]] == ["heatmap"] * 3


def test_every_class_has_its_row(page: AppTest) -> None:
    _open(page, "Every class")
    _choose_b(page, "car color")
    table = page.dataframe[0].value.set_index("Class")
    per_class = _expected(_raw(), _classes(BODY)).per_class.set_index("class")
    assert table["Images"].to_dict() == per_class["images"].to_dict()
    np.testing.assert_allclose(table["Same class, Raw encoder"], per_class["own"], atol=1e-6)
    assert "Relatedness of errors, Car color" in table


def test_without_classes_or_a_language_model_it_asks_for_them(page: AppTest) -> None:
    for key in ("semantic_classes", "semantic_language"):
        before = page.multiselect(key=key).value
        page.multiselect(key=key).set_value([]).run()
        assert not page.exception
        assert "Choose what makes a class, and a language model." in _texts(page)
        assert not page.metric
        page.multiselect(key=key).set_value(before).run()
    assert len(_finished(page).metric) == 4


def test_a_language_model_that_is_not_here_is_told_in_a_sentence(page: AppTest) -> None:
    field = page.multiselect(key="semantic_language")
    field.options.append("no-such-model")
    field.set_value(["no-such-model"]).run()
    _finished(page)
    assert "no-such-model" in page.error[0].value
    assert not page.metric
    page.multiselect(key="semantic_language").set_value(["minilm"]).run()
    assert len(_finished(page).metric) == 4


def _other_images(monkeypatch: pytest.MonkeyPatch, attributes: dict[str, Any], n: int = 8) -> None:
    import streamlit as st

    from shared import cached

    st.cache_resource.clear()
    frame = pd.DataFrame({"path": [f"{number}.png" for number in range(n)], **attributes})
    vectors = np.random.default_rng(0).normal(size=(n, 4)).astype(np.float32)
    space = Space(vectors / np.linalg.norm(vectors, axis=1, keepdims=True), ImageTable("few", Path("."), frame), name="Raw encoder")
    monkeypatch.setattr(cached, "base", lambda _: space.replace(encoder="cars"))


def test_images_without_labels_say_what_to_bring(page: AppTest, monkeypatch: pytest.MonkeyPatch) -> None:
    _other_images(monkeypatch, {})
    page.run()
    assert not page.exception
    assert "these images have no labels" in _texts(page)
    assert [link.proto.label for link in page.get("page_link")] == ["Bring images with labels"]


@pytest.mark.parametrize(
    ("labels", "said"),
    [
        (["cat"] * 8, "There is only the class 'cat' among the images"),
        (list("abcdefgh"), "There is no class among the images"),
        (["cat"] * 7 + ["dog"], "There is only the class 'cat' among the images"),
    ],
)
def test_too_few_classes_are_told_in_a_sentence(app: AppTest, monkeypatch: pytest.MonkeyPatch, labels: list[str], said: str) -> None:
    _other_images(monkeypatch, {"class": labels})
    app.switch_page("pages/semantics/page.py").run()
    assert not app.exception
    assert said in _texts(app)
    assert not app.metric


def test_few_images_ask_for_all_the_others(app: AppTest, monkeypatch: pytest.MonkeyPatch) -> None:
    _other_images(monkeypatch, {"class": ["cat"] * 4 + ["dog"] * 3 + ["cow"]})
    _finished(app.switch_page("pages/semantics/page.py").run())
    assert "The 6 nearest neighbors of all images of" in _texts(app)
    assert app.selectbox(key="semantic_query").options == ["cat", "dog"]


def test_a_class_that_is_never_mistaken_is_told(app: AppTest, monkeypatch: pytest.MonkeyPatch) -> None:
    _other_images(monkeypatch, {"class": ["cat"] * 30 + ["dog"] * 30}, n=60)
    from shared import cached

    base = cached.base("cars")
    base.vectors[:] = np.repeat(np.eye(4, dtype=np.float32)[:2], 30, axis=0)
    _finished(app.switch_page("pages/semantics/page.py").run())
    assert "Only cat is found: this class is never confused with another one." in _texts(app)
    assert _metrics(app)["Relatedness of errors"] == ("none", "")
    assert _metrics(app)["Of the same class"] == ("1.000", "")


def test_other_images_have_other_classes(page: AppTest, monkeypatch: pytest.MonkeyPatch) -> None:
    _other_images(monkeypatch, {"class": ["cat"] * 4 + ["dog"] * 4, "weight": np.linspace(0, 1, 8)})
    page.run()
    assert not page.exception
    page.multiselect(key="semantic_classes").set_value(["class"]).run()
    _finished(page)
    assert page.selectbox(key="semantic_query").options == ["cat", "dog"]


def test_on_a_shared_server_the_default_language_model_measures(app: AppTest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from access import confine_server
    from server_settings import ServerSettings

    monkeypatch.setenv("LIKENESS_SERVER", ServerSettings.model_validate({"shared": True, "roots": [str(tmp_path)]}).as_text())
    monkeypatch.setattr("visitors._browser", lambda: "0" * 32)
    confine_server()
    app.session_state["semantic_classes"] = BODY
    app.switch_page("pages/semantics/page.py").run()
    page = _finished(app)
    assert page.multiselect(key="semantic_language").value == ["minilm"]
    assert not page.error
    assert [job.error for job in jobs().all("semantics") if job.error] == []
    assert page.metric
