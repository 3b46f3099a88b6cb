"""The HTML that pages begin with, and where their addresses lead."""

import base64
import hashlib
import re

import pytest
from starlette.applications import Starlette
from starlette.testclient import TestClient

import navigation
import start_page


@pytest.fixture
def client() -> TestClient:
    return TestClient(Starlette(routes=start_page.routes()), follow_redirects=False)


def test_each_page_begins_with_streamlits_own_html_that_knows_where_the_server_is(client: TestClient) -> None:
    for address in ("", *(page.address for page in navigation.PAGES[1:])):
        answer = client.get(f"/{address}?query=5")
        assert answer.status_code == client.head(f"/{address}").status_code == 200
        assert answer.headers["content-type"].startswith("text/html")
        assert answer.headers["cache-control"] == "no-cache"
        assert answer.text.index("BACKEND_BASE_URL") < answer.text.index("./static/js/index.")


def test_the_first_pages_own_address_leads_to_the_root_with_what_it_asks_for(client: TestClient) -> None:
    answer = client.get("/explore?b=Car%20color&query=5")
    assert (answer.status_code, answer.headers["location"]) == (307, "./?b=Car%20color&query=5")
    assert client.get("/explore").headers["location"] == "./"


def test_pages_may_ask_this_server_alone_and_run_the_scripts_that_they_begin_with(client: TestClient) -> None:
    policy = dict(part.split(" ", 1) for part in start_page.content_policy().split("; "))
    assert policy["default-src"] == policy["connect-src"] == "'self'"
    for name, sources in policy.items():
        assert not [source for source in sources.split() if ":" in source and source not in ("data:", "blob:")], name  # no other server, no scheme
    scripts = re.findall(r"<script>(.*?)</script>", client.get("/").text, re.DOTALL)
    assert len(scripts) == 2
    for script in scripts:
        assert f"'sha256-{base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()}'" in policy["script-src"]
    assert "'unsafe-inline'" not in policy["script-src"]
