"""The HTTP API, in one process: what operations answer, what wrong requests are told, and the OpenAPI document."""

import base64
import io
import json
from collections.abc import Callable, Iterator
from html.parser import HTMLParser
from importlib.metadata import version
from pathlib import Path
from typing import Any
from urllib.parse import urljoin

import numpy as np
import pytest
from PIL import Image
from starlette.applications import Starlette
from starlette.testclient import TestClient

import likeness as lk
from likeness.data import add_dataset, new_entry
from likeness.notions import get_notion
from server_settings import ServerSettings
from worlds import api_routes

CARS = "/api/v1/datasets/cars"


def _client(settings: ServerSettings) -> TestClient:
    return TestClient(Starlette(routes=api_routes(settings)), raise_server_exceptions=False)


@pytest.fixture
def client() -> Iterator[TestClient]:
    with _client(ServerSettings(api=True)) as client:
        yield client


def _problem(response: Any, status: int) -> str:
    """The sentence of a problem, whose form is checked."""
    assert response.status_code == status, response.text
    assert response.headers["content-type"] == "application/problem+json"
    found = response.json()
    assert found.keys() == {"type", "title", "status", "detail"}
    assert found["status"] == status
    assert found["detail"].endswith((".", "…"))
    assert "Traceback" not in response.text
    return str(found["detail"])


@pytest.mark.parametrize("path", ["/api", "/api/", "/api/v1/status", "/api/openapi.json", "/mcp", "/mcp/"])
def test_it_is_off_unless_asked_for(path: str) -> None:
    client = _client(ServerSettings())
    for method in ("GET", "POST", "DELETE"):
        assert "off on this server" in _problem(client.request(method, path), 404)


def test_the_status_tells_what_one_may_do(client: TestClient) -> None:
    found = client.get("/api/v1/status").json()
    assert found == {
        "version": version("likeness"),
        "shared": False,
        "account": None,
        "may_edit": True,
        "datasets": 1,
        "requests_per_second": 200.0,
        "computing": 0,
        "most_computing": 4,
    }


def test_datasets_are_listed_and_shown(client: TestClient) -> None:
    assert client.get("/api/v1/datasets").json() == {"datasets": [{"id": "cars", "name": "Synthetic Cars", "encoder": "cars", "own": False}]}
    shown, table = client.get(CARS).json(), lk.read("cars")
    assert (shown["images"], shown["dim"], shown["reads_text"]) == (len(table), 512, True)
    attributes = {each["name"]: each for each in shown["attributes"]}
    assert list(attributes) == table.attributes
    assert set(attributes["car_color"]["examples"]) == set(table.frame["car_color"])
    assert attributes["yaw"]["kind"] == "number"
    assert "car color" in shown["notions"]


def test_an_image_is_shown_with_its_attributes_and_a_picture(client: TestClient) -> None:
    shown, row = client.get(f"{CARS}/images/7").json(), lk.read("cars").frame.iloc[7]
    assert (shown["row"], shown["file"]) == (7, row["path"])
    assert {name: shown["attributes"][name] for name in ("car_color", "yaw")} == {"car_color": row["car_color"], "yaw": row["yaw"]}
    picture = client.get(shown["thumbnail"])
    assert picture.headers["content-type"] == "image/webp"
    assert Image.open(io.BytesIO(picture.content)).format == "WEBP"


def test_neighbors_are_those_of_the_space(client: TestClient) -> None:
    space = lk.embed(lk.read("cars"), "cars")
    for notion, wanted in ((None, space), ("car-color", space.refit(get_notion("car-color")))):
        expected = wanted.nearest(3, k=5)
        for _ in range(2):  # computed, and kept
            found = client.get(f"{CARS}/images/3/neighbors", params={"k": 5} | ({"notion": notion} if notion else {})).json()
            assert [hit["row"] for hit in found["hits"]] == expected.rows.tolist()
            assert [hit["similarity"] for hit in found["hits"]] == pytest.approx(expected.similarities.tolist(), abs=1e-5)
            assert "attributes" not in found["hits"][0]
        assert found["space"] == ("car color" if notion else "encoder")


