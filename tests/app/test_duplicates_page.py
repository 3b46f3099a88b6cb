"""The page Duplicates without a browser: groups, the threshold, leaks, what comes of it, and states in which there is nothing to show."""

import json
import shutil
import threading
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from PIL import Image

from app_page import Page
from likeness.data import DatasetEntry, add_dataset, new_entry, read_cars
from likeness.duplicates import SuggestedThreshold
from likeness.errors import InputError
from likeness.tagging import tag_store
from pages.duplicates import results, search
from server.jobs import jobs
from worlds import copy_cars, dataset, serve, visit

SPLITS = ["train", "test", "train", "train", "test", "train", "train", "test"]


LINE = "likeness.duplicates.stored_threshold"  # the page, a script, imports it in every run


def _suggest(monkeypatch: pytest.MonkeyPatch, *threshold: float) -> None:
    monkeypatch.setattr(LINE, lambda space: SuggestedThreshold(*threshold, 400) if threshold else None)


@pytest.fixture(autouse=True)
def suggested(monkeypatch: pytest.MonkeyPatch) -> None:
    """The suggested threshold at once."""
    _suggest(monkeypatch, 0.98, 0.9, 0.1)


@pytest.fixture
def twice(tmp_path: Path) -> DatasetEntry:
    """Eight pictures: one twice as a file, one in half the size, and others."""
    folder = tmp_path / "twice"
    folder.mkdir()
    files = read_cars().paths()
    for number in range(5):
        Image.open(files[number]).convert("RGB").resize((96, 96)).save(folder / f"{number}.png")
    shutil.copy(folder / "0.png", folder / "5.png")
    Image.open(folder / "1.png").resize((92, 92)).save(folder / "6.png")
    Image.open(files[9]).convert("RGB").save(folder / "7.png")
    pd.DataFrame({"path": [f"{number}.png" for number in range(8)], "split": SPLITS}).to_csv(folder / "images.csv", index=False)
    return _add(folder / "images.csv", "Twice")


def _open(app: Page, entry: DatasetEntry, **asked: str) -> Page:
    return app.open("duplicates", dataset=entry.name, **asked).wait("copies", "copy_threshold")


def _add(source: Path, name: str) -> DatasetEntry:
    entry = new_entry(name, str(source), "cars")
    add_dataset(entry)
    return entry


def _equal_files(app: Page, entry: DatasetEntry) -> Page:
    """The same page with another kind of copies chosen on it."""
    app.session_state["copies_kind"] = "Equal files"
    return _open(app, entry)


def test_near_copies_stand_in_groups_with_the_best_first_and_why(app: Page, twice: DatasetEntry, monkeypatch: pytest.MonkeyPatch) -> None:
    _open(app, twice).says(
        *("2 groups. 2 of 8 images are ticked", "Exact: every pair"),
        "2 of 8 images have a duplicate with another split",
    ).hides("hard to tell")
    sections = app.sent("copies_groups")["sections"]
    titles = [f"Suggested to stay: the first ({why})" for why in ("listed first of equal ones", "most pixels")]
    assert [section["title"] for section in sections] == titles
    assert [[text.split(",")[0] for text in section["texts"]] for section in sections] == [["96 × 96"] * 2, ["96 × 96", "92 × 92"]]
    assert "measured on 400 altered copies" in app.select_slider[0].help
    assert app.at(f"copies_across_{twice.id}").value == "split"
    assert app.press("Select those").session_state["rows"].tolist() == [1]
    _suggest(monkeypatch, 0.98, 0.46, 0.03)
    slider = _open(app, twice).says("0 of 8 images are ticked", "are hard to tell").select_slider[0]
    low = next(value for value in slider.options if float(str(value).split()[0]) > 0.55)
    slider.set_value(float(str(low).split()[0])).run()
    assert _open(app, twice).says("Just above the threshold").sent("copies_Just above the threshold_0")["sections"][0]["rows"]
    app.press("Use the suggested threshold").wait("copies").press("Tick all but the first").says("2 of 8 images are ticked")


