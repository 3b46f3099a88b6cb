"""The store of tags against a model in plain Python, and what several people meet."""

import tempfile
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings, strategies as st

from likeness.errors import InputError
from likeness.tagging import NOTE, NewColumn, TagStore

PEOPLE = ("ada", "bob", "eve")
IMAGES = tuple(f"class {i % 2}/{i}.jpg" for i in range(5))


@pytest.fixture
def store(tmp_path: Path) -> TagStore:
    return TagStore(tmp_path / "tags" / "photos.sqlite")


class Model:
    """The same in lists and dicts: every edit keeps what it found, and people have stacks."""

    def __init__(self) -> None:
        self.state: dict[tuple[str, str], tuple[str | None, int]] = {}
        self.edits: dict[int, tuple[str, dict[tuple[str, str], Any]]] = {}
        self.undo: dict[str, list[int]] = {who: [] for who in PEOPLE}
        self.redo: dict[str, list[tuple[int, int]]] = {who: [] for who in PEOPLE}
        self.count = 0

    def edit(self, who: str, images: list[str], name: str, value: str | None) -> int:
        number, changed = self.count + 1, {}
        for image in images:
            found = self.state.get((image, name))
            if found is None and value is None:
                continue
            if found is not None and found[0] == value and self.edits[found[1]][0] == who:
                continue
            changed[image, name] = (found, (value, number))
        if changed:
            self._write(who, changed)
            self.undo[who].append(number)
            self.redo[who] = []
        return len(changed)

    def _write(self, who: str, changed: dict[tuple[str, str], Any]) -> int:
        self.count += 1
        self.edits[self.count] = (who, changed)
        for place, (_, after) in changed.items():
            if after is None:
                self.state.pop(place, None)
            else:
                self.state[place] = after
        return self.count

    def _take_back(self, who: str, number: int) -> tuple[int, int, int]:
        changed = self.edits[number][1]
        there = {place: (after, before) for place, (before, after) in changed.items() if self.state.get(place) == after}
        return self._write(who, there), len(there), len(changed) - len(there)

    def back(self, who: str) -> tuple[int, int] | None:
        if not self.undo[who]:
            return None
        number = self.undo[who].pop()
        made, images, skipped = self._take_back(who, number)
        self.redo[who].append((made, number))
        return images, skipped

    def again(self, who: str) -> tuple[int, int] | None:
        if not self.redo[who]:
            return None
        undo, number = self.redo[who].pop()
        _, images, skipped = self._take_back(who, undo)
        self.undo[who].append(number)
        return images, skipped

    def values(self, image: str) -> dict[str, str]:
        return {name: value for (path, name), (value, _) in self.state.items() if path == image and value is not None}


_edits = st.tuples(
    st.sampled_from(PEOPLE),
    st.sampled_from(("tag", "untag", "set", "clear", "note", "undo", "undo", "redo")),
    st.lists(st.sampled_from(IMAGES), min_size=1, max_size=5, unique=True),
    st.sampled_from(("a", "b")),
    st.sampled_from(("1", "2")),
)


def _found(store: TagStore, image: str) -> dict[str, str]:
    row = store.columns([image]).astype(object).iloc[0]
    return {str(name): "yes" if value is True else str(value) for name, value in row.items() if value is not False and not pd.isna(value)}


