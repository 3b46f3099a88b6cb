"""Tags as attributes of images: colored, filtered, judged and trained by like every other."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from likeness.data import ImageTable, image_classes, labeled_images
from likeness.errors import InputError
from likeness.space import Space
from likeness.tagging import TagStore, tag_store, tags_file, with_tags

FRAME = pd.DataFrame({"path": [f"{i}.jpg" for i in range(6)], "class": list("aabbcc")})


def _table(frame: pd.DataFrame = FRAME) -> ImageTable:
    return ImageTable("photos", Path("/photos"), frame)


@pytest.fixture
def store(tmp_path: Path) -> TagStore:
    store = TagStore(tmp_path / "t.sqlite", FRAME.columns)
    store.add_tag(FRAME["path"][:3], "good", "ada")
    store.set_value(["0.jpg", "1.jpg"], "breed", "beagle", "ada")
    store.set_value(["4.jpg", "5.jpg"], "breed", "poodle", "ada")
    return store


def test_tags_stand_beside_what_the_dataset_has(store: TagStore) -> None:
    found = with_tags(_table(), store)
    assert found.attributes == ["class", "good", "breed"]
    assert found.frame["good"].tolist() == [True] * 3 + [False] * 3
    assert labeled_images(found, ["breed", "good"]).frame["path"].tolist() == [f"{number}.jpg" for number in (0, 1, 4, 5)]
    assert len(FRAME.columns) == 2


def test_labels_stay_with_their_images_when_images_are_added(store: TagStore) -> None:
    more = pd.DataFrame({"path": ["00.jpg", *FRAME["path"][::-1]]})
    assert with_tags(_table(more), store).frame["good"].tolist() == [False, False, False, False, True, True, True]


def test_a_column_that_comes_later_stays_and_the_tag_steps_aside(store: TagStore) -> None:
    grown = _table(FRAME.assign(Good=0, **{"good (tag)": 1}))
    found = with_tags(grown, store)
    assert found.attributes == ["class", "Good", "good (tag)", "good (tag) (tag)", "breed"]
    assert found.frame["good (tag) (tag)"].sum() == 3
    assert found.frame.attrs["tag_columns"] == {"good": "good (tag) (tag)", "breed": "breed"}
    later = TagStore(store.path, grown.frame.columns)
    assert later.add_tag(["5.jpg"], "good", "ada").images == 1
    with pytest.raises(InputError, match="has a column 'class' already"):
        later.add_tag(["5.jpg"], "class", "ada")


def test_a_space_is_judged_and_saved_by_them(store: TagStore, tmp_path: Path) -> None:
    found = with_tags(_table(), store)
    space = Space(np.eye(6) + np.repeat(np.eye(3), 2, axis=0) @ np.repeat(np.eye(3), 2, axis=1), found)
    assert space.metrics(by="good", include=["precision_at_1"])["precision_at_1"] == pytest.approx(4 / 6)
    assert image_classes(found, "good").names == ["False", "True"]
    assert image_classes(found, "breed").left_out == 2
    assert space.metrics(by="breed", include=["precision_at_1"]) == {"precision_at_1": 1.0, "left_out": 2.0}
    rows = image_classes(found, "breed").rows
    kept = Space(space.vectors[rows], ImageTable("kept", found.root, found.frame.iloc[rows]))
    assert kept.metrics(by="breed", include=["precision_at_1"])["precision_at_1"] == 1.0
    assert image_classes(kept.table, ["breed", "good"]).names == ["beagle True", "poodle False"]
    from likeness.embedding import load_space

    again = load_space(space.save(tmp_path / "s.parquet")).table.frame
    assert again["good"].tolist() == found.frame["good"].tolist()
    assert again["breed"].astype(object).where(again["breed"].notna(), "").tolist() == ["beagle", "beagle", "", "", "poodle", "poodle"]


def test_a_dataset_has_one_file_whatever_its_encoder_and_from_wherever(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LIKENESS_CACHE", str(tmp_path / "cache"))
    (tmp_path / "my photos").mkdir()
    place = tags_file(str(tmp_path / "my photos"))
    assert place.parent == tmp_path / "cache" / "tags"
    assert place.name.startswith("my-photos-")
    monkeypatch.chdir(tmp_path)
    assert tags_file("my photos") == tags_file("my photos/") == place
    assert len({tags_file(each) for each in ("cars", "my photos", "cub200:my photos", "cub200/all:my photos", "s3://bucket/x", "s3://other/x")}) == 6
    table = _table()
    tag_store("my photos", table).add_tag(["0.jpg"], "good", "ada")
    assert place.is_file()
    with pytest.raises(InputError, match="has a column 'class' already"):
        tag_store("my photos", table).set_value(["0.jpg"], "class", "x", "ada")
    with pytest.raises(InputError, match="have no images"):
        tag_store("my photos", Space(np.eye(3)).table)
