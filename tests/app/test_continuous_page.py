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

from app_page import Page
from background import jobs
from likeness.data import ImageTable, read_cars
from likeness.errors import InputError
from likeness.evaluation import continuous_metrics, oracle_metrics
from likeness.evaluation.continuous import retrieve
from likeness.labels import JOINTS, ImageLabels, LabelsConfig, PartLabels, label_distances
from likeness.notions import get_notion
from likeness.plots import distance_text
from likeness.space import Space
from worlds import cars, few_images, show_instead

VIEWPOINT = LabelsConfig(kind="angles", columns=("yaw", "elevation"))
ORACLE = "Oracle: nearest by label"


@pytest.fixture
def page(app: Page) -> Page:
    """The page as a new visitor finds it: shipped images, their viewpoint, one space."""
    return app.open("continuous").wait("label distances", "continuous")


def _rows(app: Page) -> dict[str, dict[str, Any]]:
    return {section["title"]: section for section in app.sent("continuous_retrieved")["sections"]}


def _query(app: Page) -> int:
    data = app.sent("continuous_query")
    assert data["query"] == data["sections"][0]["rows"][0]
    return int(data["query"])


def _table(app: Page) -> dict[str, list[str]]:
    """Of the numbers: first column -> the others."""
    body = next(each.proto.body for each in app.get("html") if 'class="continuous"' in each.proto.body)
    lines = re.findall(r'<tr class="\w*"><th scope="row">(.*?)</th>(.*?)</tr>', body)
    return {
        unescape(re.sub(r'<span class="help".*?</span>|<[^>]*>', "", name)): [unescape(cell) for cell in re.findall(r"<td[^>]*>(.*?)</td>", cells)]
        for name, cells in lines
    }


def _apart(space: Space, config: LabelsConfig = VIEWPOINT) -> np.ndarray:
    every = np.arange(len(space.table))
    return label_distances(space.table, config).between(every, every)


def test_pictures_are_those_that_python_retrieves_with_their_label_distances(page: Page) -> None:
    space, query = cars(), _query(page)
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
    drawn = page.sent("continuous_retrieved")["thumbnails"]
    assert drawn == "./labeled/cars/{row}?kind=angles&columns=%5B%22yaw%22%2C+%22elevation%22%5D"
    assert "The arrow points to where the camera stands" in page.texts
    page.set("continuous_drawn", False)
    for key in ("continuous_query", "continuous_retrieved", "continuous_suggested"):
        assert page.sent(key)["thumbnails"] == "./thumbnails/cars/{row}"
    assert "The arrow points" not in page.texts
    rows = page.sent("continuous_suggested")["sections"][0]["rows"]
    apart = label_distances(read_cars(), VIEWPOINT).between(np.array(rows), np.array(rows))
    assert len(set(rows)) == 12
    assert apart[~np.eye(12, dtype=bool)].min() > 25  # degrees
    before = _query(page)
    page.press("Another query")
    assert _query(page) != before
    assert page.query_params["query"] == str(_query(page))


def test_numbers_and_curves_of_one_space_are_core_s(page: Page) -> None:
    space = cars()
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
    line, bound = (next(trace for trace in page.charts[0] if trace["name"] == name) for name in ("Raw encoder", "Oracle"))
    assert line["y"][0] == pytest.approx(metrics["mean_label_distance_at_1"])
    assert bound["y"][-1] == pytest.approx(oracle["mean_label_distance_at_10"])
    assert "Each of the 2,000 images is a query and is compared with all others. Label distance: how many degrees lie between" in page.texts
    assert "Choose a space B in the sidebar" in page.texts


def test_two_spaces_stand_side_by_side_with_their_difference(app: Page) -> None:
    app.open("continuous").set("b", "car color").wait("label distances", "continuous")
    base = cars()
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
    assert {trace["name"] for trace in app.charts[0]} == {"Raw encoder", "Car color", "Oracle", "Chance"}
    assert "Choose a space B" not in app.texts
    app.set("b", "Raw encoder").wait("continuous")
    assert list(_table(app)) == ["Raw encoder", "Chance", "Oracle"]


