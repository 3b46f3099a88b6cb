"""Pictures and attributes by address: what names no row of a dataset is answered with 404."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from starlette.applications import Starlette
from starlette.testclient import TestClient

ROWS = ["-1", "2000", "9" * 30, "9" * 5000, "²", "٣", "1.5", "1e3", "0x1", "%00", "%ff", "a", "nan", "+1", " 1"]


@pytest.fixture
def client(monkeypatch: pytest.MonkeyPatch) -> Iterator[TestClient]:
    monkeypatch.syspath_prepend(str(Path(__file__).resolve().parents[2] / "app"))
    import routes

    with TestClient(Starlette(routes=routes.ROUTES)) as client:
        yield client


def test_what_names_no_row_or_no_dataset_is_not_there(client: TestClient) -> None:
    for name in ("thumbnails", "labeled", "info"):
        for row in ROWS:
            assert client.get(f"/{name}/cars/{row}", params={"kind": "angles", "columns": '["yaw"]'}).status_code == 404, (name, row)
        for dataset in ("nope", "²", "%00", "..%2f..", "x" * 3000):
            assert client.get(f"/{name}/{dataset}/0").status_code == 404, (name, dataset)


def test_a_row_is_served(client: TestClient) -> None:
    assert client.get("/thumbnails/cars/1").headers["content-type"] == "image/webp"
    assert client.get("/info/cars/001").json() == client.get("/info/cars/1").json()
