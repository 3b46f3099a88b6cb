"""The served app under messages that no browser sends: it shows and logs no traceback, and goes on serving others. `long.py` sends more."""

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))

from app_server import AppServer
from fuzzing import Found
from message_fuzz import aftermath, attack_pages, attack_routes, attack_socket


@pytest.fixture(scope="module")
def app_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[AppServer]:
    with AppServer(tmp_path_factory.mktemp("attacked")) as running:
        yield running


def _told(found: list[Found]) -> str:
    return "\n\n".join(f"{each.case}, seed {each.seed}: {each.what}" for each in found)


@pytest.mark.long
def test_the_app_answers_any_message_and_stays_up(app_server: AppServer) -> None:
    pages = range(4)
    sent, found = attack_pages(app_server, pages)
    attack_socket(app_server, range(12))
    found += attack_routes(app_server, range(150))
    found += aftermath(app_server)
    assert not found, _told(found)
    assert sent >= 10 * len(pages)
