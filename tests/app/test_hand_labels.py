"""Labels made by hand in the app: given, seen on every page at once, taken back, refused, removed and copied."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import hand_labels
from app_page import Page
from backup import back_up, restore
from config_access import resolve_config
from likeness.data import SHIPPED_CARS, add_dataset, new_entry, read_cars
from likeness.errors import InputError
from likeness.tagging import TagStore, tag_store
from likeness.training import config_from, run_images
from server_settings import settings_from
from shared import cached
from shared.plain import plain


@pytest.fixture
def paths() -> list[str]:
    return [str(path) for path in read_cars().frame["path"]]


@pytest.fixture
def store() -> TagStore:
    """Of the shipped cars, as the command line finds it."""
    return tag_store("cars", read_cars())


def _select(app: Page, *rows: int) -> Page:
    app.session_state["rows"] = np.array(rows, np.int64)
    app.run()
    return app


def _give(app: Page, name: str, value: str | None = None) -> Page:
    for key, typed in (("label_name", name), ("label_value", value)):
        if typed is not None:
            field = app.selectbox(key=key)
            field.options.append(typed)
            field.set_value(typed).run()
    app.click("label_give")
    return app


def _note(app: Page) -> Any:
    return next(field for field in app.text_area if field.label == "Note")


def test_a_tag_for_the_selection_is_an_attribute_at_once_until_it_is_undone(app: Page, store: TagStore, paths: list[str]) -> None:
    _give(_select(app, 1), "body_type")
    assert "The dataset has a column" in app.toasts[0]
    _give(app, "x" * 81)
    assert store.columns(paths).empty
    _give(_select(app, 3, 5, 8), "good")
    assert store.columns(paths)["good"].to_numpy().nonzero()[0].tolist() == [3, 5, 8]
    assert "good given to 3 images" in app.toasts[0]
    view = app.session_state["view"]
    assert view.frame["good"].to_numpy().nonzero()[0].tolist() == [3, 5, 8]
    assert view.a.table is view.base.table  # of every space
    assert {"good", "Good"} & set(app.at("color").options)
    app.set("color", "good")
    assert app.session_state["view"].color == "good"
    app.click("label_undo")
    assert store.columns(paths).empty
    assert app.session_state["view"].color != "good"
    app.click("label_redo")
    assert store.columns(paths)["good"].sum() == 3
    assert app.at("label_redo").disabled


def test_a_click_on_a_known_label_gives_it_and_takes_it_away(app: Page, store: TagStore, paths: list[str]) -> None:
    _give(_select(app, 1, 2), "breed", "beagle")
    _select(app, 2, 3)
    app.button_of(plain("breed: beagle")).click().run()
    assert store.columns(paths)["breed"].notna().to_numpy().nonzero()[0].tolist() == [1, 2, 3]
    app.button_of(plain("breed: beagle")).click().run()  # both have it
    assert store.columns(paths)["breed"].notna().to_numpy().nonzero()[0].tolist() == [1]
    _select(app, 1, 9)
    _give(app, "breed", "collie")
    assert store.columns([paths[1], paths[9]])["breed"].tolist() == ["collie", "collie"]  # one value an image
    _give(_select(app, 1), "good")  # the value of one name is not given under another
    assert store.columns(paths)["good"].to_numpy().nonzero()[0].tolist() == [1]
    assert store.kind_of("good") == ("good", "tag")


def test_a_note_is_shown_to_whoever_selects_the_image_and_never_written_over(app: Page, store: TagStore, paths: list[str]) -> None:
    _select(app, 7)
    _note(app).set_value("blurred\nat the left").run()
    app.click("label_write")
    assert store.columns([paths[7]])["note"].tolist() == ["blurred\nat the left"]
    _select(app, 8)
    assert _note(app).value == ""
    _select(app, 7)
    assert _note(app).value == "blurred\nat the left"
    store.set_note([paths[7]], "theirs", who="someone else")
    app.run()
    assert _note(app).value == "theirs"
    _select(app, 7, 8)
    _note(app).set_value("of both").run()
    app.click("label_write")
    _select(app, 7, 8, 9)
    assert _note(app).value == ""


def test_what_others_say_comes_with_the_next_look_and_stays_at_an_undo(app: Page, store: TagStore, paths: list[str]) -> None:
    _give(_select(app, 1, 2), "breed", "beagle")
    store.set_value([paths[2]], "breed", "collie", who="someone else")
    app.run()
    assert app.session_state["view"].frame["breed"].iloc[[1, 2]].tolist() == ["beagle", "collie"]
    app.click("label_undo")
    assert "1 that others have changed since stay as they are" in app.toasts[0]
    assert store.columns(paths)["breed"].dropna().tolist() == ["collie"]


def test_a_run_of_a_page_asks_for_labels_once(app: Page, store: TagStore, paths: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    _give(_select(app, 1), "good")
    looks, version = [], TagStore.version

    def counted(self: TagStore) -> int:
        looks.append(self.path)
        return version(self)

    monkeypatch.setattr(TagStore, "version", counted)
    app.run()
    assert looks == [store.path]


def test_a_label_is_told_from_a_column_that_has_come_by_the_same_name(app: Page, store: TagStore, paths: list[str]) -> None:
    TagStore(store.path).set_value(paths[:2], "body_type", "mine", who="me")  # as before the dataset had the column
    _select(app, 0, 1)
    frame = app.session_state["view"].base.table.frame
    assert hand_labels.column_of(frame, "body_type") == "body_type (tag)"
    assert hand_labels.column_of(frame, "car_color") is None
    button = app.button_of(plain("body_type: mine"))
    assert "2 of 2 selected images have it" in button.help
    button.click().run()
    assert store.columns(paths).empty


def test_keys_mean_the_same_after_a_reload_and_each_label_has_its_own(app: Page, store: TagStore, paths: list[str]) -> None:
    store.set_value(paths[:1], "breed", "pug", "ada")
    _select(app, 0)
    store.set_value(paths[1:3], "breed", "beagle", "ada")  # more images than the first one has
    store.add_tag(paths[:3], "good", "ada")
    _select(app, 1)
    before = [button.label for button in app.button if str(button.key).startswith("label:")]
    assert before == [plain("breed: pug"), plain("breed: beagle"), "good"]
    del app.session_state["labels_seen"]  # as in a session that begins
    _select(app, 1)
    assert [button.label for button in app.button if str(button.key).startswith("label:")] == before
    store.set_value(paths[:1], "a", "b_", who="me")
    store.add_tag(paths[:1], "a_b", who="me")
    store.set_value(paths[:1], "notes", "5", who="me")
    app.run()
    assert {plain("a: b_"), plain("a_b")} <= {button.label for button in app.button}


def test_figures_follow_labels_that_change_and_leave_out_who_has_none(store: TagStore, paths: list[str]) -> None:
    kinds = read_cars().frame["car_color"].astype(str)
    rows = np.flatnonzero(kinds.isin(["red", "blue"]))[:60]
    for value in ("red", "blue"):
        store.set_value([paths[row] for row in rows if kinds[row] == value], "mine", value, who="me")
    first = cached.metrics(SHIPPED_CARS.id, cached.base(SHIPPED_CARS.id), "mine")
    alone = cached.base(SHIPPED_CARS.id)
    from likeness.evaluation import retrieval_metrics

    assert first == retrieval_metrics(alone.vectors[rows], kinds.iloc[rows])
    store.set_value([paths[row] for row in rows[::2]], "mine", "other", who="me")
    second = cached.metrics(SHIPPED_CARS.id, cached.base(SHIPPED_CARS.id), "mine")
    assert second == retrieval_metrics(alone.vectors[rows], cached.table(SHIPPED_CARS.id).frame["mine"].iloc[rows].astype(str))
    assert second != first


def test_nothing_is_opened_anew_for_a_label(store: TagStore, paths: list[str]) -> None:
    before = cached.base(SHIPPED_CARS.id)
    assert cached.base(SHIPPED_CARS.id) is before
    store.add_tag(paths[:3], "good", who="me")
    after = cached.base(SHIPPED_CARS.id)
    assert after is not before
    assert after.vectors is before.vectors
    assert cached.base(SHIPPED_CARS.id) is after


def test_a_damaged_file_is_told_and_leaves_the_page(app: Page, store: TagStore, paths: list[str]) -> None:
    store.add_tag(paths[:3], "good", who="me")
    store.path.write_bytes(b"no database" * 1000)
    app.run()
    assert any("Labels are left out" in warning.value for warning in app.warning)
    assert "good" not in app.session_state["view"].frame


@pytest.fixture
def become(monkeypatch: pytest.MonkeyPatch) -> Callable[..., None]:
    """On a shared server: who asks, behind a proxy that names accounts, or by a cookie."""

    def to(name: str, accounts: bool = True) -> None:
        more: dict[str, Any] = {"auth_header": "X-User", "roles": {"ben": "edit", "dan": "edit"}} if accounts else {}
        monkeypatch.setenv("LIKENESS_SERVER", settings_from({"shared": True, **more}).as_text())
        for module in ("access", "visitors", "hand_labels"):
            monkeypatch.setattr(f"{module}.account", lambda: name if accounts else None)
        monkeypatch.setattr("visitors._browser", lambda: name)

    return to


class TestRights:
    def test_whoever_edits_labels_what_all_see_in_his_own_name(self, become: Callable[..., None]) -> None:
        become("ben")
        assert hand_labels.refusal_to_tag(SHIPPED_CARS, read_cars()) == ""
        assert hand_labels.who() == "ben"
        become("ada")
        assert "role edit" in hand_labels.refusal_to_tag(SHIPPED_CARS, read_cars())

    def test_strangers_label_their_own_alone(self, become: Callable[..., None]) -> None:
        become("a" * 32, accounts=False)
        assert "nobody signs in" in hand_labels.refusal_to_tag(SHIPPED_CARS, read_cars())
        assert hand_labels.who().startswith("visitor ")
        assert "a" * 9 not in hand_labels.who()  # the name of his folder
        own = replace(SHIPPED_CARS, id="x", source="uploads/mine", owner="a" * 32)
        assert hand_labels.refusal_to_tag(own, read_cars()) == ""
        assert hand_labels.file_of(own).parent.parent.name == "a" * 32
        become("", accounts=False)  # without a cookie: nobody
        assert "nobody signs in" in hand_labels.refusal_to_tag(SHIPPED_CARS, read_cars())
        assert "someone else's" in hand_labels.refusal_to_tag(own, read_cars())
        become("b" * 32, accounts=False)
        assert "someone else's" in hand_labels.refusal_to_tag(own, read_cars())
        assert hand_labels.file_of(own).parent.parent.name == "a" * 32  # whoever was given the link sees the labels

    def test_a_click_that_was_not_offered_changes_nothing(self, app: Page, store: TagStore, become: Callable[..., None], paths: list[str]) -> None:
        _give(_select(app, 1), "good")
        become("ada")
        app.button_of(plain("good")).click().run()
        assert store.columns(paths)["good"].sum() == 1


def test_labels_are_in_the_copy_of_a_server_while_somebody_writes(store: TagStore, paths: list[str], tmp_path: Path, monkeypatch: Any) -> None:
    store.add_tag(paths[:5], "good", who="me")
    import sqlite3

    open_one = sqlite3.connect(store.path)  # keeps the log beside the file, as a server that is labeling does
    open_one.execute("SELECT 1 FROM edits").fetchone()
    store.add_tag(paths[5:7], "good", who="me")
    back_up(tmp_path / "copy.tar")
    open_one.close()
    monkeypatch.setenv("LIKENESS_CACHE", str(tmp_path / "new"))
    monkeypatch.setenv("LIKENESS_RUNS", str(tmp_path / "new runs"))
    restore(tmp_path / "copy.tar")
    assert tag_store("cars", read_cars()).columns(paths)["good"].sum() == 7
    assert [file.suffix for file in (tmp_path / "new" / "tags").iterdir()] == [".sqlite"]


def test_labels_go_with_the_dataset(tmp_path: Path, cache: Path) -> None:
    (tmp_path / "photos").mkdir()
    for number, path in enumerate(read_cars().paths()[:4]):
        (tmp_path / "photos" / f"{number}.webp").write_bytes(path.read_bytes())
    entry = new_entry("Photos", str(tmp_path / "photos"), "cars")
    add_dataset(entry)
    hand_labels.store_of(entry, cached.images_of(entry)).add_tag(["0.webp"], "good", who="me")
    assert hand_labels.file_of(entry).is_file()
    hand_labels.remove(entry)
    assert not list((cache / "tags").glob("*.sqlite*"))
    assert hand_labels.version(entry) == 0


class TestTraining:
    def test_a_run_learns_from_labels_as_they_were_when_it_began(self, store: TagStore, paths: list[str]) -> None:
        for place, value in enumerate(("a", "b", "c", "d")):
            store.set_value(paths[10 * place : 10 * place + 8], "mine", value, who="me")
        config = config_from({"data": {"source": "cars", "attribute": "mine", "validation": 0}})
        begun = resolve_config(config)
        (file,) = begun.data.label_files
        assert Path(file).name == "mine.csv"
        store.set_value(paths[:30], "mine", "z", who="me")
        images = run_images(begun.data, seed=0)
        assert len(images.table) == 32  # those without a value take no part
        assert images.names == ["a", "b", "c", "d"]
        assert resolve_config(config).data.label_files != begun.data.label_files
        store.undo("me")
        assert resolve_config(config).data.label_files == begun.data.label_files

    def test_a_tag_divides_all_images(self, store: TagStore, paths: list[str]) -> None:
        store.add_tag(paths[:50], "good", who="me")
        begun = resolve_config(config_from({"data": {"source": "cars", "attribute": ["car_color", "good"], "validation": 0}}))
        images = run_images(begun.data, seed=0)
        assert len(images.table) == 2000
        assert sum(images.names[label].endswith(" yes") for label in images.labels) == 50

    def test_a_name_that_no_file_can_have_is_refused(self, store: TagStore, paths: list[str]) -> None:
        store.add_tag(paths[:50], "../good", who="me")
        with pytest.raises(InputError, match="No file can be called"):
            resolve_config(config_from({"data": {"source": "cars", "attribute": "../good"}}))


def test_a_file_that_took_the_place_of_another_is_read_anew(store: TagStore, paths: list[str]) -> None:
    store.add_tag(paths[:2], "good", who="ada")
    assert hand_labels.counts(SHIPPED_CARS)["name"].tolist() == ["good"]
    other = TagStore(store.path.with_name("other.sqlite"))
    other.add_tag(paths[:1], "bad", who="ada")
    other.path.replace(store.path)
    assert hand_labels.counts(SHIPPED_CARS)["name"].tolist() == ["bad"]
