"""The pages beside Explore in a real browser: Methods, What changed, Continuous, Saliency, Shifts, Train and Runs, each come to by the menu."""

import io
import os
import re
import signal
from collections.abc import Iterator
from typing import Any

import pandas as pd
import pytest

from browsing import Person, row_of
from likeness.comparisons import neighborhood_changes
from likeness.evaluation import METRICS
from likeness.notions import get_notion
from likeness.studies import compare
from likeness.studies.study_folder import StudyFolder
from likeness.training.runs.run_folder import RunFolder
from worlds import cars

pytestmark = pytest.mark.long


def _come(person: Person, name: str) -> Any:
    """By the menu, as people do, from a first screen that shows one space alone; the browser's page."""
    person.open("?layout=UMAP").map().go(name)
    person.page.get_by_role("heading", name=name, exact=True).wait_for()
    return person.settle().page


def _pick(person: Person, label: str, options: list[str]) -> None:
    """Leaves only these options in a field of several."""
    field = person.page.locator("[data-testid='stMultiSelect']").filter(has=person.page.get_by_text(label, exact=True))
    field.get_by_role("button", name="Clear all").click()
    for option in options:
        field.get_by_role("combobox").fill(option)
        person.page.get_by_role("option", name=option, exact=True).click()
    person.keys("Escape")


def test_a_comparison_ends_while_one_is_elsewhere_and_another_can_be_downloaded_and_is_there_after_a_reload(person: Person) -> None:
    page = _come(person, "Methods")
    _pick(person, "Methods", ["Random", "Random transform"])
    person.fill("Runs", "10").button("Compare").click()  # so many that it still runs when the page is left
    person.says("of 63 runs")
    page.locator("[data-testid='stDataFrame']").first.wait_for()
    page.get_by_role("link", name="Images").click()
    person.says("Comparison of background color, car color and car model: done").go("Methods").button("Download CSV").wait_for()
    person.settle()
    _pick(person, "Notions", ["Car color"])
    _pick(person, "Methods", ["PCA", "InDiReCT (exact)"])
    _pick(person, "Dimensions", ["128"])
    person.fill("Runs", "1").press("Compare").says(
        re.compile("PCA does not apply"), re.compile(r"Best: InDiReCT \(exact\) with 128 dimensions")
    ).settle()
    runs = compare(cars(), [get_notion("car color")], ("raw", "exact"), (128,), range(1)).set_index("method")
    table = pd.read_csv(io.BytesIO(person.download("Download CSV").read_bytes())).set_index("method").loc["exact", list(METRICS)]
    assert table.astype(float).tolist() == pytest.approx(runs.loc["exact", list(METRICS)].astype(float).tolist(), abs=1e-3)
    assert r"\begin{tabular}" in person.download("Download LaTeX").read_text()
    person.click(page.get_by_text("MRR", exact=True).first)
    assert {"compare_notions", "compare_methods", "compare_seeds", "compare_metric"} <= set(person.asked)
    page.reload()
    person.button("Download CSV").wait_for()
    person.says(re.compile("PCA does not apply"))


def test_an_image_that_moved_is_clicked_and_seen_on_the_map(person: Person) -> None:
    found = neighborhood_changes(cars(), cars().refit(get_notion("car color")))
    third = int(found.rows[found.most_moved()[2]])
    page = person.open("what_changed?b=Car+color&color=Car+color").press("Compare neighbors").says(re.compile("On average")).page
    page.locator(".ga-tile").nth(2).click()
    page.wait_for_url(re.compile(rf"query={third}(&|$)"))
    person.settle().says("Neighbors in Car color").press("Select these 24")
    page.wait_for_url(re.compile("rows="))
    person.settle().go("See them on the map").map().heading("24 selected")
    assert person.asked["query"] == [str(third)]


# Galleries live in shadow roots, which Playwright's locators see through and document.querySelector does not.
_LOADED = """(count) => {
  const found = [];
  const walk = (root) => { for (const each of root.querySelectorAll("*")) {
    if (each.matches(".ga-tile:not([hidden]) img")) found.push(each);
    if (each.shadowRoot) walk(each.shadowRoot);
  } };
  walk(document);
  return found.length === count && found.every((each) => each.complete && each.naturalWidth > 0);
}"""


