"""The HTTP API, in one process: what operations answer, what wrong requests are told, and the OpenAPI document."""

import base64
import hashlib
import io
import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from importlib.metadata import version
from pathlib import Path
from typing import Any
from urllib.parse import urljoin

import pytest
from PIL import Image
from starlette.applications import Starlette
from starlette.middleware.gzip import GZipMiddleware
from starlette.testclient import TestClient

import likeness as lk
from likeness.notions import get_notion
from server.settings import ServerSettings
from worlds import api_routes, cars, dataset, draw_noise

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


def test_the_status_and_datasets_and_images_are_listed_and_shown(client: TestClient) -> None:
    told = {"version": version("likeness"), "shared": False, "account": None, "may_edit": True, "datasets": 1}
    assert client.get("/api/v1/status").json() == told | {"requests_per_second": 200.0, "computing": 0, "most_computing": 4}
    assert client.head("/api/v1/status").status_code == 200
    assert client.get("/api/v1/datasets").json() == {"datasets": [{"id": "cars", "name": "Synthetic Cars", "encoder": "cars", "own": False}]}
    shown, table = client.get(CARS).json(), lk.read("cars")
    assert (shown["images"], shown["dim"], shown["reads_text"]) == (len(table), 512, True)
    attributes = {each["name"]: each for each in shown["attributes"]}
    assert list(attributes) == table.attributes
    assert set(attributes["car_color"]["examples"]) == set(table.frame["car_color"])
    assert attributes["yaw"]["kind"] == "number"
    assert "car color" in shown["notions"]
    shown, wanted = client.get(f"{CARS}/images/1234").json(), table.frame.iloc[1234]
    assert (shown["row"], shown["file"]) == (1234, wanted["path"])
    assert {name: shown["attributes"][name] for name in ("car_color", "yaw")} == wanted[["car_color", "yaw"]].to_dict()
    picture = client.get(shown["thumbnail"])
    assert picture.headers["content-type"] == "image/webp"
    assert Image.open(io.BytesIO(picture.content)).format == "WEBP"


def _search(client: TestClient, *terms: dict[str, Any], **more: Any) -> dict[str, Any]:
    found: dict[str, Any] = client.post(f"{CARS}/search", json={"terms": terms, "k": 4} | more).json()
    return found | {"rows": [hit["row"] for hit in found["hits"]]}


def test_neighbors_are_those_of_the_space(client: TestClient) -> None:
    for notion, wanted in ((None, cars()), ("car-color", cars().refit(get_notion("car-color")))):
        expected = wanted.nearest(3, k=5)
        for _ in range(2):  # computed, and kept
            found = client.get(f"{CARS}/images/3/neighbors", params={"k": 5} | ({"notion": notion} if notion else {})).json()
            assert [hit["row"] for hit in found["hits"]] == expected.rows.tolist()
            assert [hit["similarity"] for hit in found["hits"]] == pytest.approx(expected.similarities.tolist(), abs=1e-5)
            assert "attributes" not in found["hits"][0]
        assert found["space"] == ("car color" if notion else "encoder")


def test_results_say_why_only_if_asked(client: TestClient) -> None:
    near = {"k": 3, "why": True}
    expected = cars().nearest(3, k=3).why()
    for notion in ({}, {"notion": "car-color"}):
        hits = client.get(f"{CARS}/images/3/neighbors", params=near | notion).json()["hits"]
        assert [hit["why"] for hit in hits] == [cars().why(3, hit["row"]) for hit in hits]
    assert [hit["why"] for hit in _search(client, {"row": 3}, **near)["hits"]] == expected
    assert {hit["why"] for hit in _search(client, {"text": "a red car"}, **near)["hits"]} == {"By the encoder: same car color (red)."}
    content = cars().table.file(3).read_bytes()
    raw = client.post(f"{CARS}/search/image", params=near | {"notion": "car-color"}, content=content, headers={"Content-Type": "image/webp"}).json()
    assert all(hit["why"].startswith("By the encoder: same ") for hit in raw["hits"])
    assert "why" not in _search(client, {"row": 3})["hits"][0]
    two = {"terms": [{"row": 3}, {"text": "red"}], "why": True}
    assert "several terms have no common reason" in _problem(client.post(f"{CARS}/search", json=two), 422)