def test_a_numeric_column_of_one_s_own_is_a_label(page: Page) -> None:
    page.set("continuous_label", "Numbers").set("continuous_columns", ["car_hue"])
    page.wait("label distances", "continuous")
    space, query = cars(), _query(page)
    hues = space.table.frame["car_hue"].to_numpy()
    shown = _rows(page)
    expected = [distance_text(abs(float(np.float32(hues[row] - hues[query])))) for row in shown["Raw encoder"]["rows"]]
    assert shown["Raw encoder"]["captions"] == expected
    assert "how far two images differ in car hue" in page.texts
    assert page.sent("continuous_query")["sections"][0]["texts"] == [f"Car hue {hues[query]:.4g}"]
    page.set("continuous_label", "Angles").set("continuous_columns", ["sun_azimuth"])
    page.wait("label distances", "continuous")
    assert all(caption.endswith("°") for caption in _rows(page)["Raw encoder"]["captions"])
    page.set("continuous_columns", [])
    assert page.infos == ["Choose a column of numbers: it is the label by which images are near or far."]


def test_the_query_of_the_link_asks_else_the_selection_and_filters_hold(app: Page) -> None:
    app.query_params["query"] = "77"
    app.open("continuous").wait("label distances", "continuous")
    assert _query(app) == 77
    app.session_state["query"] = 999_999
    app.run()
    assert "the neighbors of image 999,999, but there are 2,000 images" in app.warning[0].value
    assert _query(app) == app.sent("continuous_suggested")["sections"][0]["rows"][0]
    other = app.fresh("layout")
    other.session_state["rows"] = np.array([12, 40])
    assert _query(other.open("continuous")) == 12  # the first selected image asks where there is no query
    frame = read_cars().frame
    other = app.fresh("layout")
    other.session_state["filter_body_type"] = ["sedan"]
    other.open("continuous").wait("continuous")
    sedans = set(np.flatnonzero(frame["body_type"] == "sedan").tolist())
    assert set(_rows(other)["Raw encoder"]["rows"]) <= sedans
    assert f"Each of the {len(sedans):,} images is a query" in other.texts


def test_images_whose_label_is_missing_are_left_out_and_said_so(app: Page, monkeypatch: pytest.MonkeyPatch) -> None:
    year = np.arange(30.0) ** 2
    year[[3, 7]] = np.nan
    show_instead(monkeypatch, few_images({"year": year}, n=30))
    app.query_params["query"] = "3"
    app.open("continuous").wait("label distances", "continuous")
    assert "2 images without this label are left out." in app.texts
    assert "Each of the 28 images is a query and is compared with all others." in app.texts
    assert not {3, 7} & {row for section in _rows(app).values() for row in section["rows"]}
    assert _query(app) != 3
    assert list(next(iter(_table(app).values()))) == _table(app)["Raw encoder"]
    heads = next(each.proto.body for each in app.get("html") if 'class="continuous"' in each.proto.body)
    assert "nDCG at 20" in heads  # as many as there are
    assert "nDCG at 100" not in heads


def test_captions_stand_under_the_pictures(app: Page, monkeypatch: pytest.MonkeyPatch) -> None:
    words = ["cat", "dog", "car", "tree", "house"]
    captions = [json.dumps([f"a {words[row % 5]} near a {words[row // 6]}"]) for row in range(30)]
    show_instead(monkeypatch, few_images({"captions": captions}, n=30))
    app.open("continuous").wait("label distances", "continuous")
    assert app.selectbox(key="continuous_label").value == "Captions"
    section = _rows(app)["Raw encoder"]
    assert section["texts"] == [json.loads(captions[row])[0] for row in section["rows"]]
    assert "word mover's distance" in app.texts
    app.set("continuous_drawn", False)
    assert _rows(app)["Raw encoder"]["texts"] is None