def test_search_by_text_by_image_and_by_both(client: TestClient) -> None:
    space = lk.embed(lk.read("cars"), "cars")
    texts = client.post(f"{CARS}/search", json={"terms": [{"text": "a red car"}], "k": 4, "attributes": True}).json()
    assert [hit["row"] for hit in texts["hits"]] == space.nearest("a red car", k=4).rows.tolist()
    assert texts["hits"][0]["attributes"]["car_color"] == "red"
    file = str(space.table.file(3))  # what visitors write is a text, also where it names a file of this machine
    named = client.post(f"{CARS}/search", json={"terms": [{"text": file}], "k": 4}).json()
    assert (
        [hit["row"] for hit in named["hits"]] == space.nearest(space.text_query(file)[0], k=4).rows.tolist() != space.nearest(file, k=4).rows.tolist()
    )
    terms = [{"row": 3}, {"text": "a red car", "weight": 0.5}, {"text": "a car seen from behind", "weight": -1}]
    both = client.post(f"{CARS}/search", json={"terms": terms, "k": 4}).json()
    query = lk.Query([(1, 3), (0.5, "a red car"), (-1, "a car seen from behind")])
    assert [hit["row"] for hit in both["hits"]] == space.nearest(query, k=4).rows.tolist()
    words = {"templates": ["a {} car"], "aspects": ["red", "green", "blue"]}
    told = client.post(f"{CARS}/search", json={"terms": [{"row": 3}], "k": 4, "notion": words}).json()
    assert [hit["row"] for hit in told["hits"]] == space.refit(lk.Notion("n", "a {} car", words["aspects"])).nearest(3, k=4).rows.tolist()
    unknown = client.post(f"{CARS}/search", json={"terms": [{"text": "a zyxwv car"}]}).json()
    assert "zyxwv" in unknown["note"]


def test_a_picture_from_outside_finds_itself_in_both_forms(client: TestClient, cache: Path) -> None:
    content = lk.read("cars").file(11).read_bytes()
    raw = client.post(f"{CARS}/search/image", params={"k": 1}, content=content, headers={"Content-Type": "image/webp"}).json()
    coded = client.post(f"{CARS}/search", json={"terms": [{"image": base64.b64encode(content).decode()}], "k": 1}).json()
    assert raw["hits"][0]["row"] == coded["hits"][0]["row"] == 11
    assert raw["hits"][0]["similarity"] > 0.99
    assert not (cache / "uploads").exists()  # forgotten


def test_where_keeps_to_values_also_of_labels_made_here(client: TestClient) -> None:
    frame = lk.read("cars").frame
    search = {"terms": [{"text": "a red car"}], "k": 200}
    found = client.post(f"{CARS}/search", json=search | {"where": {"body_type": ["suv"], "car_color": ["blue", "red"]}}).json()
    wanted = frame.index[(frame["body_type"] == "suv") & frame["car_color"].isin(["blue", "red"])]
    assert sorted(hit["row"] for hit in found["hits"]) == wanted.tolist()[:200]
    yaw = float(frame["yaw"].iloc[5])
    assert [hit["row"] for hit in client.post(f"{CARS}/search", json=search | {"where": {"yaw": [yaw]}}).json()["hits"]] == [5]
    client.post(f"{CARS}/labels", json={"rows": [8, 9], "tag": "mine"})
    mine = client.post(f"{CARS}/search", json=search | {"where": {"mine": [True]}}).json()
    assert sorted(hit["row"] for hit in mine["hits"]) == [8, 9]
    assert client.post(f"{CARS}/search", json=search | {"where": {"car_color": ["no such"]}}).json()["hits"] == []
    assert client.post(f"{CARS}/search", json={"terms": [{"row": 5}], "where": {"yaw": [yaw]}}).json()["hits"] == []
    assert "no attribute 'sort'" in _problem(client.post(f"{CARS}/search", json=search | {"where": {"sort": ["a"]}}), 400)
    assert "give numbers" in _problem(client.post(f"{CARS}/search", json=search | {"where": {"yaw": ["a"]}}), 400)


