"""The page Continuous without a browser: what it retrieves and measures by labels on a scale, and what it says where it can't."""

import json
import re
from html import unescape
from importlib import import_module
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pandas as pd
import pytest
from PIL import Image
from streamlit.testing.v1 import AppTest

from background import jobs
from likeness.data import ImageTable, read_cars
from likeness.embedding import embed
from likeness.errors import InputError
from likeness.evaluation import continuous_metrics, oracle_metrics
from likeness.evaluation.continuous import retrieve
from likeness.labels import JOINTS, ImageLabels, LabelsConfig, PartLabels, label_distances
from likeness.notions import get_notion
from likeness.plots import distance_text
from likeness.space import Space

VIEWPOINT = LabelsConfig(kind="angles", columns=("yaw", "elevation"))
ORACLE = "Oracle: nearest by label"


@pytest.fixture(autouse=True)
def cache(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """A cache folder of the test's own, where distances of captions are kept."""
    monkeypatch.setenv("LIKENESS_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache"


@pytest.fixture
def page(app: AppTest) -> AppTest:
    """The page as a new visitor finds it: shipped images, their viewpoint, one space."""
    return _finished(app.switch_page("pages/continuous/page.py").run())


def _finished(app: AppTest) -> AppTest:
    for kind in ("label distances", "continuous"):
        for job in jobs().all(kind):
            assert job.wait(600)
    app.run()
    for job in jobs().all("continuous"):
        assert job.wait(600)
    app.run()
    assert not app.exception
    return app


def _texts(app: AppTest) -> str:
    return "\n".join(element.value for kind in (app.markdown, app.caption, app.error, app.warning, app.info) for element in kind)


def _gallery(app: AppTest, key: str) -> dict[str, Any]:
    (proto,) = [each.proto for each in app.get("bidi_component") if each.proto.id.endswith(key)]
    data: dict[str, Any] = json.loads(proto.json)
    return data


def _rows(app: AppTest) -> dict[str, dict[str, Any]]:
    return {section["title"]: section for section in _gallery(app, "continuous_retrieved")["sections"]}


def _query(app: AppTest) -> int:
    data = _gallery(app, "continuous_query")
    assert data["query"] == data["sections"][0]["rows"][0]
    return int(data["query"])


def _table(app: AppTest) -> dict[str, list[str]]:
    """Of the numbers: first column -> the others."""
    body = next(each.proto.body for each in app.get("html") if 'class="continuous"' in each.proto.body)
    lines = re.findall(r'<tr class="\w*"><th scope="row">(.*?)</th>(.*?)</tr>', body)
    return {
        unescape(re.sub(r'<span class="help".*?</span>|<[^>]*>', "", name)): [unescape(cell) for cell in re.findall(r"<td[^>]*>(.*?)</td>", cells)]
        for name, cells in lines
    }


def _chart(app: AppTest) -> list[dict[str, Any]]:
    (chart,) = app.get("plotly_chart")
    traces: list[dict[str, Any]] = json.loads(chart.proto.spec)["data"]
    return traces


def _other_images(monkeypatch: pytest.MonkeyPatch, columns: dict[str, Any], n: int = 30, root: Path = Path(".")) -> Space:
    import streamlit as st

    from shared import cached

    st.cache_resource.clear()
    frame = pd.DataFrame({"path": [f"{number}.png" for number in range(n)], **columns})
    vectors = np.random.default_rng(0).normal(size=(n, 4)).astype(np.float32)
    space = Space(vectors / np.linalg.norm(vectors, axis=1, keepdims=True), ImageTable("few", root, frame), name="Raw encoder")
    monkeypatch.setattr(cached, "base", lambda _: space.replace(encoder="cars"))
    return space


def _apart(space: Space, config: LabelsConfig = VIEWPOINT) -> np.ndarray:
    every = np.arange(len(space.table))
    return label_distances(space.table, config).between(every, every)


def test_pictures_are_those_that_python_retrieves_with_their_label_distances(page: AppTest) -> None:
    space, query = embed(read_cars()), _query(page)
    labels = label_distances(space.table, VIEWPOINT)
    near = retrieve(space.vectors[[query]], space.vectors, 8, np.array([query]))[0]
    shown = _rows(page)
    assert list(shown) == ["Raw encoder", ORACLE]
    assert shown["Raw encoder"]["rows"] == near.tolist()
    apart = labels.between(np.array([query]), near)[0]
    assert shown["Raw encoder"]["captions"] == [distance_text(float(each), "degrees") for each in apart]
    assert shown["Raw encoder"]["note"] == f"{distance_text(float(apart.mean()), 'degrees')} from the query on average"
    every = labels.between(np.array([query]), np.arange(2000))[0]
    assert shown[ORACLE]["rows"] == np.argsort(every, kind="stable")[1:9].tolist()
    assert all(section["ranked"] for section in shown.values())


def test_numbers_and_curves_of_one_space_are_core_s(page: AppTest) -> None:
    space = embed(read_cars())
    apart, every = _apart(space), np.arange(2000)
    metrics = continuous_metrics(apart, space.vectors, space.vectors, (1, 10, 100), exclude=every)
    oracle = oracle_metrics(apart, (1, 10), exclude=every)
    chance = apart.sum(dtype=np.float64) / (2000 * 1999)
    names = ("mean_label_distance_at_1", "mean_label_distance_at_10", "ndcg_at_10", "ndcg_at_100")
    shown = _table(page)
    assert list(shown) == ["Raw encoder", "Chance", "Oracle"]
    assert shown["Raw encoder"] == [distance_text(metrics[name], "degrees") if "distance" in name else f"{metrics[name]:.3f}" for name in names]
    assert shown["Chance"][:2] == [distance_text(chance, "degrees")] * 2
    assert shown["Oracle"] == [*(distance_text(oracle[name], "degrees") for name in names[:2]), "1.000", "1.000"]
    # by chance every rank has the mean relevance
    relevance = 1 / (1 + apart.astype(np.float64))
    mean = (relevance.sum(axis=1) - 1) / 1999
    discounts = 1 / np.log2(np.arange(2, 12))
    best = np.sort(np.where(np.eye(2000, dtype=bool), -1, relevance), axis=1)[:, ::-1][:, :10] @ discounts
    assert float(shown["Chance"][2]) == pytest.approx(float((mean * discounts.sum() / best).mean()), abs=0.004)
    line, bound = (next(trace for trace in _chart(page) if trace["name"] == name) for name in ("Raw encoder", "Oracle"))
    assert line["y"][0] == pytest.approx(metrics["mean_label_distance_at_1"])
    assert bound["y"][-1] == pytest.approx(oracle["mean_label_distance_at_10"])
    assert "Each of the 2,000 images is a query and is compared with all others. Label distance: how many degrees lie between" in _texts(page)
    assert "Choose a space B in the sidebar" in _texts(page)


def test_two_spaces_stand_side_by_side_with_their_difference(app: AppTest) -> None:
    app.switch_page("pages/continuous/page.py").run()
    app.selectbox(key="b").select("car color").run()
    _finished(app)
    base = embed(read_cars())
    fitted = base.refit(get_notion("car color"))
    query = _query(app)
    shown = _rows(app)
    assert list(shown) == ["Raw encoder", "Car color", ORACLE]
    assert shown["Car color"]["rows"] == retrieve(fitted.vectors[[query]], fitted.vectors, 8, np.array([query]))[0].tolist()
    apart, every = _apart(base), np.arange(2000)
    a, b = (continuous_metrics(apart, space.vectors, space.vectors, (1, 10), exclude=every) for space in (base, fitted))
    change = b["mean_label_distance_at_1"] - a["mean_label_distance_at_1"]
    table = _table(app)
    assert list(table) == ["Raw encoder", "Car color", "Car color against Raw encoder", "Chance", "Oracle"]
    assert change > 0
    assert table["Car color against Raw encoder"][0] == f"▲ +{distance_text(change, 'degrees')} worse"
    assert table["Car color against Raw encoder"][2] == f"▼ −{a['ndcg_at_10'] - b['ndcg_at_10']:.3f} worse"
    assert {trace["name"] for trace in _chart(app)} == {"Raw encoder", "Car color", "Oracle", "Chance"}
    assert "Choose a space B" not in _texts(app)


def test_a_and_b_the_same_are_one_row(app: AppTest) -> None:
    app.switch_page("pages/continuous/page.py").run()
    app.selectbox(key="b").select("Raw encoder").run()
    assert list(_table(_finished(app))) == ["Raw encoder", "Chance", "Oracle"]


def test_a_numeric_column_of_one_s_own_is_a_label(page: AppTest) -> None:
    page.selectbox(key="continuous_label").select("Numbers").run()
    page.multiselect(key="continuous_columns").set_value(["car_hue"]).run()
    _finished(page)
    space, query = embed(read_cars()), _query(page)
    hues = space.table.frame["car_hue"].to_numpy()
    shown = _rows(page)
    expected = [distance_text(abs(float(np.float32(hues[row] - hues[query])))) for row in shown["Raw encoder"]["rows"]]
    assert shown["Raw encoder"]["captions"] == expected
    assert "how far two images differ in car hue" in _texts(page)
    assert _gallery(page, "continuous_query")["sections"][0]["texts"] == [f"Car hue {hues[query]:.4g}"]
    page.selectbox(key="continuous_label").select("Angles").run()
    page.multiselect(key="continuous_columns").set_value(["sun_azimuth"]).run()
    _finished(page)
    assert all(caption.endswith("°") for caption in _rows(page)["Raw encoder"]["captions"])
    page.multiselect(key="continuous_columns").set_value([]).run()
    assert [info.value for info in page.info] == ["Choose a column of numbers: it is the label by which images are near or far."]
    assert not page.exception


def test_labels_are_drawn_or_not(page: AppTest) -> None:
    drawn = _gallery(page, "continuous_retrieved")["thumbnails"]
    assert drawn == "./labelled/cars/{row}?kind=angles&columns=%5B%22yaw%22%2C+%22elevation%22%5D"
    assert "The arrow points to where the camera stands" in _texts(page)
    page.toggle(key="continuous_drawn").set_value(False).run()
    assert not page.exception
    for key in ("continuous_query", "continuous_retrieved", "continuous_suggested"):
        assert _gallery(page, key)["thumbnails"] == "./thumbnails/cars/{row}"
    assert "The arrow points" not in _texts(page)


def test_the_query_of_the_link_asks_and_an_unknown_one_does_not(app: AppTest) -> None:
    app.query_params["query"] = "77"
    _finished(app.switch_page("pages/continuous/page.py").run())
    assert _query(app) == 77
    app.session_state["query"] = 999_999
    app.run()
    assert not app.exception
    assert "the neighbors of image 999,999, but there are 2,000 images" in app.warning[0].value
    assert _query(app) == _gallery(app, "continuous_suggested")["sections"][0]["rows"][0]


def test_the_first_selected_image_asks_where_there_is_no_query(app: AppTest) -> None:
    app.session_state["rows"] = np.array([12, 40])
    _finished(app.switch_page("pages/continuous/page.py").run())
    assert _query(app) == 12


def test_another_query_is_another_image_and_stands_in_the_url(page: AppTest) -> None:
    before = _query(page)
    next(button for button in page.button if button.label == "Another query").click().run()
    assert not page.exception
    assert _query(page) != before
    assert page.query_params["query"] == str(_query(page))


def test_suggested_queries_differ_in_their_labels(page: AppTest) -> None:
    rows = _gallery(page, "continuous_suggested")["sections"][0]["rows"]
    apart = label_distances(read_cars(), VIEWPOINT).between(np.array(rows), np.array(rows))
    assert len(set(rows)) == 12
    assert apart[~np.eye(12, dtype=bool)].min() > 25  # degrees


def test_filters_hold_for_pictures_and_numbers(app: AppTest) -> None:
    frame = read_cars().frame
    app.session_state["filter_body_type"] = ["sedan"]
    _finished(app.switch_page("pages/continuous/page.py").run())
    sedans = set(np.flatnonzero(frame["body_type"] == "sedan").tolist())
    assert set(_rows(app)["Raw encoder"]["rows"]) <= sedans
    assert f"Each of the {len(sedans):,} images is a query and is compared with all others." in _texts(app)


def test_images_without_a_label_on_a_scale_say_what_to_bring(app: AppTest, monkeypatch: pytest.MonkeyPatch) -> None:
    _other_images(monkeypatch, {"class": ["cat", "dog"] * 15})
    app.switch_page("pages/continuous/page.py").run()
    assert not app.exception
    assert "This page needs labels on a scale" in _texts(app)
    assert [link.proto.label for link in app.get("page_link")] == ["Bring images with such labels"]
    assert not app.get("plotly_chart")


def test_images_whose_label_is_missing_are_left_out_and_said_so(app: AppTest, monkeypatch: pytest.MonkeyPatch) -> None:
    year = np.arange(30.0) ** 2
    year[[3, 7]] = np.nan
    _other_images(monkeypatch, {"year": year})
    app.query_params["query"] = "3"
    _finished(app.switch_page("pages/continuous/page.py").run())
    assert "2 images without this label are left out." in _texts(app)
    assert "Each of the 28 images is a query and is compared with all others." in _texts(app)
    assert not {3, 7} & {row for section in _rows(app).values() for row in section["rows"]}
    assert _query(app) != 3
    assert list(next(iter(_table(app).values()))) == _table(app)["Raw encoder"]
    heads = next(each.proto.body for each in app.get("html") if 'class="continuous"' in each.proto.body)
    assert "nDCG at 20" in heads  # as many as there are
    assert "nDCG at 100" not in heads


def test_too_few_images_still_show_their_pictures(app: AppTest, monkeypatch: pytest.MonkeyPatch) -> None:
    _other_images(monkeypatch, {"year": np.arange(6.0)}, n=6)
    _finished(app.switch_page("pages/continuous/page.py").run())
    assert [info.value for info in app.info] == ["6 images with a label are too few to measure retrieval; let at least 11 match the filters."]
    assert len(_rows(app)[ORACLE]["rows"]) == 5


def test_captions_stand_under_the_pictures(app: AppTest, monkeypatch: pytest.MonkeyPatch) -> None:
    words = ["cat", "dog", "car", "tree", "house"]
    captions = [json.dumps([f"a {words[row % 5]} near a {words[row // 6]}"]) for row in range(30)]
    _other_images(monkeypatch, {"captions": captions})
    _finished(app.switch_page("pages/continuous/page.py").run())
    assert app.selectbox(key="continuous_label").value == "Captions"
    section = _rows(app)["Raw encoder"]
    assert section["texts"] == [json.loads(captions[row])[0] for row in section["rows"]]
    assert "word mover's distance" in _texts(app)
    app.toggle(key="continuous_drawn").set_value(False).run()
    assert _rows(app)["Raw encoder"]["texts"] is None


def test_labels_that_cannot_be_read_are_one_error(app: AppTest, monkeypatch: pytest.MonkeyPatch) -> None:
    _other_images(monkeypatch, {"layout": ["nowhere.png"] * 30, "year": np.arange(30.0)})
    _finished(app.switch_page("pages/continuous/page.py").run())
    assert len(app.error) == 1
    assert "The layout 'nowhere.png' cannot be read" in app.error[0].value
    assert "Try again" in [button.label for button in app.button]
    app.selectbox(key="continuous_label").select("Numbers").run()
    _finished(app)
    assert not app.error
    assert _table(app)


def test_a_label_nobody_has_is_one_error(app: AppTest, monkeypatch: pytest.MonkeyPatch) -> None:
    _other_images(monkeypatch, {"captions": [None] * 30})
    _finished(app.switch_page("pages/continuous/page.py").run())
    assert [error.value for error in app.error] == ["No image has a label: the column 'captions' is empty everywhere. Choose another label."]


def test_reading_labels_can_be_stopped_and_begun_again(app: AppTest, monkeypatch: pytest.MonkeyPatch) -> None:
    import threading

    _other_images(monkeypatch, {"year": np.arange(30.0)})
    go_on = threading.Event()

    def slow(table: ImageTable, config: LabelsConfig, progress: Any) -> Any:
        progress(1, 10)
        assert go_on.wait(600)
        progress(2, 10)
        return label_distances(table, config)

    monkeypatch.setattr(import_module("likeness.labels.image_labels"), "label_distances", slow)
    app.switch_page("pages/continuous/page.py").run()
    assert not app.exception
    assert [each.proto.id for each in app.get("bidi_component") if "continuous" in each.proto.id] == []
    stop = next(button for button in app.button if button.label == "Stop")
    stop.click().run()
    go_on.set()
    (job,) = (job for job in jobs().all("label distances"))
    assert job.wait(600)
    app.run()
    assert "Stopped after 2 of 10 pairs of images." in _texts(app)
    next(button for button in app.button if button.label == "Try again").click().run()
    _finished(app)
    assert _table(app)


def test_measuring_uses_an_even_share_of_many_images(monkeypatch: pytest.MonkeyPatch, app: AppTest) -> None:

    from pages.continuous import numbers

    continuous_comparison = import_module("likeness.evaluation.continuous_comparison")
    space = _other_images(monkeypatch, {"year": np.arange(60.0)}, n=60)
    config = LabelsConfig(kind="numbers", columns=("year",))
    labels = ImageLabels(config, np.arange(60), label_distances(space.table, config))
    monkeypatch.setattr(continuous_comparison, "MOST_QUERIES", 20)
    queries = continuous_comparison.spread_queries(60)
    assert len(queries) == 20
    assert np.diff(queries).tolist().count(3) >= 17
    assert (queries[0], queries[-1]) == (0, 59)
    monkeypatch.setattr(continuous_comparison, "_ENTRIES", 60 * 7)  # three blocks, of unequal size
    job = numbers.measure([space], labels, "key", np.arange(60))
    assert job.wait(600)
    assert job.error is None
    apart = labels.distances.between(queries, np.arange(60))
    metrics = continuous_metrics(apart, space.vectors[queries], space.vectors, (1, 10), exclude=queries)
    for name, value in metrics.items():
        if name in job.result:
            assert job.result[name].tolist() == pytest.approx([value])
    assert job.done == job.total == 20


def test_where_distances_are_known_within_parts_the_test_images_are_judged(monkeypatch: pytest.MonkeyPatch, app: AppTest) -> None:

    _other_images(monkeypatch, {"year": np.arange(30.0)})
    one, other = np.abs(np.subtract.outer(np.arange(10.0), np.arange(10.0))), np.abs(np.subtract.outer(np.arange(20.0), np.arange(20.0)))
    parts = PartLabels({"train": one, "test": other}, np.repeat([0, 1], [10, 20]), np.r_[:10, :20], "px")
    monkeypatch.setattr(import_module("likeness.labels.image_labels"), "label_distances", lambda *_: parts)
    _finished(app.switch_page("pages/continuous/page.py").run())
    assert "these are the 20 of test." in _texts(app)
    assert "Each of the 20 images is a query and is compared with all others." in _texts(app)
    query = _query(app)
    shown = _rows(app)["Raw encoder"]
    assert query >= 10
    assert min(shown["rows"]) >= 10
    assert shown["captions"] == [distance_text(float(abs(row - query)), "px") for row in shown["rows"]]


def test_the_route_draws_only_labels_that_the_images_have(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, app: AppTest) -> None:
    import io

    import routes
    from pages.continuous import labels as continuous_labels

    for row in range(3):
        Image.new("RGB", (40, 20), (90, 90, 90)).save(tmp_path / f"{row}.png")
    joints = {f"{name}_{axis}": [5.0 + place] * 3 for place, name in enumerate(JOINTS) for axis in "xy"}
    _other_images(monkeypatch, {"year": np.arange(3.0), "secret": ["a", "b", "c"]} | joints, 3, tmp_path)
    routes._labelled.cache_clear()

    def asked(row: int, kind: str, columns: str) -> Any:
        request: Any = SimpleNamespace(path_params={"dataset": "cars", "row": str(row)}, query_params={"kind": kind, "columns": columns})
        return routes.serve_labelled(request)

    for kind, columns in (("pose", "[]"), ("numbers", '["year"]')):
        answer = asked(0, kind, columns)
        assert (answer.status_code, answer.media_type) == (200, "image/webp")
        with Image.open(io.BytesIO(answer.body)) as picture:
            assert picture.size == (256, 256)
    for row, kind, columns in ((0, "numbers", '["secret"]'), (0, "layout", '["secret"]'), (0, "numbers", "no"), (9, "pose", "[]"), (0, "", "[]")):
        assert asked(row, kind, columns).status_code == 404, (row, kind, columns)
    with pytest.raises(InputError, match="These images have no label of kind 'numbers'"):
        continuous_labels.config_of(ImageTable("few", tmp_path, pd.DataFrame({"path": ["0.png"]})), {"kind": "numbers", "columns": '["year"]'})


def test_longer_texts_of_a_gallery_fit_its_rows() -> None:
    from components.gallery import Section, encode_section

    assert encode_section(Section("Near", [1, 2], texts=["a", "b"]))["texts"] == ["a", "b"]
    with pytest.raises(InputError, match="'Near' has 2 rows and 1 texts"):
        encode_section(Section("Near", [1, 2], texts=["a"]))