def test_images_whose_labels_cannot_be_read_or_are_none_or_too_few_say_so(app: Page, monkeypatch: pytest.MonkeyPatch) -> None:
    show_instead(monkeypatch, few_images({"layout": ["nowhere.png"] * 30, "year": np.arange(30.0)}, n=30))
    app.open("continuous").wait("label distances", "continuous")
    assert len(app.error) == 1
    assert "The layout 'nowhere.png' cannot be read" in app.error[0].value
    assert "Try again" in app.labels
    app.set("continuous_label", "Numbers").wait("label distances", "continuous")
    assert not app.error
    assert _table(app)
    show_instead(monkeypatch, few_images({"captions": [None] * 30}, n=30))
    (error,) = app.open("continuous").wait("label distances", "continuous").errors
    assert "the column 'captions' is empty everywhere" in error
    show_instead(monkeypatch, few_images({"class": ["cat", "dog"] * 15}, n=30))
    app.run()
    assert "This page needs labels on a scale" in app.texts
    assert [link.proto.label for link in app.get("page_link")] == ["Bring images with such labels"]
    assert not app.charts
    show_instead(monkeypatch, few_images({"year": np.arange(6.0)}, n=6))
    (info,) = app.run().wait("label distances", "continuous").infos
    assert "6 images with a label are too few" in info
    assert len(_rows(app)[ORACLE]["rows"]) == 5


def test_reading_labels_can_be_stopped_and_begun_again(app: Page, monkeypatch: pytest.MonkeyPatch) -> None:
    import threading

    show_instead(monkeypatch, few_images({"year": np.arange(30.0)}, n=30))
    go_on = threading.Event()

    def slow(table: ImageTable, config: LabelsConfig, progress: Any) -> Any:
        progress(1, 10)
        assert go_on.wait(600)
        progress(2, 10)
        return label_distances(table, config)

    monkeypatch.setattr(import_module("likeness.labels.image_labels"), "label_distances", slow)
    app.open("continuous")
    assert app.sent("continuous_retrieved") is None
    stop = app.button_of("Stop")
    stop.click().run()
    go_on.set()
    (job,) = (job for job in jobs().all("label distances"))
    assert job.wait(600)
    app.run()
    assert "Stopped after 2 of 10 pairs of images." in app.texts
    app.press("Try again").wait("label distances", "continuous")
    assert _table(app)


def test_measuring_uses_an_even_share_of_many_images(monkeypatch: pytest.MonkeyPatch, app: Page) -> None:

    from pages.continuous import numbers

    continuous_comparison = import_module("likeness.evaluation.continuous_comparison")
    space = show_instead(monkeypatch, few_images({"year": np.arange(60.0)}, n=60))
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


def test_where_distances_are_known_within_parts_the_test_images_are_judged(monkeypatch: pytest.MonkeyPatch, app: Page) -> None:

    show_instead(monkeypatch, few_images({"year": np.arange(30.0)}, n=30))
    one, other = np.abs(np.subtract.outer(np.arange(10.0), np.arange(10.0))), np.abs(np.subtract.outer(np.arange(20.0), np.arange(20.0)))
    parts = PartLabels({"train": one, "test": other}, np.repeat([0, 1], [10, 20]), np.r_[:10, :20], "px")
    monkeypatch.setattr(import_module("likeness.labels.image_labels"), "label_distances", lambda *_: parts)
    app.open("continuous").wait("label distances", "continuous")
    assert "these are the 20 of test." in app.texts
    assert "Each of the 20 images is a query and is compared with all others." in app.texts
    query = _query(app)
    shown = _rows(app)["Raw encoder"]
    assert query >= 10
    assert min(shown["rows"]) >= 10
    assert shown["captions"] == [distance_text(float(abs(row - query)), "px") for row in shown["rows"]]


def test_the_route_draws_only_labels_that_the_images_have(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, app: Page) -> None:
    import io

    import routes
    from pages.continuous import labels as continuous_labels

    for row in range(3):
        Image.new("RGB", (40, 20), (90, 90, 90)).save(tmp_path / f"{row}.png")
    joints = {f"{name}_{axis}": [5.0 + place] * 3 for place, name in enumerate(JOINTS) for axis in "xy"}
    show_instead(monkeypatch, few_images({"year": np.arange(3.0), "secret": ["a", "b", "c"]} | joints, 3, tmp_path))
    routes._labeled.cache_clear()

    def asked(row: int, kind: str, columns: str) -> Any:
        request: Any = SimpleNamespace(path_params={"dataset": "cars", "row": str(row)}, query_params={"kind": kind, "columns": columns})
        return routes.serve_labeled(request)

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