def test_notions_are_listed_shown_and_fitted(client: TestClient) -> None:
    every = [each["name"] for each in client.get("/api/v1/notions").json()["notions"]]
    fitting = [each["name"] for each in client.get("/api/v1/notions", params={"dataset": "cars"}).json()["notions"]]
    assert set(fitting) < set(every)
    shown, notion = client.get("/api/v1/notions/car-color").json(), get_notion("car-color")
    assert (shown["name"], shown["aspects"], shown["templates"]) == ("car color", list(notion.aspects), list(notion.templates))
    fitted = client.post(f"{CARS}/notions/fit", json={"notion": {"templates": ["a {} car"], "aspects": ["red", "green", "zyxwv"]}}).json()
    assert fitted["dim"] >= 1
    assert fitted["unknown_words"] == ["zyxwv"]
    assert fitted["cut"] == ""
    long = {"templates": ["a {} car" + " red" * 50], "aspects": ["red", "blue"]}
    answer = client.post(f"{CARS}/notions/fit", json={"notion": long}).json()
    assert "reads the first 32 tokens of a text, and 2 texts have more" in answer.get("cut", ""), answer
    note = client.post(f"{CARS}/search", json={"terms": [{"text": "red " * 50}]}).json()["note"]
    assert "reads the first 32 tokens of a text, and “red red" in note
    assert "has 52: its end is cut off" in note
    assert 0 <= fitted["alignment"] <= 1


def test_labels_are_given_listed_removed_and_undone(client: TestClient) -> None:
    labels = f"{CARS}/labels"
    assert client.get(labels).json() == {"version": 0, "labels": []}
    assert client.get(f"{labels}/images").json() == {"version": 0, "images": [], "next": None}
    files = lk.read("cars").frame["path"]
    assert client.post(labels, json={"rows": [1, 2, 1500], "tag": "good"}).json() == {"edit": 1, "images": 3, "skipped": 0, "version": 1}
    assert client.post(labels, json={"files": [files[2]], "attribute": "owner", "value": "ada"}).json()["images"] == 1
    assert client.post(labels, json={"rows": [2], "note": "line\nline"}).json()["images"] == 1
    assert {(each["name"], each["kind"], each["value"], each["images"]) for each in client.get(labels).json()["labels"]} == {
        ("good", "tag", "", 3),
        ("owner", "attribute", "ada", 1),
        ("note", "note", "", 1),
    }
    first = client.get(f"{labels}/images", params={"limit": 2}).json()
    assert [(each["row"], each["tags"], each["values"], each["note"]) for each in first["images"]] == [
        (1, ["good"], {}, ""),
        (2, ["good"], {"owner": "ada"}, "line\nline"),
    ]
    rest = client.get(f"{labels}/images", params={"limit": 2, "after": first["next"]}).json()
    assert ([each["row"] for each in rest["images"]], rest["next"]) == ([1500], None)
    assert client.get(f"{labels}/images", params={"limit": 3}).json()["next"] is None
    assert client.post(f"{labels}/undo").json()["images"] == 1
    assert client.post(labels, json={"rows": [2], "attribute": "owner", "remove": True}).json()["images"] == 1
    assert client.post(labels, json={"rows": [1, 2], "tag": "good", "remove": True}).json()["images"] == 2
    assert [each["images"] for each in client.get(labels).json()["labels"]] == [1]
    assert '"good"' in client.get(CARS).text


