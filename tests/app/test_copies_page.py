"""The page Copies without a browser: groups, the line, leaks, what comes of it, and states in which there is nothing to show."""

import json
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from PIL import Image
from streamlit.testing.v1 import AppTest

from background import jobs
from likeness.data import DatasetEntry, add_dataset, new_entry, read_cars
from likeness.duplicates import SuggestedThreshold
from likeness.tagging import tag_store
from pages.copies import outcome, search
from server_settings import ServerSettings

SPLITS = ["train", "test", "train", "train", "test", "train", "train", "test"]


@pytest.fixture(autouse=True)
def cache(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    monkeypatch.setenv("LIKENESS_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache"


@pytest.fixture(autouse=True)
def line(monkeypatch: pytest.MonkeyPatch) -> None:
    """The suggested line at once."""
    monkeypatch.setattr("pages.copies.line.stored_threshold", lambda space: SuggestedThreshold(0.98, 0.9, 0.1, 400))


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
    entry = new_entry("Twice", str(folder / "images.csv"), "cars")
    add_dataset(entry)
    return entry


def _open(app: AppTest, entry: DatasetEntry, **asked: str) -> AppTest:
    app.query_params.update({"dataset": entry.name} | asked)
    app.switch_page("pages/copies/page.py").run()
    for _ in range(5):
        for kind in ("copies", "copy_threshold"):
            for job in jobs().all(kind):
                job.wait(300)
        app.run()
    assert not app.exception
    return app


def _equal_files(app: AppTest, entry: DatasetEntry) -> AppTest:
    """The same page with another kind of copies chosen on it."""
    app.session_state["copies_kind"] = "Equal files"
    return _open(app, entry)


def _said(app: AppTest) -> str:
    kinds = (app.markdown, app.caption, app.info, app.success, app.warning, app.error, app.subheader)
    return "\n".join(str(element.value) for kind in kinds for element in kind)


def _html(app: AppTest) -> str:
    return "\n".join(each.proto.body for each in app.get("html"))


def _press(app: AppTest, label: str) -> AppTest:
    return next(button for button in app.button if button.label == label).click().run()


class TestGroups:
    def test_near_copies_stand_in_groups_with_the_best_first_and_why(self, app: AppTest, twice: DatasetEntry) -> None:
        _open(app, twice)
        said = _said(app)
        assert "2 of 8 images may go" in said
        assert "2 groups" in said
        assert "The first stays: most pixels." in said
        assert "The first stays: listed first of equal ones." in said
        assert "96 × 96" in _html(app)
        assert "92 × 92" in _html(app)
        assert "Suggested: 0.9800" in said
        assert "Exact: every pair of images was compared." in said

    def test_the_line_moves_and_pairs_on_both_sides_of_it_are_shown(self, app: AppTest, twice: DatasetEntry) -> None:
        _open(app, twice)
        slider = app.select_slider[0]
        low = next(value for value in slider.options if float(str(value).split()[0]) > 0.55)
        slider.set_value(float(str(low).split()[0])).run()
        _open(app, twice)
        assert "Just above the line: these look like copies" in _said(app)
        assert '<figure class="pair">' in _html(app)
        _press(app, "Take the suggested line")
        _open(app, twice)
        assert "2 of 8 images may go" in _said(app)

    def test_equal_files_need_no_line(self, app: AppTest, twice: DatasetEntry) -> None:
        _open(app, twice, copies_kind="Equal files")
        assert "1 of 8 images may go" in _said(app)
        assert not app.select_slider

    def test_a_notion_says_what_is_the_same(self, app: AppTest, twice: DatasetEntry) -> None:
        _open(app, twice, copies_kind="Same by a notion", copies_notion="Car color")
        assert "may go" in _said(app)
        assert app.select_slider[0].key.startswith("copies_line_")

    def test_a_group_that_is_left_whole_stays(self, app: AppTest, twice: DatasetEntry) -> None:
        _open(app, twice)
        app.checkbox[0].check().run()
        assert "1 of 8 images may go" in _said(app)
        app.switch_page("pages/explore/page.py").run()
        _open(app, twice)
        assert "1 of 8 images may go" in _said(app)
        assert app.checkbox[0].value

    def test_a_group_of_other_images_is_not_left_whole_with_it(self, app: AppTest, twice: DatasetEntry, tmp_path: Path) -> None:
        shutil.copytree(tmp_path / "twice", tmp_path / "again")
        other = new_entry("Again", str(tmp_path / "again" / "images.csv"), "cars")
        add_dataset(other)
        _equal_files(app, twice).checkbox[0].check().run()
        app.selectbox(key="dataset").set_value(other.id).run()
        app = _equal_files(app, other)
        assert app.session_state["view"].dataset == other.id
        assert not app.checkbox[0].value
        assert "1 of 8 images may go" in _said(app)
        app.checkbox[0].check().run()
        assert "0 of 8 images may go" in _said(app)

    @pytest.mark.parametrize(("kind", "kept"), [("Near copies", "test"), ("Equal files", "train")])
    def test_filters_narrow_what_is_looked_at(self, app: AppTest, twice: DatasetEntry, kind: str, kept: str) -> None:
        _open(app, twice, copies_kind=kind, filter_split=kept)
        alike, rows = {"train": ([0, 5], [0, 2, 3, 5, 6]), "test": ([], [1, 4, 7])}[kept]  # 1 and its copy 6 are of two splits
        if not alike:
            assert "Among the images that match the filters: no two images are as similar as that" in _said(app)
            return
        assert "1 of 5 images that match the filters may go" in _said(app)
        view, found = app.session_state["view"], jobs().all("copies")[-1].result.among(app.session_state["view"].hidden)
        assert found.groups(1.0, 8).rows.tolist() == alike
        assert view.visible(np.arange(8)).tolist() == rows
        _press(app, "Tag them “copy”")
        assert tag_store(twice.source, view.base.table).columns(view.base.table.frame["path"])["copy"].to_numpy().nonzero()[0].tolist() == alike[1:]

    def test_an_encoder_that_tells_copies_badly_is_named(self, app: AppTest, twice: DatasetEntry, monkeypatch: pytest.MonkeyPatch) -> None:
        assert "hardly be told" not in _said(_open(app, twice))
        monkeypatch.setattr("pages.copies.line.stored_threshold", lambda space: SuggestedThreshold(0.98, 0.46, 0.03, 400))
        assert "copies can hardly be told from other images" in _said(_open(app, twice))

    def test_near_copies_stand_at_the_usual_line_until_the_suggested_one_is_measured(
        self, app: AppTest, twice: DatasetEntry, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        import threading

        go_on, stored = threading.Event(), list[SuggestedThreshold]()

        def measure(space: Any, progress: Any) -> SuggestedThreshold:
            assert go_on.wait(60)
            stored.append(SuggestedThreshold(0.9, 0.9, 0.1, 400))
            return stored[0]

        monkeypatch.setattr("pages.copies.line.stored_threshold", lambda space: stored[0] if stored else None)
        monkeypatch.setattr(search, "known_threshold", measure)
        app.query_params["dataset"] = twice.name
        app.switch_page("pages/copies/page.py").run()
        for job in jobs().all("copies"):
            job.wait(300)
        app.run()
        assert "The line is at 0.95 until the suggested one is measured." in _said(app)
        assert "may go" in _said(app)
        app.session_state["copies_kind"] = "Same by a notion"
        app.run()
        assert not app.select_slider  # no line is usual there
        app.session_state["copies_kind"] = "Near copies"
        go_on.set()
        _open(app, twice)
        assert app.select_slider[0].value == 0.9
        assert "Suggested: 0.9000" in _said(app)


class TestOutcome:
    def test_those_that_may_go_are_selected_on_every_page(self, app: AppTest, twice: DatasetEntry) -> None:
        _press(_open(app, twice), "Select those that may go")
        assert app.session_state["rows"].tolist() == [5, 6]

    def test_the_tag_stays_with_the_last_search_alone(self, app: AppTest, twice: DatasetEntry) -> None:
        _press(_open(app, twice), "Tag them “copy”")
        table = app.session_state["view"].base.table
        store = tag_store(twice.source, table)
        assert store.columns(table.frame["path"])["copy"].tolist() == [row in (5, 6) for row in range(8)]
        _press(_equal_files(app, twice), "Tag them “copy”")
        assert store.columns(table.frame["path"])["copy"].tolist() == [row == 5 for row in range(8)]

    def test_lists_name_paths_and_the_table_says_what_stays(self, app: AppTest, twice: DatasetEntry) -> None:
        view = _open(app, twice).session_state["view"]
        found = search.near(view.entry.id, view.base, 0.98).result
        groups = found.groups(0.98, 8)
        assert outcome._list(view, np.array([5, 6])) == b"5.png\n6.png\n"
        frame = pd.read_csv(pd.io.common.BytesIO(outcome._csv(view, found, groups, np.array([5, 6]))))
        assert frame.loc[~frame["stays"], "path"].tolist() == ["5.png", "6.png"]
        assert frame["width"].tolist() == [96, 96, 96, 92]

    def test_nobody_tags_what_everyone_sees(self, app: AppTest, twice: DatasetEntry, monkeypatch: pytest.MonkeyPatch) -> None:
        root = Path(twice.source).parent
        monkeypatch.setenv("LIKENESS_SERVER", ServerSettings(shared=True, roots={"photos": root}).as_text())
        monkeypatch.setattr("visitors._browser", lambda: "a" * 32)
        shared = new_entry("On the server", "photos/images.csv", "cars")
        add_dataset(shared)
        _open(app, shared)
        tag = next(button for button in app.button if button.label == "Tag them “copy”")
        assert tag.disabled
        assert "Everyone on this server sees these images" in tag.help
        assert str(root) not in _said(app) + _html(app)


class TestLeaks:
    def test_copies_across_a_split_are_a_list_of_their_own(self, app: AppTest, twice: DatasetEntry) -> None:
        _open(app, twice)
        assert app.selectbox(key=f"copies_across_{twice.id}").value == "split"
        assert "2 of 8 images have a copy under another split" in _said(app)
        _press(app, "Select them")
        assert app.session_state["rows"].tolist() == [1]

    def test_without_a_split_an_attribute_can_be_chosen(self, app: AppTest, twice: DatasetEntry) -> None:
        source = Path(twice.source)
        frame = pd.read_csv(source).rename(columns={"split": "kind"})
        frame.to_csv(source.with_name("kinds.csv"), index=False)
        entry = new_entry("Kinds", str(source.with_name("kinds.csv")), "cars")
        add_dataset(entry)
        _open(app, entry)
        assert app.selectbox(key=f"copies_across_{entry.id}").value == "None"
        app.selectbox(key=f"copies_across_{entry.id}").select("kind").run()
        assert "have a copy under another kind" in _said(app)


class TestStates:
    def _entry(self, folder: Path) -> DatasetEntry:
        entry = new_entry(folder.name.title(), str(folder), "cars")
        add_dataset(entry)
        return entry

    def test_images_without_copies_say_so(self, app: AppTest, tmp_path: Path) -> None:
        (tmp_path / "single").mkdir()
        for number in range(3):
            shutil.copy(read_cars().paths()[number], tmp_path / "single" / f"{number}.webp")
        entry = self._entry(tmp_path / "single")
        assert "No two images are as similar as that." in _said(_open(app, entry))
        assert "No two files are equal." in _said(_equal_files(app, entry))

    def test_one_image_has_no_copy(self, app: AppTest, tmp_path: Path) -> None:
        (tmp_path / "one").mkdir()
        shutil.copy(read_cars().paths()[0], tmp_path / "one" / "a.webp")
        assert "A single image has no copy here" in _said(_open(app, self._entry(tmp_path / "one")))

    def test_files_that_are_no_images_are_left_out(self, app: AppTest, tmp_path: Path) -> None:
        (tmp_path / "broken").mkdir()
        for name in ("a", "b"):
            shutil.copy(read_cars().paths()[0], tmp_path / "broken" / f"{name}.webp")
            (tmp_path / "broken" / f"{name}_bad.png").write_bytes(b"no picture")
        entry = self._entry(tmp_path / "broken")
        assert "1 of 2 images may go" in _said(_open(app, entry))
        assert "1 of 2 images may go" in _said(_equal_files(app, entry))

    def test_an_image_that_is_gone_by_now_is_no_copy(self, app: AppTest, twice: DatasetEntry) -> None:
        _open(app, twice)
        jobs().forget(next(job for job in jobs().all("copies")))
        (Path(twice.source).parent / "5.png").unlink()
        _open(app, twice)
        assert "cannot be read" in _html(app)
        assert "2 of 8 images may go" in _said(app)
        assert "No two files are equal." in _said(_equal_files(app, twice))

    def test_where_nothing_can_be_measured_the_line_is_the_usual_one(
        self, app: AppTest, twice: DatasetEntry, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        def fail(job: Any) -> None:
            from likeness.errors import InputError

            raise InputError("The encoder is gone.")

        from background import run_in_background

        monkeypatch.setattr("pages.copies.line.stored_threshold", lambda space: None)
        monkeypatch.setattr("pages.copies.search.measure_threshold", lambda space: run_in_background("copy_threshold", "broken", "Line", fail))
        _open(app, twice)
        assert "No line can be suggested: The encoder is gone." in _said(app)
        assert app.select_slider[0].value == 0.95
        assert "may go" in _said(app)

    def test_more_pairs_than_there_is_room_for_are_said_with_what_to_do(
        self, app: AppTest, twice: DatasetEntry, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(search, "_MOST_PAIRS", 1)
        _open(app, twice)
        assert "More than 1 pairs have a similarity of 0.98 or more; raise the threshold" in _said(app)

    def test_a_search_that_is_stopped_can_go_on(self, app: AppTest, twice: DatasetEntry, monkeypatch: pytest.MonkeyPatch) -> None:
        import threading

        go_on = threading.Event()
        real = search.near_copies

        def slow(*args: Any, **options: Any) -> Any:
            go_on.wait(60)
            options["progress"](1, 2, "Comparing all pairs")
            return real(*args, **options)

        monkeypatch.setattr(search, "near_copies", slow)
        app.query_params["dataset"] = twice.name
        app.switch_page("pages/copies/page.py").run()
        job = jobs().all("copies")[-1]
        job.stop()
        go_on.set()
        assert job.wait(60)
        app.run()
        assert "The search was stopped." in _said(app)
        _press(app, "Go on")
        _open(app, twice)
        assert "2 of 8 images may go" in _said(app)


def test_a_lower_line_searches_anew_and_a_higher_one_does_not() -> None:
    assert search._floor(0.98) == search._floor(0.985) == pytest.approx(1 - 2**-5)
    assert search._floor(0.9) < search._floor(0.98) < 0.98
    assert all(search._floor(level) <= 1 - 1.5 * (1 - level) + 1e-9 for level in np.linspace(0.5, 0.9999, 50))
    assert search._floor(1.0) < 1
    assert json.dumps(search._floor(0.02)) == "0.01"