@settings(max_examples=60)
@given(st.lists(_edits, max_size=25))
def test_whatever_people_do_the_file_holds_what_the_model_holds(steps: list[Any]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        store, model = TagStore(Path(folder) / "t.sqlite"), Model()
        store.add_tag(IMAGES[:1], "tag a", "ada")
        store.set_value(IMAGES[:1], "breed a", "1", "ada")
        model.edit("ada", [IMAGES[0]], "tag a", "yes")
        model.edit("ada", [IMAGES[0]], "breed a", "1")
        for who, what, images, name, value in steps:
            if what in ("undo", "redo"):
                expected = model.back(who) if what == "undo" else model.again(who)
                if expected is None:
                    with pytest.raises(InputError, match="There is no"):
                        getattr(store, what)(who)
                else:
                    done = getattr(store, what)(who)
                    assert (done.images, done.skipped) == expected
            elif what == "tag":
                assert store.add_tag(images, f"tag {name}", who).images == model.edit(who, images, f"tag {name}", "yes")
            elif what == "untag":
                assert store.remove_tag(images, "tag a", who).images == model.edit(who, images, "tag a", None)
            elif what == "set":
                assert store.set_value(images, f"breed {name}", value, who).images == model.edit(who, images, f"breed {name}", value)
            elif what == "clear":
                assert store.clear_value(images, "breed a", who).images == model.edit(who, images, "breed a", None)
            else:
                assert store.set_note(images, value, who).images == model.edit(who, images, NOTE, value)
            assert store.version() == model.count
            assert store.can_undo(who) == (bool(model.undo[who]), bool(model.redo[who]))
        assert {image: _found(store, image) for image in IMAGES} == {image: model.values(image) for image in IMAGES}
        assert store.labeled_paths() == sorted(image for image in IMAGES if model.values(image))


def test_who_gives_the_same_value_speaks_for_it_and_what_came_back_by_others_is_not_undone(store: TagStore) -> None:
    store.add_tag(["a", "b"], "good", "ada")
    assert store.add_tag(["a"], "good", "ada").id == 0
    assert store.add_tag(["a"], "good", "bob").images == 1
    assert store.undo("ada").skipped == 1
    assert store.columns(["a", "b"])["good"].tolist() == [True, False]
    store.set_value(["a"], "breed", "beagle", "ada")
    store.set_value(["a"], "breed", "poodle", "bob")
    store.set_value(["a"], "breed", "beagle", "eve")
    assert store.undo("ada").images == 0
    assert store.columns(["a"])["breed"].tolist() == ["beagle"]


def test_columns_follow_the_table_and_keep_their_kind(store: TagStore) -> None:
    store.set_note(["b"], "blurred\r\nbelow", "ada")
    store.set_value(["a", "gone"], "size", "10", "ada")
    store.set_value(["b"], "size", "9", "ada")
    store.add_tag(["b"], "good", "bob")
    frame = store.columns(["c", "b", "a", "b"])
    assert frame.columns.tolist() == ["good", "size", NOTE]
    assert frame["good"].dtype == bool
    assert frame["good"].tolist() == [False, True, False, True]
    assert frame["size"].cat.categories.tolist() == ["9", "10"]
    assert frame["size"].isna().tolist() == [True, False, False, False]
    assert frame[NOTE].tolist()[1] == "blurred\nbelow"
    assert store.columns([]).shape == (0, 3)
    assert store.labeled_paths() == ["a", "b", "gone"]


def test_counts_and_log_tell_who_did_what(store: TagStore) -> None:
    store.add_tag(["a", "b"], "good", "ada")
    store.set_value(["a", "c"], "breed", "beagle", "bob")
    store.set_value(["b"], "breed", "poodle", "bob")
    store.undo("bob")
    assert store.counts().to_numpy().tolist() == [["good", "tag", "", 2], ["breed", "attribute", "beagle", 2]]
    log = store.log()
    assert log["action"].tolist() == ["undo", "set", "set", "add"]
    assert log["who"].tolist() == ["bob", "bob", "bob", "ada"]
    assert log["images"].tolist() == [1, 1, 2, 2]
    assert log["undone"].tolist() == [False, True, False, False]
    assert str(log["time"].dtype).endswith("UTC]")
    assert store.log(count=1)["edit"].tolist() == [4]
    assert store.log(who="ada")["edit"].tolist() == [1]
    assert store.log(path="b")["edit"].tolist() == [4, 3, 1]
    store.set_note(["a"], "A note.", "eve")
    assert store.given_order() == [("good", ""), ("breed", "beagle"), ("breed", "poodle")]  # as they were first given


def test_columns_of_several_values_are_one_edit(store: TagStore) -> None:
    store.add_tag(["c"], "good", "ada")
    new = [
        NewColumn("breed", "attribute", ["beagle", None, "poodle"]),
        NewColumn("good", "tag", ["yes", None, ""]),
        NewColumn(NOTE, "note", ["x", "", None]),
    ]
    assert store.set_columns(["a", "b", "c"], new, "bob").images == 2
    assert store.columns(["a", "b", "c"]).astype(object).fillna("-").to_numpy().tolist() == [
        [True, "beagle", "x"],
        [False, "-", "-"],
        [False, "poodle", "-"],
    ]
    assert store.undo("bob").images == 2
    assert store.columns(["a", "b", "c"]).to_numpy().tolist() == [[False], [False], [True]]
    with pytest.raises(InputError, match="do not fit the columns"):
        store.set_columns(["a", "a"], [NewColumn("good", "tag", ["yes", ""])], "bob")
    with pytest.raises(InputError, match="'yes' or empty, not 'no'"):
        store.set_columns(["a"], [NewColumn("good", "tag", ["no"])], "bob")


def test_a_tag_or_attribute_gets_another_name_and_its_old_one_back(store: TagStore) -> None:
    store.add_tag(["a.jpg", "b.jpg"], "good", "ada")
    store.add_tag(["c.jpg"], "good", "ben")
    found = store.rename("Good", "sharp", "ben")
    assert (found.action, found.name, found.value, found.images) == ("rename", "good → sharp", "", 3)
    assert store.counts()[["name", "images"]].to_numpy().tolist() == [["sharp", 3]]
    assert store.log(1)[["action", "name", "value", "images"]].to_numpy().tolist() == [["rename", "good → sharp", "", 3]]
    assert store.undo("ada").skipped == 2  # her edit is no more what the images have
    store.redo("ada")
    assert store.undo("ben").images == 3
    assert store.counts()[["name", "images"]].to_numpy().tolist() == [["good", 3]]
    assert store.redo("ben").images == 3
    assert store.columns(["a.jpg", "c.jpg", "d.jpg"])["sharp"].tolist() == [True, True, False]
    # an attribute keeps its values, and a name that nothing has any more is free
    store.set_value(["a.jpg", "b.jpg"], "breed", "pug", "ada")
    store.set_value(["c.jpg"], "breed", "beagle", "ada")
    store.rename("breed", "race", "ada")
    assert store.columns(["a.jpg", "b.jpg", "c.jpg"])["race"].tolist() == ["pug", "pug", "beagle"]
    store.rename("race", "breed", "ada")
    assert store.counts()[["name", "value", "images"]].to_numpy().tolist() == [["sharp", "", 3], ["breed", "pug", 2], ["breed", "beagle", 1]]


@pytest.mark.parametrize(
    ("name", "new", "message"),
    [
        ("nope", "new", "There is no tag or attribute 'nope'"),
        ("good", "GOOD", "'good' and 'GOOD' are the same name"),
        ("good", "breed", "'breed' is an attribute with values here"),
        ("good", "bad", "Images have 'bad' already"),
        ("gone", "new", "No image has 'gone'"),
        ("good", "class", "The dataset has a column 'class' already"),
        ("note", "new", "The dataset has a column 'note'"),
        ("good", "", "attribute is empty"),
    ],
)
def test_what_cannot_be_renamed_stays(tmp_path: Path, name: str, new: str, message: str) -> None:
    store = TagStore(tmp_path / "photos.sqlite", ["path", "class"])
    for tag in ("good", "bad", "gone"):
        store.add_tag(["a.jpg"], tag, "ada")
    store.remove_tag(["a.jpg"], "gone", "ada")
    store.set_value(["a.jpg"], "breed", "pug", "ada")
    before = store.version(), store.counts().to_numpy().tolist()
    with pytest.raises(InputError, match=message):
        store.rename(name, new, "ada")
    assert (store.version(), store.counts().to_numpy().tolist()) == before
    assert store.kind_of("new") is None


def test_a_name_has_one_kind_and_is_known_in_any_letter_case(store: TagStore) -> None:
    store.add_tag(["a"], "Good", "ada")
    store.add_tag(["b"], "good ", "bob")
    assert store.columns(["a", "b"])["Good"].tolist() == [True, True]
    assert store.kind_of("GOOD") == ("Good", "tag")
    with pytest.raises(InputError, match="'Good' is a tag here, which has no values"):
        store.set_value(["a"], "good", "very", "ada")
    with pytest.raises(InputError, match="There is no tag 'bad' here; there are: 'Good'"):
        store.remove_tag(["a"], "bad", "ada")
    assert store.version() == 2


def test_what_has_no_file_is_empty(store: TagStore) -> None:
    assert store.columns(["a"]).shape == (1, 0)
    assert (store.version(), store.labeled_paths(), len(store.counts()), len(store.log()), store.can_undo("a")) == (0, [], 0, 0, (False, False))
    assert store.given_order() == []
    for call in (store.undo, store.redo):
        with pytest.raises(InputError, match="There is no"):
            call("ada")
    assert not store.path.exists()


def test_limits_of_number_refuse_and_change_nothing(store: TagStore, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("likeness.tagging.edits.MOST_NAMES", 2)
    monkeypatch.setattr("likeness.tagging.edits.MOST_VALUES", 2)
    monkeypatch.setattr("likeness.tagging.names.MOST_IMAGES", 3)
    store.add_tag(["a"], "one", "ada")
    for value in ("x", "y"):
        store.set_value(["a"], "two", value, "ada")
    before = store.version()
    with pytest.raises(InputError, match="There are 2 tags and attributes"):
        store.add_tag(["a"], "three", "ada")
    with pytest.raises(InputError, match="at most 2 different values"):
        store.set_value(["a"], "two", "z", "ada")
    with pytest.raises(InputError, match="1 to 3 images, got 4"):
        store.add_tag(list("abcd"), "one", "ada")
    with pytest.raises(InputError, match="1 to 3 images, got 0"):
        store.add_tag([], "one", "ada")
    assert store.version() == before
    store.set_value(["b"], "two", "x", "ada")


def test_what_was_given_in_one_go_has_one_number(tmp_path: Path) -> None:
    store = TagStore(tmp_path / "tags.sqlite")
    paths = [f"{number}.png" for number in range(8)]
    assert len(set(store.given_together(paths, "breed"))) == 8
    store.set_value(paths[:3], "breed", "beagle", who="ada")
    store.set_value(paths[3:5], "breed", "beagle", who="ada")
    store.set_columns(paths[5:7], [NewColumn("breed", "attribute", ["collie", "beagle"])], who="ada")
    first = store.given_together(paths, "breed")
    assert first[0] == first[1] == first[2] != first[3] == first[4]
    assert len(set(first[5:].tolist())) == 3
    store.set_value(paths[:2], "breed", "collie", who="ada")
    assert len(set(store.given_together(paths, "breed")[:3].tolist())) == 2
    store.undo("ada")
    np.testing.assert_array_equal(store.given_together(paths, "breed"), first)
    assert len(set(store.given_together(paths, "another"))) == 8