WRONG_LABELS = [
    ({"tag": "a"}, 422, "name the images"),
    ({"rows": [1], "files": ["a"], "tag": "a"}, 422, "name the images"),
    ({"rows": [1]}, 422, "exactly one of tag"),
    ({"rows": [1], "tag": "a", "note": "b"}, 422, "exactly one of tag"),
    ({"rows": [1], "attribute": "a"}, 422, "takes a value"),
    ({"rows": [1], "tag": "a", "value": "b"}, 422, "takes a value"),
    ({"rows": [5000], "tag": "a"}, 404, "no image 5000"),
    ({"rows": [-1], "tag": "a"}, 422, "greater than or equal to 0"),
    ({"rows": [1], "tag": "car_color"}, 400, "has a column 'car_color'"),
    ({"rows": [1], "tag": "a\u0000"}, 400, "cannot be seen"),
    ({"rows": [1], "tag": "x" * 200}, 400, "at most 80"),
    ({"files": ["nope.webp"], "tag": "a"}, 404, "no image of this dataset"),
    ({"files": ["/etc/passwd"], "tag": "a"}, 404, "no image of this dataset"),
    ({"rows": [1], "tag": "a", "sort": 1}, 422, "no key 'sort'"),
    ({"rows": list(range(10_001)), "tag": "a"}, 422, "at most 10000"),
]


@pytest.mark.parametrize(("body", "status", "sentence"), WRONG_LABELS)
def test_wrong_labels_change_nothing(client: TestClient, body: dict[str, Any], status: int, sentence: str) -> None:
    assert sentence in _problem(client.post(f"{CARS}/labels", json=body), status)
    assert client.get(f"{CARS}/labels").json()["version"] == 0


def test_a_value_that_is_a_whole_path_or_address_is_its_last_step() -> None:
    from api.datasets import scalar

    for place in ("/home/ada/pets/", "~/pets/", "s3://bucket/pets/", "https://host/pets/"):
        assert scalar(f"{place}a.png") == "a.png"
    assert scalar("pets/a.png") == "pets/a.png"


def test_no_whole_path_tells_where_images_lie(client: TestClient, tmp_path: Path, photo: Callable[..., Image.Image]) -> None:
    """Not that of a folder, not those in a table, and none that a program guesses."""
    folder = tmp_path / "secret place"
    folder.mkdir()
    for name in ("a.png", "b.png"):
        photo(32, 32, ord(name[0])).save(folder / name)
    table = tmp_path / "table.csv"
    table.write_text(f"path,origin\n{folder}/a.png,{folder}/a.raw\n{folder}/b.png,x\n")
    for number, source in enumerate((folder, table)):
        add_dataset(new_entry(f"set {number}", str(source), "cars"))
    listed = client.get("/api/v1/datasets")
    for entry in listed.json()["datasets"][1:]:
        base = f"/api/v1/datasets/{entry['id']}"
        answers = [client.get(base), client.get(f"{base}/images/0"), client.get(f"{base}/images/0/neighbors"), client.get(f"{base}/labels")]
        assert [each.status_code for each in answers] == [200] * 4
        assert answers[1].json()["file"] == "a.png"
        answers += [client.post(f"{base}/labels", json={"files": [name], "tag": "t"}) for name in ("a.png", f"{folder}/a.png")]
        assert [each.status_code for each in answers[4:]] == [200, 404]
        (folder / "b.png").rename(folder / "c.png")
        answers += [client.get(f"{base}/images/1/thumbnail")]
        (folder / "c.png").rename(folder / "b.png")
        assert not any("secret" in each.text for each in [*answers[:5], listed])
        assert str(tmp_path) not in "".join(each.text for each in answers)