def test_equal_files_need_no_line_and_a_notion_says_what_is_the_same(app: Page, twice: DatasetEntry) -> None:
    assert not _open(app, twice, copies_kind="Equal files").says("1 of 8 images are ticked").select_slider
    app = _open(app.fresh("layout"), twice, copies_kind="Same by a notion", copies_notion="Car color").says("ticked for removal")
    assert app.select_slider[0].key.startswith("copies_line_")


def test_what_is_ticked_by_hand_stays_so_and_nothing_of_other_images_with_it(app: Page, twice: DatasetEntry, tmp_path: Path) -> None:
    shutil.copytree(tmp_path / "twice", tmp_path / "again")
    other = _add(tmp_path / "again" / "images.csv", "Again")
    key = (twice.id, "files")
    _equal_files(app, twice).session_state["copies_chosen"] = {key: {"5.png": False}}
    app.run().says("0 of 8 images are ticked").open("explore")
    app.session_state["copies_chosen"][key]["0.png"] = True
    assert _open(app, twice).says("1 of 8 images are ticked").hides("no image stays").sent("copies_groups")["selected"] == [0]
    app.press("Tick all but the first").session_state["copies_chosen"][key]["0.png"] = True
    app.run().says("2 of 8 images are ticked", "In 1 group no image stays.")
    _equal_files(app.set("dataset", other.id), other).says("1 of 8 images are ticked")
    assert app.session_state["view"].dataset == other.id


def test_filters_narrow_what_is_looked_at(app: Page, twice: DatasetEntry) -> None:
    nothing = "no two images are that similar"  # 1 and its copy 6 are of two splits
    _open(app, twice, copies_kind="Near duplicates", filter_split="test").says(nothing)
    app = _open(app.fresh("layout"), twice, copies_kind="Equal files", filter_split="train").says("1 of 5 images that match the filters are ticked")
    view = app.session_state["view"]
    assert jobs().all("copies")[-1].result.among(view.hidden).groups(1.0, 8).rows.tolist() == [0, 5]
    assert view.visible(np.arange(8)).tolist() == [0, 2, 3, 5, 6]
    app.press("Tag them “copy”")
    assert _tagged(twice, app) == [5]


def _tagged(entry: DatasetEntry, app: Page) -> list[int]:
    table = app.session_state["view"].base.table
    return np.flatnonzero(tag_store(entry.source, table).columns(table.frame["path"])["copy"]).tolist()


def test_until_a_threshold_is_measured_nothing_is_called_a_duplicate(app: Page, twice: DatasetEntry, monkeypatch: pytest.MonkeyPatch) -> None:
    go_on, stored = threading.Event(), list[SuggestedThreshold]()

    def measure(space: Any, progress: Any) -> SuggestedThreshold:
        assert go_on.wait(60)
        stored.append(SuggestedThreshold(0.9, 0.9, 0.1, 400))
        return stored[0]

    monkeypatch.setattr(LINE, lambda space: stored[0] if stored else None)
    monkeypatch.setattr(search, "known_threshold", measure)
    app.open("duplicates", dataset=twice.name).wait("copies")
    app.says("0.9500 is a starting point", "0 of 8 images are ticked")
    app.session_state["copies_kind"] = "Same by a notion"
    assert not app.run().select_slider  # nothing is usual there
    app.session_state["copies_kind"] = "Near duplicates"
    go_on.set()
    assert _open(app, twice).says("2 of 8 images are ticked").select_slider[0].value == 0.9


def test_those_that_may_go_are_selected_listed_and_tagged(app: Page, twice: DatasetEntry) -> None:
    _open(app, twice).press("Select the ticked images")
    view, rows = app.session_state["view"], app.session_state["rows"]
    assert rows.tolist() == [5, 6]
    found = search.near(view.entry.id, view.base, 0.98).result
    shown = results.Shown(view, found, found.groups(0.98, 8), view.base.key, True)
    assert shown.list_of(rows) == b"5.png\n6.png\n"
    frame = pd.read_csv(pd.io.common.BytesIO(shown.csv()))
    assert frame.loc[~frame["stays"], "path"].tolist() == ["5.png", "6.png"]
    assert frame["width"].tolist() == [96, 96, 96, 92]
    assert _tagged(twice, app.press("Tag them “copy”")) == [5, 6]
    assert _tagged(twice, _equal_files(app, twice).press("Tag them “copy”")) == [5]


