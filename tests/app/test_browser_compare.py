"""The page Compare in a real browser: start, watch, stop, leave, come back, read the table, download, reload."""

import io
import re
from typing import Any
from urllib.parse import parse_qs, urlparse

import pandas as pd
import pytest

from browsing import WAIT, settled
from likeness.data import read_cars
from likeness.embedding import embed
from likeness.evaluation import METRICS
from likeness.notions import get_notion
from likeness.studies import compare

pytestmark = pytest.mark.long
NOTIONS = ["Background color", "Car color", "Car model"]  # chosen by default


def _open_compare(page: Any, url: str) -> None:
    """By the menu, as people do."""
    page.goto(url)
    page.wait_for_selector(".lm[data-state='ready']", timeout=WAIT)
    page.get_by_role("link", name="Compare").click()
    page.get_by_role("heading", name="Compare", exact=True).wait_for(timeout=WAIT)
    page.get_by_role("button", name="Compare").wait_for(timeout=WAIT)
    settled(page)


def _pick(page: Any, label: str, options: list[str]) -> None:
    """Leaves only these options in a field of several."""
    field = page.locator("[data-testid='stMultiSelect']").filter(has=page.get_by_text(label, exact=True))
    field.get_by_role("button", name="Clear all").click()
    for option in options:
        field.get_by_role("combobox").fill(option)
        page.get_by_role("option", name=option, exact=True).click()
    page.keyboard.press("Escape")
    settled(page)


def _runs(page: Any, count: int) -> None:
    field = page.get_by_role("spinbutton", name="Runs")
    field.fill(str(count))
    field.press("Enter")
    settled(page)


def _rows(page: Any) -> dict[str, list[str]]:
    """Method -> the cells with the metrics of the first notion."""
    found: dict[str, list[str]] = {}
    for row in page.locator(".comparison tbody").first.locator("tr:not(.notion)").all():
        method = row.locator("th .tip").evaluate("cell => cell.firstChild.textContent")
        found[method] = row.locator("td.number").all_inner_texts()[2:9]
    return found


def test_a_comparison_runs_to_its_end_can_be_downloaded_and_is_there_after_a_reload(page: Any, server: Any, browser: Any) -> None:
    _open_compare(page, server.url)
    _pick(page, "Notions", ["Car color"])
    _pick(page, "Methods", ["PCA", "InDiReCT (exact)"])
    _pick(page, "Dimensions", ["128"])
    _runs(page, 1)
    page.get_by_role("button", name="Compare").click()
    page.get_by_role("button", name="Download CSV").wait_for(timeout=WAIT)
    settled(page)
    runs = compare(embed(read_cars()), [get_notion("car color")], ("raw", "pca", "exact"), seeds=range(1)).set_index("method")
    expected = {
        name: [f"{runs.loc[method, metric]:.3f}" for metric in METRICS] for name, method in [("Raw encoder", "raw"), ("InDiReCT (exact)", "exact")]
    }
    shown = _rows(page)
    assert {name: shown[name] for name in expected} == expected
    assert "Does not apply: PCA to 128 dimensions" in page.locator(".comparison").inner_text()

    with page.expect_download() as download:
        page.get_by_role("button", name="Download CSV").click()
    table = pd.read_csv(io.BytesIO(download.value.path().read_bytes())).set_index("method")
    assert table.loc["exact", list(METRICS)].astype(float).tolist() == pytest.approx(
        runs.loc["exact", list(METRICS)].astype(float).tolist(), abs=1e-3
    )
    with page.expect_download() as download:
        page.get_by_role("button", name="Download LaTeX").click()
    assert r"\begin{tabular}" in download.value.path().read_text()

    page.get_by_text("MRR", exact=True).first.click()
    settled(page)
    page.locator(".comparison thead .tip", has_text="k-means").focus()
    assert page.locator(".comparison .help", has_text="k-means").is_visible()

    assert {"compare_notions", "compare_methods", "compare_seeds", "compare_metric"} <= set(parse_qs(urlparse(page.url).query))
    again = browser.new_page()  # of its own, because opening a page by its address has Streamlit probe for addresses that there are not
    again.goto(page.url)
    again.get_by_role("button", name="Download CSV").wait_for(timeout=WAIT)
    assert _rows(again) == shown
    assert again.locator(".comparison thead th.chosen").inner_text().startswith("MRR")
    again.close()


def test_a_running_comparison_is_stopped_left_and_found_again(page: Any, server: Any) -> None:
    _open_compare(page, server.url)
    _pick(page, "Methods", ["Random", "Random transform"])
    _runs(page, 10)
    page.get_by_role("button", name="Compare").click()
    page.get_by_text(re.compile(r"of 63 runs")).wait_for(timeout=WAIT)
    page.locator(".comparison td.chosen:not(:has(.quiet))").first.wait_for(timeout=WAIT)
    page.get_by_role("button", name="Stop").click()
    page.get_by_text(re.compile(r"Stopped after \d+ of 63 runs")).wait_for(timeout=WAIT)
    settled(page)
    assert page.locator(".comparison tr.waiting").count() > 0
    assert page.locator(".comparison td.chosen:not(:has(.quiet))").count() > 0

    _runs(page, 3)
    page.get_by_text("The settings have changed").wait_for(timeout=WAIT)
    page.get_by_role("button", name="Compare").click()
    page.get_by_text(re.compile(r"of 21 runs")).wait_for(timeout=WAIT)
    page.get_by_role("link", name="Your images").click()
    page.get_by_role("heading", name="Your images").wait_for(timeout=WAIT)
    page.get_by_text("Comparison of background color, car color and car model: done").wait_for(timeout=WAIT)
    page.get_by_role("link", name="Compare").click()
    page.get_by_role("button", name="Download CSV").wait_for(timeout=WAIT)
    settled(page)
    assert page.locator(".comparison tr.waiting").count() == 0


def test_an_analysis_draws_its_curve_and_says_what_it_shows(page: Any, server: Any) -> None:
    _open_compare(page, server.url)
    page.get_by_role("tab", name="Dimensions").click()
    page.get_by_role("button", name="Measure").wait_for(timeout=WAIT)
    settled(page)
    _pick(page, "Notions", ["Car color"])
    _pick(page, "Methods", ["InDiReCT (exact)"])
    _runs(page, 1)
    page.get_by_role("button", name="Measure").click()
    page.get_by_text(re.compile(r"best with InDiReCT \(exact\)")).wait_for(timeout=WAIT)
    page.locator("[data-testid='stPlotlyChart'] .scatterlayer .point").first.wait_for(timeout=WAIT)
    page.get_by_text("Dimensions of car color: done").wait_for(timeout=WAIT)
    settled(page)
