"""The page Continuous without a browser: what it retrieves and measures by labels on a scale, and what it says where it can't."""

import io
import json
import threading
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image
from starlette.applications import Starlette
from starlette.testclient import TestClient

from app_page import Page
from likeness.data import ImageTable, read_cars
from likeness.evaluation import chance_metrics, continuous_metrics, oracle_metrics
from likeness.evaluation.continuous import retrieve
from likeness.labels import JOINTS, ImageLabels, LabelsConfig, PartLabels, label_distances
from likeness.notions import get_notion
from likeness.plots import distance_text
from likeness.space import Space
from server.jobs import jobs
from worlds import cars, draw, few_images, show_instead

VIEWPOINT = LabelsConfig(kind="angles", columns=("yaw", "elevation"))
ORACLE = "Oracle: nearest by label"


def _ready(app: Page) -> Page:
    return app.wait("label distances", "continuous")


def _open(app: Page, **parameters: str) -> Page:
    return _ready(app.open("continuous", **parameters))


@pytest.fixture
def page(app: Page) -> Page:
    """The page as a new visitor finds it: shipped images, their viewpoint, one space."""
    return _open(app)


def _rows(app: Page) -> dict[str, dict[str, Any]]:
    return {section["title"]: section for section in app.sent("continuous_retrieved")["sections"]}


def _query(app: Page) -> int:
    data = app.sent("continuous_query")
    assert data["query"] == data["sections"][0]["rows"][0]
    return int(data["query"])


def _table(app: Page) -> dict[str, list[str]]:
    """Of the numbers: first column -> the others."""
    return {str(name): list(row) for name, row in app.dataframe[0].value.T.items()}


def _apart(space: Space, config: LabelsConfig = VIEWPOINT) -> np.ndarray:
    every = np.arange(len(space.table))
    return label_distances(space.table, config).between(every, every)


def test_pictures_numbers_and_curves_of_one_space_are_core_s(page: Page) -> None:
    space, query, every = cars(), _query(page), np.arange(2000)
    labels = label_distances(space.table, VIEWPOINT)
    near = retrieve(space.vectors[[query]], space.vectors, 8, np.array([query]))[0]
    shown = _rows(page)
    assert list(shown) == ["Raw encoder", ORACLE]
    assert shown["Raw encoder"]["rows"] == near.tolist()
    own = labels.between(np.array([query]), near)[0]
    assert shown["Raw encoder"]["captions"] == [distance_text(float(each), "degrees") for each in own]
    assert shown["Raw encoder"]["note"] == f"{distance_text(float(own.mean()), 'degrees')} from the query on average"
    assert shown[ORACLE]["rows"] == np.argsort(labels.between(np.array([query]), every)[0], kind="stable")[1:9].tolist()
    assert all(section["ranked"] for section in shown.values())

    apart = _apart(space)
    metrics = continuous_metrics(apart, space.vectors, space.vectors, (1, 10, 100), exclude=every)
    oracle, chance = (measure(apart, (1, 10, 100), exclude=every) for measure in (oracle_metrics, chance_metrics))
    names = ("mean_label_distance_at_1", "mean_label_distance_at_10", "ndcg_at_10", "ndcg_at_100")
    assert _table(page) == {
        title: [distance_text(figures[name], "degrees") if "distance" in name else f"{figures[name]:.3f}" for name in names]
        for title, figures in (("Raw encoder", metrics), ("Chance", chance), ("Oracle", oracle))
    }
    line, bound = (next(trace for trace in page.charts[0] if trace["name"] == name) for name in ("Raw encoder", "Oracle"))
    assert line["y"][0] == pytest.approx(metrics["mean_label_distance_at_1"])
    assert bound["y"][-1] == pytest.approx(oracle["mean_label_distance_at_10"])
    page.says("Each of the 2,000 images is a query", "Choose a space for the right map")

    drawn = page.sent("continuous_retrieved")["thumbnails"]
    assert drawn == "./labeled/cars/{row}?kind=angles&column=yaw&column=elevation"
    page.set("continuous_drawn", False)
    for key in ("continuous_query", "continuous_retrieved", "continuous_suggested"):
        assert page.sent(key)["thumbnails"].startswith("./thumbnails/cars/{row}")
    rows = page.sent("continuous_suggested")["sections"][0]["rows"]
    assert len(set(rows)) == 12
    assert labels.between(np.array(rows), np.array(rows))[~np.eye(12, dtype=bool)].min() > 25  # degrees
    assert _query(page.press("Another query")) != query
    assert page.query_params["query"] == str(_query(page))


