"""Train and Runs in a real browser: configure, start, watch a curve grow, stop, resume, open the run's space in Explore; links to pages."""

import os
import signal
from collections.abc import Iterator
from typing import Any

import pytest

from browsing import WAIT, settled
from likeness.training.runs.run_folder import RunFolder

pytestmark = pytest.mark.long

NAME = "browser-run"


def _fill(page: Any, role: str, name: str, value: str) -> None:
    field = page.get_by_role(role, name=name, exact=True)
    field.fill(value)
    field.press("Enter")
    settled(page)


_POINTS = "(document.querySelector('.js-plotly-plot')?.data?.at(-1)?.x?.length ?? 0)"


def _points(page: Any) -> int:
    found: int = page.evaluate(_POINTS)
    return found


def _wait_for_points(page: Any, least: int) -> None:
    page.wait_for_function(f"{_POINTS} >= {least}", timeout=WAIT)


@pytest.fixture
def run(server: Any) -> Iterator[RunFolder]:
    """The run that the test starts; its process ends with the test."""
    folder = RunFolder(server.cache / "runs" / NAME)
    yield folder
    pid = folder.status().pid
    if pid:
        os.kill(pid, signal.SIGKILL)


def test_a_run_is_started_watched_stopped_resumed_and_explored(page: Any, server: Any, run: RunFolder) -> None:
    page.goto(server.url)
    page.wait_for_selector(".lm[data-state='ready']", timeout=WAIT)
    page.get_by_role("link", name="Train").click()
    page.get_by_role("button", name="Start").wait_for(timeout=WAIT)
    settled(page)
    _fill(page, "textbox", "Name", NAME)
    _fill(page, "spinbutton", "Epochs", "2000")
    page.get_by_role("button", name="Start").click()
    page.get_by_text("of 20,000 steps").wait_for(timeout=WAIT)
    page.get_by_role("link", name="Watch it").click()
    page.get_by_role("heading", name="Runs", exact=True).wait_for(timeout=WAIT)
    _wait_for_points(page, 2)
    _wait_for_points(page, _points(page) + 1)  # it grows while one looks at it

    page.get_by_role("button", name="Stop").click()
    page.get_by_role("button", name="Resume").wait_for(timeout=WAIT)
    step = run.status().step
    assert run.status().state == "stopped"
    assert 0 < step < 20_000
    page.get_by_role("button", name="Resume").click()
    page.get_by_role("button", name="Stop").wait_for(timeout=WAIT)
    page.get_by_text("of 20,000 steps").wait_for(timeout=WAIT)
    stopped_at = _points(page)
    _wait_for_points(page, stopped_at + 1)
    page.get_by_role("button", name="Stop").click()
    page.get_by_role("button", name="Resume").wait_for(timeout=WAIT)
    assert run.status().step > step

    page.get_by_role("link", name="Explore its space").click()
    page.wait_for_selector(".lm[data-state='ready']", timeout=WAIT)
    page.locator(".lm").get_by_text(f"Run {NAME}").wait_for(timeout=WAIT)


def test_a_link_to_a_page_works_for_the_first_visitor_of_a_server(browser: Any, fresh_server: Any) -> None:
    page = browser.new_page(viewport={"width": 1440, "height": 900})
    page.goto(f"{fresh_server.url}/compare")
    page.get_by_role("button", name="Compare").wait_for(timeout=WAIT)
    assert page.get_by_role("link", name="Your images").is_visible()
    page.close()