WRONG = [
    ("GET", "/datasets/nope", None, 404),
    ("GET", "/datasets/%C2%B2", None, 422),
    ("GET", f"/datasets/{'x' * 3000}", None, 422),
    ("GET", "/datasets/cars/images/2000", None, 404),
    ("GET", "/datasets/cars/images/-1", None, 422),
    ("GET", "/datasets/cars/images/1.5", None, 422),
    ("GET", "/datasets/cars/images/" + "9" * 5000, None, 422),
    ("GET", "/datasets/cars/images/2000/thumbnail", None, 404),
    ("GET", "/datasets/cars/images/x/thumbnail", None, 422),
    ("GET", "/datasets/cars/images/1/neighbors?k=0", None, 422),
    ("GET", "/datasets/cars/images/1/neighbors?k=201", None, 422),
    ("GET", "/datasets/cars/images/1/neighbors?k=1&k=2", None, 400),
    ("GET", "/datasets/cars/images/1/neighbors?row=2", None, 400),
    ("GET", "/datasets/cars/images/1/neighbors?sort=2", None, 422),
    ("GET", "/datasets/cars/images/1/neighbors?notion=nope", None, 404),
    ("GET", "/notions/nope", None, 404),
    ("GET", "/notions/%00", None, 404),
    ("GET", "/nope", None, 404),
    ("DELETE", "/datasets/cars", None, 405),
    ("POST", "/datasets/cars/search", {}, 422),
    ("POST", "/datasets/cars/search", {"terms": []}, 422),
    ("POST", "/datasets/cars/search", {"terms": [{}]}, 422),
    ("POST", "/datasets/cars/search", {"terms": [{"text": "a", "row": 1}]}, 422),
    ("POST", "/datasets/cars/search", {"terms": [{"text": "a", "weight": 0}]}, 422),
    ("POST", "/datasets/cars/search", {"terms": [{"text": "x" * 301}]}, 422),
    ("POST", "/datasets/cars/search", {"terms": [{"row": 2000}]}, 404),
    ("POST", "/datasets/cars/search", {"terms": [{"image": "no base64!"}]}, 400),
    ("POST", "/datasets/cars/search", {"terms": [{"image": "aGVsbG8="}]}, 400),
    ("POST", "/datasets/cars/search", {"dataset": "cars", "terms": [{"row": 1}]}, 400),
    ("POST", "/datasets/cars/search", {"terms": [{"row": 1}], "notion": {"aspects": ["a"]}}, 422),
    ("POST", "/datasets/cars/search", {"terms": [{"row": 1}], "notion": {"aspects": ["a", "b"], "templates": ["none"]}}, 400),
    ("POST", "/datasets/cars/search", [], 400),
    ("POST", "/datasets/cars/search?k=3", {"terms": [{"row": 1}]}, 400),
    ("POST", "/datasets/cars/labels/undo", {}, 400),
]


@pytest.mark.parametrize(("method", "path", "body", "status"), WRONG, ids=range(len(WRONG)))
def test_what_is_wrong_is_told_in_a_sentence(client: TestClient, method: str, path: str, body: Any, status: int) -> None:
    _problem(client.request(method, f"/api/v1{path}", **({} if body is None else {"json": body})), status)


BODIES = [
    b"",
    b"{",
    b"\xff",
    b"[" * 100_000,
    b"nope",
    b'{"terms": [{"text": "\\ud800"}]}',
    b'{"terms": [{"row": NaN}]}',
    b'{"terms": [{"row": 1e400}]}',
]


@pytest.mark.parametrize("content", BODIES, ids=range(len(BODIES)))
def test_what_is_no_json_is_refused(client: TestClient, content: bytes) -> None:
    response = client.post(f"{CARS}/search", content=content, headers={"Content-Type": "application/json"})
    _problem(response, 422 if b"row" in content else 400)


def test_bodies_of_other_types_are_refused(client: TestClient) -> None:
    for kind in ("text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=a", ""):
        headers = {"Content-Type": kind} if kind else {}
        content = json.dumps({"terms": [{"row": 1}]}).encode()
        _problem(client.post(f"{CARS}/search", content=content, headers=headers), 415)
        _problem(client.post(f"{CARS}/search/image", content=content, headers=headers), 415)
    _problem(client.post(f"{CARS}/search/image", content=b"no picture", headers={"Content-Type": "image/png"}), 400)


