"""Labels made by hand in the app: given, seen on every page at once, taken back, refused, removed and copied."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import worlds
from app_page import Page
from likeness.data import SHIPPED_CARS, read_cars
from likeness.errors import InputError
from likeness.tagging import NewColumn, TagStore
from likeness.training import RunConfig, config_from, run_images
from parts import cached
from parts.config_access import resolve_config
from parts.plain import plain
from server import hand_labels
from server.backup import back_up
from worlds import ADA, BEN, car_paths, cars_store, copy_cars, dataset, put_in_place, serve

PATHS = car_paths()


Become = Callable[..., None]


@pytest.fixture
def become(monkeypatch: pytest.MonkeyPatch) -> Become:
    """On a shared server: who asks, behind a proxy that names accounts, or by a cookie."""

    def to(name: str, accounts: bool = True) -> None:
        serve(
            monkeypatch,
            shared=True,
            **({"auth_header": "X-User", "trusted_proxies": ["127.0.0.1"], "roles": {"ben": "edit", "dan": "edit"}} if accounts else {}),
        )
        worlds.sign_in(monkeypatch, name if accounts else None, "server.hand_labels")
        worlds.visit(monkeypatch, name)

    return to


def _select(app: Page, *rows: int) -> Page:
    app.session_state["rows"] = np.array(rows, np.int64)
    app.run()
    return app


def _give(app: Page, name: str, value: str | None = None) -> Page:
    for key, typed in (("label_name", name), ("label_value", value)):
        if typed is not None:
            app.at(key).options.append(typed)
            app.set(key, typed)
    return app.click("label_give")


def _note(app: Page) -> Any:
    return next(field for field in app.text_area if field.label == "Note")


def _with(store: TagStore, name: str) -> list[int]:
    """The images that have this label."""
    found = store.columns(PATHS).get(name)
    return [] if found is None else np.flatnonzero(found.notna() & (found != False)).tolist()  # noqa: E712


def _write(app: Page, note: str, *rows: int) -> Page:
    _note(_select(app, *rows)).set_value(note).run()
    return app.click("label_write")


def test_a_tag_for_the_selection_is_an_attribute_at_once_until_it_is_undone(app: Page, store: TagStore, become: Become) -> None:
    assert "The dataset has a column" in _give(_select(app, 3, 5, 8), "body_type").toasts[0]
    _give(app, "x" * 81)
    assert store.columns(PATHS).empty
    assert "good added to 3 images" in _give(app, "good").toasts[0]
    assert _with(store, "good") == [3, 5, 8]
    view = app.session_state["view"]
    assert np.flatnonzero(view.frame["good"]).tolist() == [3, 5, 8]
    assert view.a.table is view.base.table  # of every space
    assert app.set("color", "good").session_state["view"].color == "good"
    app.click("label_undo")
    assert store.columns(PATHS).empty
    assert app.session_state["view"].color != "good"
    app.click("label_redo")
    assert _with(store, "good") == [3, 5, 8]
    assert app.at("label_redo").disabled
    become("ada")
    app.press(plain("good"))  # a click that was not offered
    assert _with(store, "good") == [3, 5, 8]


def test_a_click_on_a_known_label_gives_it_and_takes_it_away(app: Page, store: TagStore) -> None:
    TagStore(store.path).set_value(PATHS[:2], "body_type", "mine", who="me")  # as before the dataset had a column of this name
    frame = _select(app, 0, 1).session_state["view"].base.table.frame
    assert [hand_labels.column_of(frame, name) for name in ("body_type", "car_color")] == ["body_type (tag)", None]
    assert "2 of 2 selected images have it" in app.button_of(plain("body_type: mine")).help
    app.press(plain("body_type: mine"))
    assert store.columns(PATHS).empty
    store.set_value([PATHS[row] for row in (1, 2)], "breed", "beagle", who="me")
    _select(app, 2, 3).press(plain("breed: beagle"))
    assert _with(store, "breed") == [1, 2, 3]
    app.press(plain("breed: beagle"))  # both have it
    assert _with(store, "breed") == [1]
    _give(_select(app, 1, 9), "breed", "collie")
    assert store.columns([PATHS[1], PATHS[9]])["breed"].tolist() == ["collie", "collie"]  # one value an image
    _give(_select(app, 1), "good")  # the value of one name is not given under another
    assert (_with(store, "good"), store.kind_of("good")) == ([1], ("good", "tag"))


def test_a_note_is_shown_to_whoever_selects_the_image_and_never_written_over(app: Page, store: TagStore) -> None:
    _write(app, "blurred\nat the left", 7)
    assert store.columns([PATHS[7]])["note"].tolist() == ["blurred\nat the left"]
    assert _note(_select(app, 8)).value == ""
    assert _note(_select(app, 7)).value == "blurred\nat the left"
    store.set_note([PATHS[7]], "theirs", who="someone else")
    assert _note(app.run()).value == "theirs"
    _write(app, "of both", 7, 8)
    assert _note(_select(app, 7, 8, 9)).value == ""


def test_what_others_say_comes_with_the_next_look_and_stays_at_an_undo(app: Page, store: TagStore, monkeypatch: pytest.MonkeyPatch) -> None:
    _give(_select(app, 1, 2), "breed", "beagle")
    store.set_value([PATHS[2]], "breed", "collie", who="someone else")
    looks, version = [], TagStore.version
    monkeypatch.setattr(TagStore, "version", lambda self: looks.append(self.path) or version(self))
    app.run()
    assert looks == [store.path]  # once a run of a page
    assert app.session_state["view"].frame["breed"].iloc[[1, 2]].tolist() == ["beagle", "collie"]
    assert "1 skipped, since others have changed them" in app.click("label_undo").toasts[0]
    assert store.columns(PATHS)["breed"].dropna().tolist() == ["collie"]
    store.path.write_bytes(b"no database" * 1000)
    assert any("Labels are not shown" in warning for warning in app.run().warnings)
    assert "breed" not in app.session_state["view"].frame


def test_keys_mean_the_same_after_a_reload_and_each_label_has_its_own(app: Page, store: TagStore) -> None:
    def labels() -> list[str]:
        return [button.label for button in app.button if str(button.key).startswith("label:")]

    store.set_value(PATHS[:1], "breed", "pug", "ada")
    _select(app, 0)
    store.set_value(PATHS[1:3], "breed", "beagle", "ada")  # more images than the first one has
    store.add_tag(PATHS[:3], "good", "ada")
    _select(app, 1)
    before = labels()
    assert before == [plain("breed: pug"), plain("breed: beagle"), "good"]
    del app.session_state["label_known"]  # as in a session that begins
    _select(app, 1)
    assert labels() == before
    store.set_value(PATHS[:1], "a", "b_", who="me")
    store.add_tag(PATHS[:1], "a_b", who="me")
    store.set_value(PATHS[:1], "notes", "5", who="me")
    assert {plain("a: b_"), plain("a_b")} <= set(app.run().labels)
    met = labels()
    store.set_columns(PATHS[3:6], [NewColumn("breed", "attribute", ["fox", "hare", "lynx"])], "ada", "spread")
    _select(app, 4)
    assert labels() == met  # what was only spread takes no key
    store.set_value(PATHS[6:7], "breed", "hare", "ada")
    store.clear_value(PATHS[:1], "breed", "ada")
    _select(app, 4)
    assert labels() == [*met, plain("breed: hare")]  # those that are gone keep theirs


def test_figures_follow_labels_that_change_and_leave_out_who_has_none(store: TagStore) -> None:
    from likeness.evaluation import retrieval_metrics

    kinds = read_cars().frame["car_color"].astype(str)
    rows = np.flatnonzero(kinds.isin(["red", "blue"]))[:60]
    for value in ("red", "blue"):
        store.set_value([PATHS[row] for row in rows if kinds[row] == value], "mine", value, who="me")
    alone = cached.base(SHIPPED_CARS.id)
    first = cached.metrics(SHIPPED_CARS.id, alone, "mine")
    assert first == retrieval_metrics(alone.vectors[rows], kinds.iloc[rows])
    store.set_value([PATHS[row] for row in rows[::2]], "mine", "other", who="me")
    second = cached.metrics(SHIPPED_CARS.id, cached.base(SHIPPED_CARS.id), "mine")
    assert second == retrieval_metrics(alone.vectors[rows], cached.table(SHIPPED_CARS.id).frame["mine"].iloc[rows].astype(str)) != first


def test_nothing_is_opened_anew_for_a_label_but_a_file_that_took_the_place_of_another(store: TagStore) -> None:
    before = cached.base(SHIPPED_CARS.id)
    assert cached.base(SHIPPED_CARS.id) is before
    store.add_tag(PATHS[:3], "good", who="ada")
    after = cached.base(SHIPPED_CARS.id)
    assert after is not before
    assert after.vectors is before.vectors
    assert cached.base(SHIPPED_CARS.id) is after
    assert hand_labels.counts(SHIPPED_CARS)["name"].tolist() == ["good"]
    other = TagStore(store.path.with_name("other.sqlite"))
    other.add_tag(PATHS[:1], "bad", who="ada")
    other.path.replace(store.path)
    assert hand_labels.counts(SHIPPED_CARS)["name"].tolist() == ["bad"]


def test_whoever_edits_labels_what_all_see_in_their_own_name_and_strangers_their_own_alone(become: Become) -> None:
    become("ben")
    assert hand_labels.refusal_to_tag(SHIPPED_CARS, read_cars()) == ""
    assert hand_labels.who() == "ben"
    become("ada")
    assert "role edit" in hand_labels.refusal_to_tag(SHIPPED_CARS, read_cars())
    own = replace(SHIPPED_CARS, id="x", source="uploads/mine", owner=ADA)
    for who, mine in ((ADA, ""), (BEN, "someone else"), ("", "someone else")):  # at last without a cookie: nobody
        become(who, accounts=False)
        assert "this server has no accounts" in hand_labels.refusal_to_tag(SHIPPED_CARS, read_cars())
        refused = hand_labels.refusal_to_tag(own, read_cars())
        assert mine in refused
        assert bool(refused) == bool(mine)
        assert hand_labels.file_of(own).parent.parent.name == ADA  # whoever was given the link sees the labels
    become(ADA, accounts=False)
    assert hand_labels.who().startswith("visitor ")
    assert "a" * 9 not in hand_labels.who()  # the name of the folder


def test_labels_are_in_the_copy_of_a_server_while_somebody_writes(store: TagStore, tmp_path: Path, monkeypatch: Any) -> None:
    import sqlite3

    store.add_tag(PATHS[:5], "good", who="me")
    open_one = sqlite3.connect(store.path)  # keeps the log beside the file, as a server that is labeling does
    open_one.execute("SELECT 1 FROM edits").fetchone()
    store.add_tag(PATHS[5:7], "good", who="me")
    back_up(tmp_path / "copy.tar")
    open_one.close()
    monkeypatch.setenv("LIKENESS_CACHE", str(tmp_path / "new"))
    monkeypatch.setenv("LIKENESS_RUNS", str(tmp_path / "new runs"))
    put_in_place(tmp_path / "copy.tar")
    assert _with(cars_store(), "good") == list(range(7))
    assert [file.suffix for file in (tmp_path / "new" / "tags").iterdir()] == [".sqlite"]


def test_labels_go_with_the_dataset(tmp_path: Path, cache: Path) -> None:
    entry = dataset(copy_cars(tmp_path / "photos", range(4)))
    hand_labels.store_of(entry, cached.images_of(entry)).add_tag(["00.webp"], "good", who="me")
    assert hand_labels.file_of(entry).is_file()
    hand_labels.remove(entry)
    assert not list((cache / "tags").glob("*.sqlite*"))
    assert hand_labels.version(entry) == 0


def test_a_run_learns_from_labels_as_they_were_when_it_began(store: TagStore) -> None:
    def begun(*attributes: str) -> RunConfig:
        return resolve_config(config_from({"data": {"source": "cars", "attribute": list(attributes), "validation": 0}}))

    for place, value in enumerate(("a", "b", "c", "d")):
        store.set_value(PATHS[10 * place : 10 * place + 8], "mine", value, who="me")
    first = begun("mine")
    (file,) = first.data.label_files
    assert Path(file).name == "mine.csv"
    store.set_value(PATHS[:30], "mine", "z", who="me")
    images = run_images(first.data, seed=0)
    assert len(images.table) == 32  # those without a value take no part
    assert images.names == ["a", "b", "c", "d"]
    assert begun("mine").data.label_files != first.data.label_files
    store.undo("me")
    assert begun("mine").data.label_files == first.data.label_files
    for name in ("good", "../good"):
        store.add_tag(PATHS[:50], name, who="me")
    images = run_images(begun("car_color", "good").data, seed=0)
    assert len(images.table) == 2000  # a tag divides all images
    assert sum(images.names[label].endswith(" yes") for label in images.labels) == 50
    with pytest.raises(InputError, match="a file cannot have this name"):
        begun("../good")
