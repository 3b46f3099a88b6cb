"""The page Label: what spreads, screens that are confirmed or corrected, what is put off, and what is kept."""

from types import SimpleNamespace
from typing import Any

import numpy as np
import pandas as pd
import pytest

from app_page import Page
from likeness.data import read_cars
from likeness.notion_trust import Trust
from likeness.tagging import TagStore
from pages.label import answers
from parts import cached
from parts.plain import plain
from state import Item
from worlds import car_paths

PATHS = car_paths()


COLORS = read_cars().frame["car_color"].astype(str).to_numpy()


def _label(store: TagStore, each: int = 4) -> list[int]:
    rows = []
    for color in ("red", "blue", "green"):
        chosen = np.flatnonzero(color == COLORS)[:each].tolist()
        store.set_value([PATHS[row] for row in chosen], "paint", color, who="me")
        rows += chosen
    return rows


def _open(app: Page) -> Page:
    return app.open("label").set("b", "None").set("a", "car color")


def _labeled(store: TagStore) -> int:
    return int(store.columns(PATHS)["paint"].notna().sum())


def test_without_labels_and_with_one_value_it_says_where_to_begin_and_signs_in_names_are_shown_as_they_are(app: Page, store: TagStore) -> None:
    _open(app).says("Nothing is labeled yet", "Tick a few similar images")
    for rows, value in ((slice(0, 4), "*red*"), (slice(4, 8), "<b>blue</b>")):
        store.set_value(PATHS[rows], "<i>paint</i>", value, who="me")
        app.run()
        if value == "*red*":
            app.says("**All labeled images have")
    assert app.selectbox(key="label_attribute").options == ["<i>paint</i>"]
    assert any(plain(f"24 as {value}") in app.button(key="label_confirm").label for value in ("*red*", "<b>blue</b>"))


def test_without_labels_the_first_are_given_here_and_values_keep_the_keys_of_their_order(app: Page, store: TagStore) -> None:
    _open(app).says("Nothing is labeled yet")
    assert app.at("label_first").disabled
    for value in ("zebra", "ant"):
        next(each for each in app.text_input if each.label == "Label").set_value("kind")
        next(each for each in app.text_input if each.label == "Value").set_value(value)
        of, _ = app.session_state["label_ticked"]
        app.session_state["label_ticked"] = of, np.frombuffer(of[1], np.int64)[:3]
        app.run().click("label_first")
    assert store.columns(PATHS)["kind"].value_counts().to_dict() == {"zebra": 3, "ant": 3}
    app.set("label_step", "uncertain")
    assert [button.key for button in app.button if str(button.key).startswith("label_as_")] == [f"label_as_{each}" for each in ("zebra", "ant")]
    app.set("label_step", "finish").set("label_threshold", 0.0).click("label_keep")
    assert app.selectbox(key="label_attribute").options == ["kind"]  # what a machine spread does not spread again


def test_a_screen_is_confirmed_put_off_or_asked_about(app: Page, store: TagStore) -> None:
    given = _label(store)
    _open(app).says(f"{len(given)} of 2,000 images have a label, of 3 classes")
    first = app.session_state["label_ticked"][1].tolist()
    app.click("label_confirm")
    assert len(first) > 3
    assert _labeled(store) == len(given) + len(first)
    app.click("label_back")
    assert _labeled(store) == len(given)
    app.click("label_later")
    of, rows = app.session_state["label_ticked"]
    assert not set(first) & set(rows.tolist())
    app.session_state["label_ticked"] = of, rows[3:]
    assert f"Confirm {len(rows) - 3} as" in app.run().at("label_confirm").label
    app.click("label_confirm").says("What are these 3?")  # those without a tick are asked for next
    app.click("label_as_green").hides("What are these")
    assert _labeled(store) == len(given) + len(rows)
    assert store.columns(PATHS)["paint"].iloc[rows[:3]].tolist() == ["green"] * 3


def test_a_wrong_label_is_asked_about_and_corrected_and_images_that_were_labeled_in_one_go_do_not_flatter(app: Page, store: TagStore) -> None:
    """A selection for each value: nothing can be said; a second one for each: something."""
    _label(store, each=8)
    _open(app).says("Nothing says yet").hides("100% right")
    for color in ("red", "blue", "green"):
        store.set_value([PATHS[row] for row in np.flatnonzero(color == COLORS)[20:28]], "paint", color, who="me")
    app.run().says("Of 48 labels that were held out")
    wrong = int(np.flatnonzero(COLORS == "red")[0])
    store.set_value([PATHS[wrong]], "paint", "blue", who="me")
    app.set("label_step", "mistakes").says("their labels may be wrong")
    of, _ = app.session_state["label_ticked"]
    app.session_state["label_ticked"] = of, np.array([wrong])
    app.run().click("label_as_red").says("No label looks wrong")
    assert store.columns(PATHS)["paint"].iloc[wrong] == "red"


def test_the_rest_is_kept_apart_from_what_people_said(app: Page, store: TagStore) -> None:
    given = _label(store)
    _open(app)
    app.set("label_step", "finish").set("label_threshold", 0.5).click("label_keep")
    found = store.columns(PATHS)
    assert found["paint"].notna().sum() == len(given)
    kept = found["paint (spread)"].notna()
    assert kept.sum() > len(given)
    assert (found["paint (spread)"].iloc[given] == found["paint"].iloc[given]).all()
    app.click("label_keep")
    assert store.columns(PATHS)["paint (spread)"].notna().sum() == kept.sum()


def test_the_notion_whose_space_spreads_labels_is_judged(app: Page, store: TagStore, monkeypatch: pytest.MonkeyPatch) -> None:
    _label(store)
    monkeypatch.setattr(cached, "trust", lambda base, notion: Trust(0.1, 1.0, 0.1, False))
    _open(app).says("do not rely on this notion")
    app.set("a", "Raw encoder").hides("do not rely on this notion")


def test_a_value_keeps_its_key_where_nothing_has_it_any_more(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("parts.label_edits.known", lambda view: [("kind", "zebra"), ("kind", "ant"), ("good", ""), ("breed", "pug")])
    request: Any = SimpleNamespace(name="kind", classes=["ant", "cat"])
    assert answers.values_in_order(SimpleNamespace(), request) == ["zebra", "ant", "cat"]  # type: ignore[arg-type]


def test_no_value_of_the_session_has_the_name_of_a_gallery() -> None:
    kept = {item.key for item in vars(type(answers._answers)).values() if isinstance(item, Item)}
    assert not kept & {f"label_{kind}" for kind in answers._SCREENS}


def test_what_was_put_off_is_not_left_over(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("state.st.session_state", {"label_asked_next": (("photos", "kind"), np.arange(3))})
    table = SimpleNamespace(frame=pd.DataFrame({"kind": [None, None, "cat"]}))
    view: Any = SimpleNamespace(dataset="photos", base=SimpleNamespace(table=table))
    assert answers.left_over(view, "kind").tolist() == [0, 1]
    answers.put_off(view, "kind", "sure").add(0)
    assert answers.left_over(view, "kind").tolist() == [1]
    answers.put_off(view, "kind", "sure").clear()
    assert answers.left_over(view, "kind").tolist() == [0, 1]