def test_a_click_on_a_picture_of_continuous_asks_with_it_and_labels_can_be_changed(person: Person) -> None:
    page = _come(person, "Continuous")
    tiles = page.locator(".ga-tile:visible")

    def asks() -> str:
        """The address of the query's picture, once all have come: the query, two rows and other queries."""
        page.wait_for_function(_LOADED, arg=1 + 2 * 8 + 12)
        return str(person.settle().page.locator(".ga-tile:visible img").first.get_attribute("src"))

    before = asks()
    assert before.startswith("./labeled/cars/")
    assert "kind=angles" in before
    third = tiles.nth(3)  # the third retrieved picture
    wanted = third.locator("img").get_attribute("src")
    assert third.get_attribute("title").startswith("Rank 3, ")
    row = row_of(third.locator("img"))
    third.click()
    page.wait_for_url(re.compile(rf"[?&]query={row}(&|$)"))
    page.locator(f".ga-query img[src='{wanted}']").first.wait_for()
    assert asks() == wanted != before
    person.press("Measure all images").page.locator(".js-plotly-plot").wait_for()
    names = page.locator(".js-plotly-plot").evaluate("plot => plot.data.map((trace) => trace.name)")
    assert set(names) == {"Raw encoder", "Oracle", "Chance"}
    page.locator(".st-key-continuous_label").get_by_role("combobox").click()
    person.click(page.get_by_role("option", name="Numbers")).says("The mark shows the number's place")
    assert f"/{row}?kind=numbers" in asks()  # the query stays
    assert person.asked["continuous_label"] == ["Numbers"]
    person.click(page.get_by_text("Draw labels"))
    page.get_by_text("The mark shows the number's place").wait_for(state="detached")
    assert asks().removesuffix("?large") == f"./thumbnails/cars/{row}"


def test_saliency_is_enlarged_the_pointer_marked_in_every_picture_and_images_are_chosen(person: Person) -> None:
    from playwright.sync_api import expect

    def cells(tab: Person, count: int) -> None:
        expect(tab.page.locator(".pg-cell")).to_have_count(count, timeout=600_000)

    page = _come(person, "Saliency")
    person.press("Compute maps")
    cells(person, 18)
    titles = page.locator(".pg-sheet .pg-title").all_inner_texts()
    assert titles[:3] == ["Image", "Background color − Raw encoder", "Car color − Raw encoder"]
    assert set(page.locator(".pg-cell img").evaluate_all("images => images.map(image => image.naturalWidth)")) == {96}
    page.locator(".pg-cell").first.click()
    dialog = page.locator("dialog.pg-large")
    first = dialog.locator(".pg-name").inner_text()
    dialog.locator(".pg-frame").first.hover(position={"x": 40, "y": 60})
    dots = dialog.locator(".pg-frame").evaluate_all("frames => frames.map(frame => frame.style.getPropertyValue('--dot'))")
    assert dots == ["0", "1", "1"]
    for key, same in (("ArrowRight", False), ("ArrowLeft", True)):
        page.keyboard.press(key)
        assert (dialog.locator(".pg-name").inner_text() == first) == same
    page.keyboard.press("Escape")
    assert not dialog.is_visible()
    person.says(re.compile("Only what exceeds the random projection")).settle()  # it moves what stands below
    page.get_by_text("Choose images").click()
    page.locator(".ga-tile").nth(2).click()
    person.says("The selected image.").press("Compute maps")
    page.wait_for_url(re.compile("rows="))
    cells(person, 3)
    person.click(page.get_by_text("Both", exact=True))
    cells(person, 6)
    cells(person.another(page.url.removeprefix(f"{person.url}/")), 6)


_DRAWN = """(name) => {
  const found = [...document.querySelectorAll('.js-plotly-plot')].flatMap((plot) => plot.data ?? []).filter((trace) => trace.name === name);
  return found.map((trace) => ({names: [...(trace.hovertext ?? [])], x: [...(trace.x ?? [])], color: trace.marker?.color}));
}"""


def _traces(page: Any, name: str) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = page.evaluate(_DRAWN, name)
    return found


def _where(page: Any) -> dict[str, float]:
    """A class -> where it lies from left to right."""
    return {name: x for side in ("Trains", "Tests") for trace in _traces(page, side) for name, x in zip(trace["names"], trace["x"], strict=True)}