def test_search_by_text_by_image_by_both_and_by_a_picture_from_outside(client: TestClient, cache: Path) -> None:
    space = cars()
    texts = _search(client, {"text": "a red car"}, attributes=True)
    assert texts["rows"] == space.nearest("a red car", k=4).rows.tolist()
    assert texts["hits"][0]["attributes"]["car_color"] == "red"
    file = str(space.table.file(3))  # what visitors write is a text, also where it names a file of this machine
    named = _search(client, {"text": file})["rows"]
    assert named == space.nearest(space.text_query(file)[0], k=4).rows.tolist() != space.nearest(file, k=4).rows.tolist()
    both = _search(client, {"row": 3}, {"text": "a red car", "weight": 0.5}, {"text": "a car seen from behind", "weight": -1})
    query = lk.Query([(1, 3), (0.5, "a red car"), (-1, "a car seen from behind")])
    assert both["rows"] == space.nearest(query, k=4).rows.tolist()
    words = {"templates": ["a {} car"], "aspects": ["red", "green", "blue"]}
    fitted = space.refit(lk.Notion("n", "a {} car", words["aspects"]))
    assert _search(client, {"row": 3}, notion=words)["rows"] == fitted.nearest(3, k=4).rows.tolist()
    assert "zyxwv" in _search(client, {"text": "a zyxwv car"})["note"]
    content = lk.read("cars").file(11).read_bytes()
    raw = client.post(f"{CARS}/search/image", params={"k": 1}, content=content, headers={"Content-Type": "image/webp"}).json()
    coded = client.post(f"{CARS}/search", json={"terms": [{"image": base64.b64encode(content).decode()}], "k": 1}).json()
    assert raw["hits"][0]["row"] == coded["hits"][0]["row"] == 11
    assert raw["hits"][0]["similarity"] > 0.99
    assert not (cache / "uploads").exists()  # forgotten


def test_where_keeps_to_values_also_of_labels_made_here(client: TestClient) -> None:
    frame = lk.read("cars").frame

    def found(where: dict[str, Any], term: dict[str, Any] | None = None) -> list[int]:
        return sorted(_search(client, term or {"text": "a red car"}, k=200, where=where)["rows"])

    wanted = frame.index[(frame["body_type"] == "suv") & frame["car_color"].isin(["blue", "red"])]
    assert found({"body_type": ["suv"], "car_color": ["blue", "red"]}) == wanted.tolist()[:200]
    yaw = float(frame["yaw"].iloc[5])
    assert found({"yaw": [yaw]}) == [5]
    client.post(f"{CARS}/labels", json={"rows": [8, 9], "tag": "mine"})
    assert found({"mine": [True]}) == [8, 9]
    assert found({"car_color": ["no such"]}) == found({"yaw": [yaw]}, {"row": 5}) == []
    for where, said in (({"sort": ["a"]}, "no attribute 'sort'"), ({"yaw": ["a"]}, "Pass numbers")):
        assert said in _problem(client.post(f"{CARS}/search", json={"terms": [{"row": 1}], "where": where}), 400)


def test_notions_are_listed_shown_and_fitted(client: TestClient) -> None:
    every, fitting = (
        {each["name"] for each in client.get("/api/v1/notions", params=dataset).json()["notions"]} for dataset in ({}, {"dataset": "cars"})
    )
    assert fitting < every
    shown, notion = client.get("/api/v1/notions/car-color").json(), get_notion("car-color")
    assert (shown["name"], shown["aspects"], shown["templates"]) == ("car color", list(notion.aspects), list(notion.templates))
    fitted = client.post(f"{CARS}/notions/fit", json={"notion": {"templates": ["a {} car"], "aspects": ["red", "green", "zyxwv"]}}).json()
    assert fitted["dim"] >= 1
    assert (fitted["unknown_words"], fitted["cut"]) == (["zyxwv"], "")
    assert 0 <= fitted["alignment"] <= 1
    long = {"templates": ["a {} car" + " red" * 50], "aspects": ["red", "blue"]}
    answer = client.post(f"{CARS}/notions/fit", json={"notion": long}).json()
    assert "reads the first 32 tokens of a text, and 2 texts have more" in answer["cut"]
    assert "has 52: its end is cut off" in _search(client, {"text": "red " * 50})["note"]