def test_nobody_tags_what_everyone_sees_and_without_a_split_an_attribute_can_be_chosen(
    app: Page, twice: DatasetEntry, monkeypatch: pytest.MonkeyPatch
) -> None:
    kinds = Path(twice.source).with_name("kinds.csv")
    pd.read_csv(twice.source).rename(columns={"split": "kind"}).to_csv(kinds, index=False)
    entry = _add(kinds, "Kinds")
    across = f"copies_across_{entry.id}"
    assert _open(app, entry).at(across).value == "None"
    app.set(across, "kind").says("have a duplicate with another kind")
    root = Path(twice.source).parent
    serve(monkeypatch, shared=True, roots={"photos": str(root)})
    visit(monkeypatch)
    tag = _open(app, _add(Path("photos/images.csv"), "On the server")).button_of("Tag them “copy”")
    assert tag.disabled
    assert "These images are public" in tag.help
    assert str(root) not in app.texts + app.html


def test_images_without_copies_say_so_and_what_is_no_image_is_left_out(app: Page, twice: DatasetEntry, tmp_path: Path) -> None:
    single, one, broken = (tmp_path / name for name in ("single", "one", "broken"))
    entry = dataset(copy_cars(single, range(3)))
    _open(app, entry).says("No two images are that similar", "No pair of images comes close")
    _equal_files(app, entry).says("No two files are equal.")
    app = _open(app.fresh("layout"), dataset(copy_cars(one, [0]))).says("There is only one image here")
    for name in ("a", "b"):
        (copy_cars(broken, [0, 0]) / f"{name}_bad.png").write_bytes(b"no picture")
    entry, app = dataset(broken), app.fresh("layout")
    _open(app, entry).says("1 of 2 images are ticked")
    _equal_files(app, entry).says("1 of 2 images are ticked")
    app = _open(app.fresh("layout"), twice)
    jobs().forget(jobs().all("copies")[-1])
    (Path(twice.source).parent / "5.png").unlink()  # it is gone by now, and no copy
    assert "cannot be read" in _open(app, twice).says("2 of 8 images are ticked").sent("copies_groups")["sections"][0]["texts"]
    _equal_files(app, twice).says("No two files are equal.")


def test_where_nothing_can_be_measured_or_too_much_is_found_the_page_says_so(app: Page, twice: DatasetEntry, monkeypatch: Any) -> None:
    def fail(job: Any) -> None:
        raise InputError("The encoder is gone.")

    with monkeypatch.context() as patch:
        patch.setattr(search, "_MOST_PAIRS", 1)
        _open(app, twice).says("More than 1 pairs have a similarity of 0.98 or more; raise the threshold")
    _suggest(monkeypatch)
    monkeypatch.setattr("pages.duplicates.search.measure_threshold", lambda space: jobs().run("copy_threshold", "broken", "Line", fail))
    assert _open(app, twice).says("No threshold can be suggested: The encoder is gone.", "ticked").select_slider[0].value == 0.95


def test_a_search_that_is_stopped_can_go_on(app: Page, twice: DatasetEntry, monkeypatch: pytest.MonkeyPatch) -> None:
    go_on, real = threading.Event(), search.near_copies

    def slow(*args: Any, **options: Any) -> Any:
        go_on.wait(60)
        options["progress"](1, 2, "Comparing all pairs")
        return real(*args, **options)

    monkeypatch.setattr(search, "near_copies", slow)
    job = app.open("duplicates", dataset=twice.name) and jobs().all("copies")[-1]
    job.stop()
    go_on.set()
    assert job.wait(60)
    assert "The search was stopped." in app.run().texts
    app.press("Resume")
    assert "2 of 8 images are ticked" in _open(app, twice).texts


def test_a_lower_threshold_searches_again_and_a_higher_one_does_not() -> None:
    assert search._floor(0.98) == search._floor(0.985) == pytest.approx(1 - 2**-5)
    assert search._floor(0.9) < search._floor(0.98) < 0.98
    assert all(search._floor(level) <= 1 - 1.5 * (1 - level) + 1e-9 for level in np.linspace(0.5, 0.9999, 50))
    assert search._floor(1.0) < 1
    assert json.dumps(search._floor(0.02)) == "0.01"
