"""Shifts in a real browser: the steps of a progression, and a benchmark that is started, watched, stopped and resumed."""

import os
import re
import signal
from collections.abc import Iterator
from typing import Any

import pytest

from browsing import WAIT, settled
from likeness.studies.study_folder import StudyFolder
from likeness.training.runs.run_folder import RunFolder

pytestmark = pytest.mark.long
NAME = "browser-shifts"
_DRAWN = """(name) => {
  const found = [...document.querySelectorAll('.js-plotly-plot')].flatMap((plot) => plot.data ?? []).filter((trace) => trace.name === name);
  return found.map((trace) => ({names: [...(trace.hovertext ?? [])], x: [...(trace.x ?? [])], color: trace.marker?.color}));
}"""


@pytest.fixture
def study(server: Any) -> Iterator[StudyFolder]:
    """The benchmark that the test starts; its process ends with the test."""
    folder = StudyFolder(server.cache / "runs" / NAME)
    yield folder
    pid = RunFolder(folder.path).status().pid
    if pid:
        os.kill(pid, signal.SIGKILL)


def _open(page: Any, server: Any) -> None:
    page.goto(server.url)
    page.wait_for_selector(".lm[data-state='ready']", timeout=WAIT)
    page.get_by_role("link", name="Shifts").click()
    page.get_by_role("heading", name="Shifts", exact=True).wait_for(timeout=WAIT)


def _traces(page: Any, name: str) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = page.evaluate(_DRAWN, name)
    return found


def _where(page: Any) -> dict[str, float]:
    """A class -> where it lies from left to right."""
    return {name: x for side in ("Trains", "Tests") for trace in _traces(page, side) for name, x in zip(trace["names"], trace["x"], strict=True)}


def test_a_step_colors_the_map_anew_and_moves_nothing(page: Any, server: Any) -> None:
    _open(page, server)
    page.wait_for_function(f"({_DRAWN})('Classes drawn at random').length === 1", timeout=WAIT)  # references and map are there
    page.get_by_text("is still being measured").wait_for(state="detached", timeout=WAIT)
    settled(page)
    before, places = _traces(page, "Trains")[0], _where(page)
    assert len(before["names"]) == 51
    slider = page.get_by_role("slider").first
    slider.focus()
    for _ in range(3):
        page.keyboard.press("ArrowRight")
    page.wait_for_function(f"({_DRAWN})('Trains')[0].names.join() !== {before['names']!r}.join()", timeout=WAIT)
    page.get_by_text(re.compile("^In this step, .+ moves to test")).wait_for(timeout=WAIT)
    settled(page)
    assert slider.get_attribute("aria-valuetext") == "swap 3"
    after = _traces(page, "Trains")[0]
    gone = set(before["names"]) - set(after["names"])
    assert len(gone) == 3
    assert gone <= set(_traces(page, "Tests")[0]["names"])
    assert after["color"] != _traces(page, "Tests")[0]["color"]
    assert _where(page) == places
    assert len(_traces(page, "Moved in this step")[0]["x"]) == 2
    pictures = page.locator("img[src*='/thumbnails/cars/']")
    assert pictures.count() == 16
    assert pictures.first.evaluate("image => image.complete && image.naturalWidth > 0")


def test_a_benchmark_is_started_watched_stopped_and_resumed(page: Any, server: Any, study: StudyFolder) -> None:
    _open(page, server)
    page.get_by_role("tab", name="What holds up").click()
    page.get_by_text("Start a benchmark").wait_for(timeout=WAIT)
    settled(page)
    if not page.get_by_role("button", name="Start", exact=True).count():  # where results ship, the form is closed at first
        page.get_by_text("Start a benchmark").click()
    page.get_by_role("button", name="Start", exact=True).wait_for(timeout=WAIT)
    for label, value in (("How many splits", "2"), ("Seeds", "1"), ("Epochs", "2"), ("Name", NAME)):
        field = page.get_by_label(label, exact=True)
        field.fill(value)
        field.press("Enter")
        settled(page)
    page.get_by_text("8 runs on 2 splits").wait_for(timeout=WAIT)
    page.get_by_role("button", name="Start", exact=True).click()
    page.get_by_text("of 8 runs").wait_for(timeout=WAIT)
    page.wait_for_function(f"({_DRAWN})('Raw encoder').length >= 1", timeout=WAIT)  # it fills while one looks at it

    page.get_by_role("button", name="Stop", exact=True).click()
    page.get_by_role("button", name="Resume").wait_for(timeout=WAIT)
    stopped = study.standing()
    assert stopped.state == "stopped"
    assert 0 < stopped.done < 8
    page.get_by_role("button", name="Resume").click()
    page.get_by_role("button", name="Stop", exact=True).wait_for(timeout=WAIT)
    page.get_by_text("Finished").wait_for(timeout=WAIT)
    page.get_by_text("8 of 8 runs").wait_for(timeout=WAIT)
    settled(page)
    assert study.standing().state == "finished"
    assert page.get_by_role("button", name="Stop", exact=True).count() == page.get_by_role("button", name="Resume").count() == 0
    for method in ("Raw encoder", "Margin", "Multisimilarity", "ProxyAnchor"):
        assert max(len(trace["x"]) for trace in _traces(page, method)) == 2
    page.get_by_role("heading", name="Over all splits").wait_for(timeout=WAIT)
    with page.expect_download(timeout=WAIT) as download:
        page.get_by_role("button", name="Download every run").click()
    assert download.value.suggested_filename == f"{NAME}.csv"
    assert len(download.value.path().read_text().splitlines()) == 9