def test_labels_are_given_listed_removed_and_undone(client: TestClient) -> None:
    labels = f"{CARS}/labels"

    def give(**label: Any) -> int:
        return int(client.post(labels, json=label).json()["images"])

    assert client.get(labels).json() == {"version": 0, "labels": []}
    assert client.get(f"{labels}/images").json() == {"version": 0, "images": [], "next": None}
    assert client.post(labels, json={"rows": [1, 2, 1500], "tag": "good"}).json() == {"edit": 1, "images": 3, "skipped": 0, "version": 1}
    assert give(files=[lk.read("cars").frame["path"][2]], attribute="owner", value="ada") == give(rows=[2], note="line\nline") == 1
    given = {("good", "tag", "", 3), ("owner", "attribute", "ada", 1), ("note", "note", "", 1)}
    assert {(each["name"], each["kind"], each["value"], each["images"]) for each in client.get(labels).json()["labels"]} == given
    first = client.get(f"{labels}/images", params={"limit": 2}).json()
    assert [tuple(each[key] for key in ("row", "tags", "values", "note")) for each in first["images"]] == [
        (1, ["good"], {}, ""),
        (2, ["good"], {"owner": "ada"}, "line\nline"),
    ]
    rest = client.get(f"{labels}/images", params={"limit": 2, "after": first["next"]}).json()
    assert ([each["row"] for each in rest["images"]], rest["next"]) == ([1500], None)
    assert client.get(f"{labels}/images", params={"limit": 3}).json()["next"] is None
    assert client.post(f"{labels}/undo").json()["images"] == 1
    assert (give(rows=[2], attribute="owner", remove=True), give(rows=[1, 2], tag="good", remove=True)) == (1, 2)
    assert [each["images"] for each in client.get(labels).json()["labels"]] == [1]
    assert '"good"' in client.get(CARS).text


WRONG_LABELS: list[tuple[dict[str, Any], int, str]] = [
    ({"tag": "a"}, 422, "pass either rows or files"),
    ({"rows": [1], "files": ["a"], "tag": "a"}, 422, "pass either rows or files"),
    ({"rows": [1]}, 422, "exactly one of tag"),
    ({"rows": [1], "attribute": "a"}, 422, "takes a value"),
    ({"rows": [5000], "tag": "a"}, 404, "no image 5000"),
    ({"rows": [-1], "tag": "a"}, 422, "greater than or equal to 0"),
    ({"rows": [1], "tag": "car_color"}, 400, "has a column 'car_color'"),
    ({"rows": [1], "tag": "a\u0000"}, 400, "invisible characters"),
    ({"files": ["/etc/passwd"], "tag": "a"}, 404, "is not an image of this dataset"),
    ({"rows": [1], "tag": "a", "sort": 1}, 422, "no key 'sort'"),
    ({"rows": list(range(10_001)), "tag": "a"}, 422, "at most 10000"),
]


def test_wrong_labels_change_nothing(client: TestClient) -> None:
    for body, status, said in WRONG_LABELS:
        assert said in _problem(client.post(f"{CARS}/labels", json=body), status)
    assert client.get(f"{CARS}/labels").json()["version"] == 0


