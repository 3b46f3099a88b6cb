"""Which folder of an image is its class: for the layouts that datasets and people's photos have."""

import pytest
from hypothesis import given, strategies as st

from likeness.data.readers.folder_columns import folder_columns, is_shown

NONE = "(none)"
LAYOUTS = {
    "ImageFolder": (["cat", "cat", "dog"], {"class": ["cat", "cat", "dog"]}),
    "split and class": (["train/cat", "train/dog", "val/cat"], {"class": ["cat", "dog", "cat"], "split": ["train", "train", "val"]}),
    "class and split": (["cat/train", "cat/test", "dog/test"], {"class": ["cat", "cat", "dog"], "split": ["train", "test", "test"]}),
    "Tiny ImageNet's train": (["n01/images", "n02/images"], {"class": ["n01", "n02"]}),
    "Tiny ImageNet": (
        ["train/n01/images", "train/n02/images", "val/images", "test/images"],
        {"class": ["n01", "n02", NONE, NONE], "split": ["train", "train", "val", "test"]},
    ),
    "identity and session": (["anna/01", "anna/02", "ben/01"], {"class": ["anna", "anna", "ben"], "folder 2": ["01", "02", "01"]}),
    "species in families": (
        ["mammals/cat", "mammals/dog", "birds/owl"],
        {"class": ["cat", "dog", "owl"], "folder 1": ["mammals", "mammals", "birds"]},
    ),
    "split, family, species": (
        ["train/a/cat", "train/b/owl", "test/a/cat", "test/a/dog"],
        {"class": ["cat", "owl", "cat", "dog"], "split": ["train", "train", "test", "test"], "folder 2": ["a", "b", "a", "a"]},
    ),
    "kinds of clothes, items": (
        ["men/denim/id_1", "men/tees/id_2", "women/denim/id_3"],
        {"class": ["id_1", "id_2", "id_3"], "folder 1": ["men", "men", "women"], "folder 2": ["denim", "tees", "denim"]},
    ),
    "year, month, day": (
        ["2023/05/03", "2023/06/03", "2024/05/04"],
        {"class": ["2023", "2023", "2024"], "folder 2": ["05", "06", "05"], "folder 3": ["03", "03", "04"]},
    ),
    "events of years": (["2023/Hike", "2023/Beach", "2024/Party"], {"class": ["Hike", "Beach", "Party"], "folder 1": ["2023", "2023", "2024"]}),
    "a constant level above": (["data/cat", "data/dog"], {"class": ["cat", "dog"]}),
    "a constant level between": (["anna/rgb/01", "ben/rgb/01", "ben/rgb/02"], {"class": ["anna", "ben", "ben"], "folder 3": ["01", "01", "02"]}),
    "mixed depths": (["cat", "dog/old", "dog"], {"class": ["cat", "dog", "dog"], "folder 2": [NONE, "old", NONE]}),
    "images beside folders": (["", "cat"], {"class": [NONE, "cat"]}),
    "a flat folder": (["", ""], {}),
    "a flat part": (["val", "val"], {}),
    "one class": (["cat", "cat"], {}),
    "parts alone": (["train", "val"], {"split": ["train", "val"]}),
    "parts in capitals": (["Train/cat", "Test/dog"], {"class": ["cat", "dog"], "split": ["Train", "Test"]}),
}


@pytest.mark.parametrize("layout", LAYOUTS)
def test_the_class_of_a_layout(layout: str) -> None:
    folders, expected = LAYOUTS[layout]
    assert folder_columns(folders) == expected


NAMES = st.lists(st.sampled_from(["cat", "dog", "train", "val", "01", "images"]), max_size=4).map("/".join)


@given(st.lists(NAMES, min_size=1, max_size=12))
def test_a_column_is_a_level_that_tells_images_apart(folders: list[str]) -> None:
    columns = folder_columns(folders)
    for values in columns.values():
        assert len(values) == len(folders)
        assert len(set(values)) > 1
        assert set(values) - {NONE} <= {step for folder in folders for step in folder.split("/")}
    if "class" not in columns:
        assert not any(name.startswith("folder") for name in columns)


@given(st.lists(NAMES, min_size=1, max_size=12), st.sampled_from(["data", "2024"]), st.randoms())
def test_a_folder_around_all_and_the_order_of_images_change_no_class(folders: list[str], around: str, random) -> None:
    order = random.sample(range(len(folders)), len(folders))
    found = folder_columns(folders)
    moved = folder_columns([f"{around}/{folders[row]}".rstrip("/") for row in order])
    for name in ("class", "split"):
        assert moved.get(name) == ([found[name][row] for row in order] if name in found else None)


@pytest.mark.parametrize("folder", ["@eaDir", "#recycle", "$RECYCLE.BIN", ".Trash-1000", ".thumbnails", "__MACOSX", "x.lrdata", ".hidden"])
def test_folders_that_hold_no_images_of_a_person(folder: str) -> None:
    assert not is_shown(["photos", folder, "more"])
    assert not is_shown([folder])


@pytest.mark.parametrize("folders", [["photos"], ["recycle"], ["thumbnails"], ["derivatives"], ["a.photoslibrary", "originals", "0"], []])
def test_folders_of_similar_names(folders: list[str]) -> None:
    assert is_shown(folders)