def _build_splits(person: Person) -> None:
    """Where no test on this server has had the same ones built."""
    if person.page.get_by_role("button", name="Build splits", exact=True).count():
        person.press("Build splits")


def test_a_step_of_shifts_colors_the_map_anew_and_moves_nothing(person: Person) -> None:
    page = _come(person, "Shifts")
    _build_splits(person)
    page.wait_for_function(f"({_DRAWN})('Classes drawn at random').length === 1")  # references and map are there
    page.get_by_text("is still being measured").wait_for(state="detached")
    person.settle()
    before, places = _traces(page, "Trains")[0], _where(page)
    assert len(before["names"]) == 51
    slider = page.get_by_role("slider").first
    slider.focus()
    for _ in range(3):
        page.keyboard.press("ArrowRight")
    page.wait_for_function(f"({_DRAWN})('Trains')[0].names.join() !== {before['names']!r}.join()")
    person.says(re.compile("^In this step, .+ moves to test")).settle()
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


@pytest.fixture
def ended(server: Any) -> Iterator[Any]:
    """The folder of a run or benchmark that the test starts, by its name; its process ends with the test."""
    folders = []

    def folder(name: str) -> RunFolder:
        folders.append(RunFolder(server.cache / "runs" / name))
        return folders[-1]

    yield folder
    for each in folders:
        if pid := each.status().pid:
            os.kill(pid, signal.SIGKILL)


def test_a_benchmark_is_started_watched_stopped_and_resumed(ended: Any, person: Person) -> None:
    study, page = StudyFolder(ended("browser-shifts").path), _come(person, "Shifts")
    person.tab("What holds up").says("Start a benchmark")
    if not page.get_by_role("button", name="Start", exact=True).count():  # where results ship, the form is closed at first
        person.click(page.get_by_text("Start a benchmark"))
    _build_splits(person)
    for method in ("Multisimilarity", "ProxyAnchor"):  # two others stay
        person.click(page.locator("[data-testid='stButtonGroup']").get_by_text(method, exact=True))
    for label, value in (("How many splits", "2"), ("Seeds", "1"), ("Epochs", "2"), ("Name", study.path.name)):
        person.fill(label, value)
    person.says("4 runs on 2 splits").button("Start").click()
    person.says("of 4 runs")
    page.wait_for_function(f"({_DRAWN})('Raw encoder').length >= 1")  # it fills while one looks at it
    person.button("Stop").click()
    person.button("Resume").wait_for()
    stopped = study.standing()
    assert stopped.state == "stopped"
    assert 0 < stopped.done < 4
    person.button("Resume").click()
    person.button("Stop").wait_for()
    person.says("Finished", "4 of 4 runs").settle()
    assert study.standing().state == "finished"
    assert not {"Stop", "Resume"} & {button.inner_text() for button in page.get_by_role("button").all()}
    for method in ("Raw encoder", "Margin"):
        assert max(len(trace["x"]) for trace in _traces(page, method)) == 2
    page.get_by_role("heading", name="Over all splits").wait_for()
    assert len(person.download("Download every run").read_text().splitlines()) == 5


_POINTS = "(document.querySelector('.js-plotly-plot')?.data?.at(-1)?.x?.length ?? 0)"


def test_a_run_is_started_watched_stopped_resumed_and_explored(ended: Any, person: Person) -> None:
    def grows() -> None:
        """Waits until a further point is drawn while one looks at it."""
        page.wait_for_function(f"{_POINTS} >= {max(page.evaluate(_POINTS), 1) + 1}")

    run, page = ended("browser-run"), _come(person, "Train")
    person.fill("Name", run.name).fill("Epochs", "2000").button("Start training").click()
    person.says("of 20,000 steps").page.get_by_role("link", name="Watch it").click()
    page.get_by_role("heading", name="Runs", exact=True).wait_for()
    grows()
    person.button("Stop").click()
    person.button("Resume").wait_for()
    step = run.status().step
    assert run.status().state == "stopped"
    assert 0 < step < 20_000
    person.button("Resume").click()
    person.button("Stop").wait_for()
    person.says("of 20,000 steps")
    grows()
    person.button("Stop").click()
    person.button("Resume").wait_for()
    assert run.status().step > step
    person.go("Explore it").map()
    page.locator(".lm").get_by_text(f"Run {run.name}").wait_for()