def test_no_whole_path_tells_where_images_lie(client: TestClient, tmp_path: Path) -> None:
    """Not that of a folder, not those in a table, and none that a program guesses."""
    from api.datasets import scalar

    for place in ("/home/ada/pets/", "~/pets/", "s3://bucket/pets/", "https://host/pets/"):
        assert scalar(f"{place}a.png") == "a.png"
    assert scalar("pets/a.png") == "pets/a.png"
    folder, table = draw_noise(tmp_path / "secret place", 2), tmp_path / "table.csv"
    table.write_text(f"path,origin\n{folder}/00.png,{folder}/a.raw\n{folder}/01.png,x\n")
    for source in (folder, table):
        dataset(source, name=source.suffix or "folder")
    listed = client.get("/api/v1/datasets")
    for entry in listed.json()["datasets"][1:]:
        base = f"/api/v1/datasets/{entry['id']}"
        answers = [client.get(f"{base}{path}") for path in ("", "/images/0", "/images/0/neighbors", "/labels")]
        assert answers[1].json()["file"] == "00.png"
        answers += [client.post(f"{base}/labels", json={"files": [name], "tag": "t"}) for name in ("00.png", f"{folder}/00.png")]
        assert [each.status_code for each in answers] == [200] * 5 + [404]
        (folder / "01.png").rename(folder / "c.png")
        answers += [client.get(f"{base}/images/1/thumbnail")]
        (folder / "c.png").rename(folder / "01.png")
        assert not any("secret" in each.text for each in [*answers[:5], listed])
        assert str(tmp_path) not in "".join(each.text for each in answers if str(folder) not in each.request.content.decode())  # its own words


SEARCH = "/datasets/cars/search"
NEAR = "/datasets/cars/images/1/neighbors"
ROW: dict[str, Any] = {"terms": [{"row": 1}]}
WRONG: list[tuple[int, str, list[str]]] = [  # status, method, and paths
    (404, "GET", ["/datasets/nope", "/datasets/cars/images/2000", "/datasets/cars/images/2000/thumbnail", f"{NEAR}?notion=nope"]),
    (404, "GET", ["/notions/nope", "/notions/%00", "/nope", "/assets/nope"]),
    (404, "GET", ["/datasets/ca%0Ars", "/datasets/cars%0A", "/datasets/cars/images/1%0A", "/notions/%0A", "/status%0A", "/%0A", "%0A"]),
    (422, "GET", ["/datasets/%C2%B2", f"/datasets/{'x' * 3000}", "/datasets/cars/images/x/thumbnail"]),
    (422, "GET", [f"/datasets/cars/images/{row}" for row in ("-1", "1.5", "1.0", "+1", "%201", "true", "9" * 5000)]),
    (422, "GET", [*(f"{NEAR}?{asked}" for asked in ("k=0", "k=201", "k=3.0", "k=true", "k=+3", "k=", "sort=2")), "/status?sort=2"]),
    (400, "GET", [f"{NEAR}?k=1&k=2", f"{NEAR}?row=2"]),
    (405, "DELETE", ["/datasets/cars"]),
]
WRONG_BODIES: list[tuple[int, str, list[Any]]] = [  # status, path, and bodies
    (422, SEARCH, [{}, {"terms": []}, {"terms": [{}]}, ROW | {"notion": {"aspects": ["a"]}}]),
    (422, SEARCH, [{"terms": [{"text": "a"} | more]} for more in ({"row": 1}, {"weight": 0}, {"text": "x" * 301})]),
    (422, SEARCH, [{"terms": [{"row": row}]} for row in (False, True, "3", 3.0, "", [3])]),
    (422, SEARCH, [ROW | given for given in ({"k": True}, {"k": "3"}, {"k": 3.0}, {"attributes": 1}, {"attributes": "true"})]),
    (422, SEARCH, [{"terms": [{"row": 1, "weight": weight}]} for weight in (True, "1")]),
    (422, "/datasets/cars/labels", [{"rows": [row], "tag": "t"} for row in (True, "3", 3.0)]),
    (422, "/datasets/cars/notions/fit", [{"notion": {"aspects": ["a", "b"], "dim": dim}} for dim in (True, "2", 2.0)]),
    (404, SEARCH, [{"terms": [{"row": 2000}]}]),
    (400, SEARCH, [[], ROW | {"dataset": "cars"}, ROW | {"notion": {"aspects": ["a", "b"], "templates": ["none"]}}]),
    (400, SEARCH, [{"terms": [{"image": image}]} for image in ("no base64!", "aGVsbG8=")]),
    (400, f"{SEARCH}?k=3", [ROW]),
    (400, "/datasets/cars/labels/undo", [{}, [], {"dataset": "cars"}]),
    (422, "/datasets/cars/labels/undo", [{"sort": 1}]),
    (400, SEARCH, [b"", b"{", b"\xff", b"[" * 100_000, b"nope", b'{"terms": [{"text": "\\ud800"}]}']),  # no JSON
    (422, SEARCH, [b'{"terms": [{"row": NaN}]}', b'{"terms": [{"row": 1e400}]}']),
]