def test_a_fault_of_the_server_tells_nothing(client: TestClient, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*given: Any) -> None:
        raise RuntimeError("/srv/secret")

    monkeypatch.setattr("api.searching.fitted", broken)
    response = client.get(f"{CARS}/images/1/neighbors", params={"notion": "car-color"})
    assert "its log says why" in _problem(response, 500)
    assert "secret" not in response.text


class _References(HTMLParser):
    """What a page would load or link to."""

    def __init__(self) -> None:
        super().__init__()
        self.ids: list[str] = []
        self.links: list[str] = []
        self.tags: set[str] = set()

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        for name, value in attributes:
            if name == "id":
                self.ids.append(str(value))
            elif name in ("href", "src"):
                self.links.append(str(value))


def test_the_page_loads_nothing_and_its_links_lead_somewhere(client: TestClient) -> None:
    for path in ("/api", "/api/"):
        page = client.get(path)
        assert page.headers["content-type"].startswith("text/html")
        assert "default-src 'none'" in page.headers["content-security-policy"]
        read = _References()
        read.feed(page.text)
        (document,) = {link for link in read.links if not link.startswith("#")}
        assert urljoin(f"http://proxy/lab{path}", document) == "http://proxy/lab/api/openapi.json"
    assert not read.tags & {"script", "link", "img", "iframe"}
    assert len(read.ids) == len(set(read.ids))
    assert {link.removeprefix("#") for link in read.links if link.startswith("#")} <= set(read.ids)
    assert {"search", "neighbors", "edit_labels", "Found"} <= set(read.ids)


def test_the_document_is_openapi_and_says_what_there_is(client: TestClient) -> None:
    document = client.get("/api/openapi.json").json()
    every = {(method.upper(), path) for path, methods in document["paths"].items() for method in methods}
    from api.operations import OPERATIONS

    assert {(each.method, f"/api{each.path}") for each in OPERATIONS} < every
    (place,) = document["servers"]
    assert urljoin("http://proxy/lab/api/openapi.json", place["url"]) == "http://proxy/lab/"
    names = [each["operationId"] for methods in document["paths"].values() for each in methods.values()]
    assert len(names) == len(set(names))
    for method, path in every:  # none is only on paper
        filled = path.replace("{dataset}", "cars").replace("{row}", "1").replace("{notion}", "car-color")
        assert client.request(method, filled).status_code not in (404, 405), path
    validator = pytest.importorskip("openapi_spec_validator")
    validator.validate(document)


def test_answers_fit_the_document(client: TestClient) -> None:
    import jsonschema

    document = client.get("/api/openapi.json").json()
    asked = ["/status", "/datasets", "/datasets/cars", "/datasets/cars/images/1", "/datasets/cars/images/1/neighbors?attributes=true"]
    for path in (*asked, "/notions", "/notions/car-color", "/datasets/cars/labels", "/datasets/cars/labels/images"):
        found = client.get(f"/api/v1{path}")
        pattern = (
            f"/api/v1{path.partition('?')[0]}".replace("/cars", "/{dataset}").replace("/images/1", "/images/{row}").replace("car-color", "{notion}")
        )
        schema = document["paths"][pattern]["get"]["responses"]["200"]["content"]["application/json"]["schema"]
        jsonschema.validate(found.json(), schema | {"components": document["components"]})


def test_ids_of_rows_are_numbers_of_the_table(client: TestClient) -> None:
    rng = np.random.default_rng(0)
    frame = lk.read("cars").frame
    for row in rng.integers(0, len(frame), 5).tolist():
        assert client.get(f"{CARS}/images/{row}").json()["file"] == frame["path"].iloc[row]