def test_two_spaces_stand_side_by_side_with_their_difference(page: Page) -> None:
    _ready(page.set("b", "car color"))
    base, query, every = cars(), _query(page), np.arange(2000)
    fitted = base.refit(get_notion("car color"))
    shown = _rows(page)
    assert list(shown) == ["Raw encoder", "Car color", ORACLE]
    assert shown["Car color"]["rows"] == retrieve(fitted.vectors[[query]], fitted.vectors, 8, np.array([query]))[0].tolist()
    a, b = (continuous_metrics(_apart(base), space.vectors, space.vectors, (1, 10), exclude=every) for space in (base, fitted))
    change = b["mean_label_distance_at_1"] - a["mean_label_distance_at_1"]
    assert change > 0
    table, against = _table(page), "Car color − Raw encoder"
    assert list(table) == ["Raw encoder", "Car color", against, "Chance", "Oracle"]
    assert table[against][0] == f"+{distance_text(change, 'degrees')} worse"
    assert table[against][2] == f"−{a['ndcg_at_10'] - b['ndcg_at_10']:.3f} worse"
    assert {trace["name"] for trace in page.hides("Choose a space for the right map").charts[0]} == {"Raw encoder", "Car color", "Oracle", "Chance"}


def test_a_numeric_column_of_one_s_own_is_a_label(page: Page) -> None:
    _ready(page.set("continuous_label", "Numbers").set("continuous_columns", ["car_hue"]))
    query, hues = _query(page), cars().table.frame["car_hue"].to_numpy()
    shown = _rows(page)["Raw encoder"]
    assert shown["captions"] == [distance_text(abs(float(np.float32(hues[row] - hues[query])))) for row in shown["rows"]]
    assert page.sent("continuous_query")["sections"][0]["texts"] == [f"Car hue {hues[query]:.4g}"]
    _ready(page.set("continuous_label", "Angles").set("continuous_columns", ["sun_azimuth"]))
    assert all(caption.endswith("°") for caption in _rows(page)["Raw encoder"]["captions"])
    (info,) = page.set("continuous_columns", []).infos
    assert "Choose a column of numbers" in info


def test_the_query_of_the_link_asks_else_the_selection_and_filters_hold(app: Page) -> None:
    assert _query(_open(app, query="77")) == 77
    app.session_state["query"] = 999_999
    assert "image “999,999”, which is not here" in app.run().warnings[0]
    assert _query(app) == app.sent("continuous_suggested")["sections"][0]["rows"][0]
    other = app.fresh("layout")
    other.session_state["rows"] = np.array([12, 40])
    assert _query(other.open("continuous")) == 12  # the first selected image asks where there is no query
    other.session_state["filter_body_type"] = ["sedan"]
    _open(other)
    sedans = set(np.flatnonzero(read_cars().frame["body_type"] == "sedan").tolist())
    assert set(_rows(other)["Raw encoder"]["rows"]) <= sedans
    other.says(f"Each of the {len(sedans):,} images is a query")


def test_images_whose_label_is_missing_are_left_out_and_said_so(app: Page, monkeypatch: pytest.MonkeyPatch) -> None:
    year = np.arange(30.0) ** 2
    year[[3, 7]] = np.nan
    show_instead(monkeypatch, few_images({"year": year}, n=30))
    _open(app, query="3").says("2 images without this label", "28 images is a query")
    assert not {3, 7} & {_query(app), *(row for section in _rows(app).values() for row in section["rows"])}
    assert app.dataframe[0].value.columns[-1] == "nDCG at 20"  # as many as there are


def test_captions_stand_under_the_pictures(app: Page, monkeypatch: pytest.MonkeyPatch) -> None:
    words = ["cat", "dog", "car", "tree", "house"]
    captions = [json.dumps([f"a {words[row % 5]} near a {words[row // 6]}"]) for row in range(30)]
    show_instead(monkeypatch, few_images({"captions": captions}, n=30))
    assert _open(app).at("continuous_label").value == "Captions"
    section = _rows(app)["Raw encoder"]
    assert section["texts"] == [json.loads(captions[row])[0] for row in section["rows"]]
    assert _rows(app.set("continuous_drawn", False))["Raw encoder"]["texts"] is None


def test_images_whose_labels_cannot_be_read_or_are_none_or_too_few_say_so(app: Page, monkeypatch: pytest.MonkeyPatch) -> None:
    def show(n: int = 30, **columns: Any) -> Page:
        show_instead(monkeypatch, few_images(columns, n=n))
        return _open(app)

    (error,) = show(layout=["nowhere.png"] * 30, year=np.arange(30.0)).errors
    assert "The layout 'nowhere.png' cannot be read" in error
    assert "Try again" in app.labels
    assert not _ready(app.set("continuous_label", "Numbers")).error
    assert _table(app)
    (error,) = show(captions=[None] * 30).errors
    assert "the column 'captions' is empty everywhere" in error
    show(**{"class": ["cat", "dog"] * 15})
    assert [link.proto.label for link in app.links] == ["Add images with numbers"]
    assert not app.charts
    (info,) = show(6, year=np.arange(6.0)).infos
    assert "at least" in info
    assert "there are 6" in info
    assert len(_rows(app)[ORACLE]["rows"]) == 5