def test_what_is_wrong_is_told_in_a_sentence(client: TestClient, monkeypatch: pytest.MonkeyPatch) -> None:
    def post(path: str, content: bytes, kind: str = "application/json") -> Any:
        return client.post(f"/api/v1{path}", content=content, headers={"Content-Type": kind} if kind else {})

    for status, method, paths in WRONG:
        for path in paths:
            _problem(client.request(method, f"/api/v1{path}"), status)
    for status, path, bodies in WRONG_BODIES:
        for body in bodies:
            _problem(post(path, body if isinstance(body, bytes) else json.dumps(body).encode()), status)
    for kind in ("text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=a", ""):
        for path in (SEARCH, f"{SEARCH}/image"):
            _problem(post(path, json.dumps(ROW).encode(), kind), 415)
    for content in (b"no picture", b""):
        _problem(post(f"{SEARCH}/image", content, "image/png"), 400)

    def broken(*given: Any) -> None:
        raise RuntimeError("/srv/secret")

    monkeypatch.setattr("api.searching.fitted", broken)  # a fault of the server tells nothing
    response = client.get(f"{CARS}/images/1/neighbors", params={"notion": "car-color"})
    assert "See the server's log" in _problem(response, 500)
    assert "secret" not in response.text
    monkeypatch.setattr("api.http_api._Route._check", broken)  # also outside of an operation
    assert "See the server's log" in _problem(client.get("/api/v1/status"), 500)


READ = {"GET", "HEAD", "OPTIONS"}
METHODS = {
    **dict.fromkeys(("/api", "/api/", "/api/openapi.json", "/api/assets/favicon.png", "/api/v1/status", CARS, f"{CARS}/images/1"), READ),
    f"{CARS}/labels": READ | {"POST"},
    **{key: {"POST", "OPTIONS"} for key in (f"{CARS}/labels/undo", f"{CARS}/search", f"{CARS}/search/image")},
}


def test_each_address_says_which_methods_it_has(client: TestClient) -> None:
    for path, methods in METHODS.items():
        options, wrong = client.options(path), client.delete(path)
        assert (options.status_code, options.content) == (204, b"")
        _problem(wrong, 405)
        for answer in (options, wrong):
            assert answer.headers["allow"].split(", ") == sorted(methods)
        if "HEAD" in methods:
            head, whole = client.head(path), client.get(path)
            assert (head.status_code, head.content, head.headers["content-type"]) == (200, b"", whole.headers["content-type"])
        else:
            assert client.head(path).status_code == client.get(path).status_code == 405
    assert client.options("/api/v1/nope").status_code == 404


def test_a_picture_comes_under_the_type_that_a_client_accepts(client: TestClient) -> None:
    """What is generated for binary answers often knows application/octet-stream alone."""
    answers = [client.get(f"{CARS}/images/1/thumbnail", headers={"Accept": kind}) for kind in ("*/*", "application/octet-stream")]
    assert [each.headers["content-type"] for each in answers] == ["image/webp", "application/octet-stream"]
    assert answers[0].content == answers[1].content


def test_the_page_loads_what_this_server_has_and_nothing_else(client: TestClient) -> None:
    for path in ("/api", "/api/"):
        page = client.get(path)
        assert page.headers["content-type"].startswith("text/html")
        policy, (script,) = page.headers["content-security-policy"], re.findall(r"<script>(.*?)</script>", page.text, re.DOTALL)
        assert "default-src 'none'" in policy
        assert f"'sha256-{base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()}'" in policy
        links = re.findall(r"""(?:href=|src=|url: )["']([^"']*)""", page.text)
        assert len(links) == 4
        for link in links:
            found = urljoin(f"http://proxy/lab{path}", link)
            assert found.startswith("http://proxy/lab/api/")
            assert client.get(found.removeprefix("http://proxy/lab")).status_code == 200
    assert 'validatorUrl": null' in page.text  # else it asks another server


def test_fastapi_is_loaded_for_programs_alone() -> None:
    for settings, loaded in (("", False), ("api=True", True)):
        code = f"import sys; from worlds import api_routes; from server.settings import ServerSettings as S; api_routes(S({settings}))"
        command = [sys.executable, "-c", f"{code}; assert ('fastapi' in sys.modules) == {loaded}"]
        subprocess.run(command, env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}, check=True, timeout=300)


def test_the_document_is_openapi_says_what_there_is_and_answers_fit_it(client: TestClient) -> None:
    import jsonschema

    from api.operations import OPERATIONS

    document = client.get("/api/openapi.json").json()
    with TestClient(GZipMiddleware(Starlette(routes=api_routes(ServerSettings(api=True))))) as compressed:
        answers = [compressed.get("/api/openapi.json", headers={"Accept-Encoding": kind}).json() for kind in ("gzip", "gzip", "identity")]
    assert answers == [document] * 3
    every = {(method.upper(), path) for path, methods in document["paths"].items() for method in methods}
    assert {(each.method, f"/api/v1{each.path}") for each in OPERATIONS} == every
    (place,) = document["servers"]
    assert urljoin("http://proxy/lab/api/openapi.json", place["url"]) == "http://proxy/lab/"
    names = [each["operationId"] for methods in document["paths"].values() for each in methods.values()]
    assert len(names) == len(set(names))
    for method, path in every:  # none is only on paper
        found = client.request(method, path.replace("{dataset}", "cars").replace("{row}", "1").replace("{notion}", "car-color"))
        assert found.status_code not in (404, 405), path
        if method == "GET" and found.headers["content-type"] == "application/json" and "openapi" not in path:
            schema = document["paths"][path]["get"]["responses"]["200"]["content"]["application/json"]["schema"]
            jsonschema.validate(found.json(), schema | {"components": document["components"]})
    binary = {"type": "string", "format": "binary"}
    content = document["paths"]["/api/v1/datasets/{dataset}/images/{row}/thumbnail"]["get"]["responses"]["200"]["content"]
    assert content == {key: {"schema": binary} for key in ("image/webp", "application/octet-stream")}
    body = document["paths"]["/api/v1/datasets/{dataset}/search/image"]["post"]["requestBody"]
    assert (body["required"], list(body["content"])) == (True, ["application/octet-stream"])
    assert body["content"]["application/octet-stream"]["schema"].items() >= binary.items()
    pytest.importorskip("openapi_spec_validator").validate(document)


def test_a_search_by_text_says_whether_anything_matches(client: TestClient) -> None:
    def search(*terms: dict[str, Any]) -> Any:
        return client.post(f"{CARS}/search", json={"terms": terms, "k": 2}).json().get("presence")

    found = search({"text": "a red car"})
    assert found["answer"] == "here"
    assert 0.05 == found["false_alarm_rate"] < found["p_value"] <= 1
    assert search({"text": "a submarine"}) == {
        "answer": "unread",
        "p_value": None,
        "false_alarm_rate": 0.05,
        "sentence": "'submarine' is no word that this encoder knows.",
    }
    assert search({"row": 3}) is None
    assert search({"text": "a red car"}, {"row": 3}) is None