def test_reading_labels_can_be_stopped_and_begun_again(app: Page, monkeypatch: pytest.MonkeyPatch) -> None:
    show_instead(monkeypatch, few_images({"year": np.arange(30.0)}, n=30))
    go_on = threading.Event()

    def slow(table: ImageTable, config: LabelsConfig, progress: Any) -> Any:
        progress(1, 10)
        assert go_on.wait(600)
        progress(2, 10)
        return label_distances(table, config)

    monkeypatch.setattr(import_module("likeness.labels.image_labels"), "label_distances", slow)
    assert app.open("continuous").sent("continuous_retrieved") is None
    app.press("Stop")
    go_on.set()
    (job,) = jobs().all("label distances")
    assert job.wait(600)
    assert "Stopped after 2 of 10" in app.run().texts
    assert _table(_ready(app.press("Try again")))


def test_measuring_uses_an_even_share_of_many_images(monkeypatch: pytest.MonkeyPatch, app: Page) -> None:
    from pages.continuous import numbers

    comparison = import_module("likeness.evaluation.continuous")
    space = show_instead(monkeypatch, few_images({"year": np.arange(60.0)}, n=60))
    config = LabelsConfig(kind="numbers", columns=("year",))
    labels = ImageLabels(config, np.arange(60), label_distances(space.table, config))
    monkeypatch.setattr(comparison, "MOST_QUERIES", 20)
    monkeypatch.setattr(comparison, "_DISTANCES", 60 * 7)  # three blocks, of unequal size
    queries = comparison.spread_queries(60)
    job = numbers.measure([space], labels, "key", np.arange(60)).begin()
    assert job.wait(600)
    assert (job.error, job.done, job.total) == (None, 20, 20)
    metrics = continuous_metrics(labels.distances.between(queries, np.arange(60)), space.vectors[queries], space.vectors, (1, 10), exclude=queries)
    shared = metrics.keys() & job.result.keys()
    assert len(shared) > 1
    assert {name: job.result[name].tolist() for name in shared} == {name: pytest.approx([metrics[name]]) for name in shared}


def test_where_distances_are_known_within_parts_the_test_images_are_judged(monkeypatch: pytest.MonkeyPatch, app: Page) -> None:
    show_instead(monkeypatch, few_images({"year": np.arange(30.0)}, n=30))
    one, other = (np.abs(np.subtract.outer(np.arange(float(n)), np.arange(float(n)))) for n in (10, 20))
    parts = PartLabels({"train": one, "test": other}, np.repeat([0, 1], [10, 20]), np.r_[:10, :20], "px")
    monkeypatch.setattr(import_module("likeness.labels.image_labels"), "label_distances", lambda *_: parts)
    assert "these are the 20 of test." in _open(app).texts
    query, shown = _query(app), _rows(app)["Raw encoder"]
    assert min(query, *shown["rows"]) >= 10
    assert shown["captions"] == [distance_text(float(abs(row - query)), "px") for row in shown["rows"]]


def test_the_route_draws_only_labels_that_the_images_have(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, app: Page) -> None:
    from api import picture_routes

    joints = {f"{name}_{axis}": [5.0 + place] * 3 for place, name in enumerate(JOINTS) for axis in "xy"}
    draw(tmp_path, 3, size=40)
    show_instead(monkeypatch, few_images({"year": np.arange(3.0), "secret": ["a", "b", "c"]} | joints, 3, tmp_path))
    picture_routes._labeled.cache_clear()

    client = TestClient(Starlette(routes=picture_routes.ROUTES))

    def asked(row: int, kind: str, *columns: str) -> Any:
        return client.get(f"/labeled/cars/{row}", params={"kind": kind, "column": list(columns)})

    for kind, *columns in (["pose"], ["numbers", "year"]):
        answer = asked(0, kind, *columns)
        assert (answer.status_code, answer.headers["content-type"]) == (200, "image/webp")
        assert Image.open(io.BytesIO(answer.content)).size == (256, 256)
    for row, kind, *columns in ([0, "numbers", "secret"], [0, "layout", "secret"], [0, "numbers"], [9, "pose"], [0, ""]):
        assert asked(row, kind, *columns).status_code == 404, (row, kind, columns)
