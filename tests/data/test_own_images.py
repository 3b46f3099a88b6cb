"""Images and labels as people have them in Python: taken as they are meant, or refused in a sentence that names the way."""

from collections import namedtuple
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
import torch
from hypothesis import given, strategies as st
from PIL import Image

import likeness as lk
from likeness.data import label_columns, own_table, read_dataset
from likeness.errors import InputError

PICTURE = Image.new("RGB", (4, 4))
VECTORS = np.eye(3)


class ImageFolder:
    """As torchvision's: its items are pictures in memory, its files stand beside."""

    samples, classes = [("a/1.png", 0)], ["a"]

    def __len__(self) -> int:
        return 3

    def __getitem__(self, row: int) -> Any:
        return PICTURE, 0


Rows = type("Dataset", (ImageFolder,), {"__module__": "datasets.arrow_dataset", "samples": property()})

NOT_PATHS = {
    "pictures": ([PICTURE] * 3, "Image 0 is a PIL Image; save images in memory as files and pass paths of files"),
    "arrays": (np.zeros((3, 4, 4, 3)), "Image 0 is a numpy ndarray; save images"),
    "tensor": (torch.zeros(3, 3, 4, 4), r"are a torch Tensor; save images in memory .* `lk.load\('photos'\).encode_images\(images\)`"),
    "ImageFolder": (ImageFolder(), r"ImageFolder; pass the paths of its files, \[path for path, _ in dataset.samples\], and labels=dataset.targets"),
    "datasets": (Rows(), "are a datasets Dataset; save its images as files and pass paths of files, a data frame with a column 'path'"),
    "dicts": ([{"image": PICTURE}] * 3, "Image 0 is a dict; pass paths of files, a data frame with a column 'path', or what `lk.read` gives"),
    "numbers": (range(3), "Image 0 is a int; pass paths of files"),
    "set": ({"a.png", "b.png", "c.png"}, "are a set; pass paths of files"),
    "frame of pictures": (pd.DataFrame({"path": [PICTURE] * 3}), "Image 0 is a PIL Image; save images"),
    "frame with a gap": (pd.DataFrame({"path": ["a.png", None, "c.png"]}), "Image 1 is a .*; pass paths of files"),
    "frame without paths": (pd.DataFrame({"x": range(3)}), "has no column 'path'"),
}


@pytest.mark.parametrize("given", NOT_PATHS)
def test_what_is_no_path_is_refused_with_the_way(given: str) -> None:
    images, message = NOT_PATHS[given]
    with pytest.raises(InputError, match=message):
        lk.Space(VECTORS, images)
    with pytest.raises(InputError, match=message):
        lk.embed(images, "cars")


def test_one_text_is_no_list_of_images() -> None:
    with pytest.raises(InputError, match=r"The images are 'abc', one text; pass `lk.read\('abc'\)`"):
        lk.Space(VECTORS, "abc")
    with pytest.raises(InputError, match="The images are a DataFrame; pass a folder, a file or a dataset's name"):
        read_dataset(pd.DataFrame({"path": ["a.png"]}))  # type: ignore[arg-type]


PATHS = ["a.png", "b.png", "c.png"]
GIVEN = [
    *(PATHS, tuple(PATHS), [Path(path) for path in PATHS], iter(PATHS), dict.fromkeys(PATHS).keys(), np.array(PATHS)),
    *(pd.Series(PATHS, index=[5, 6, 7]), pd.Series(PATHS).array, pd.DataFrame({"path": PATHS})),
    pd.DataFrame({"path": map(Path, PATHS)}, index=[5, 6, 7]),
]


@pytest.mark.parametrize("images", GIVEN)
def test_paths_of_all_kinds_are_taken(images: Any) -> None:
    assert own_table(images, "x").frame["path"].tolist() == PATHS


def test_a_data_frame_and_a_list_of_paths_are_embedded_and_what_a_table_merged_is_told(tmp_path: Path) -> None:
    for number, path in enumerate(PATHS):
        Image.new("RGB", (8, 8), (80 * number, 9, 9)).save(tmp_path / path)
    files = [str(tmp_path / path) for path in PATHS]
    frame = pd.DataFrame({"path": [*files, files[0]], "label": list("xyzx")}, index=[9, 8, 7, 6])
    space = lk.embed(frame, "cars")
    assert space.table.frame.to_dict("list") == {"path": files, "label": list("xyz")}
    assert space.table.notes == ("1 image is listed twice; each is one row.",)
    np.testing.assert_array_equal(lk.embed(files, "cars").vectors, space.vectors)
    (tmp_path / "t.csv").write_text("path,label\na.png,x\na.png,x\n")
    with pytest.raises(InputError, match=r"has 3 vectors for 1 images; pass one row per image\. 1 image is listed twice"):
        lk.Space(VECTORS, lk.read(tmp_path / "t.csv"))


LONG = 9007199254740993  # the first whole number that no double holds
CELLS = st.one_of(st.integers(-(2**70), 2**70), st.floats(allow_nan=False), st.text(max_size=3), st.booleans(), st.none())


@given(st.lists(CELLS, min_size=1, max_size=5))
def test_labels_stay_what_they_are(values: list[Any]) -> None:
    column = label_columns(values, len(values))["label"].tolist()
    assert column == values
    kinds = {type(value) for value in values}
    if kinds != {int, float}:  # 1 beside 2.5 may become 1.0, which is the same number
        assert [type(value) for value in column] == [type(value) for value in values]


@pytest.mark.parametrize("values", [[LONG, 1.5, "a"], [LONG, 1.5, None], [LONG, 0.5, 2], np.array([LONG, 2, 3]), np.array([LONG, 1.5, "a"], object)])
def test_long_numbers_are_not_rounded_beside_others(values: Any) -> None:
    for labels in (values, {"id": values}, pd.DataFrame({"id": pd.Series(values, dtype=object)})):
        assert lk.Space(VECTORS, labels=labels).table.frame.iloc[:, 0].tolist() == list(values)


def test_types_of_pandas_and_torch_labels_stay() -> None:
    kinds = pd.Categorical(["a", "b", "a"], categories=["b", "a"])
    labels = {"kind": kinds, "count": pd.array([1, None, LONG], dtype="Int64"), "t": torch.tensor([1, 2, 3])}
    frame = lk.Space(VECTORS, labels=labels).table.frame
    assert frame["kind"].cat.categories.tolist() == ["b", "a"]
    assert frame["count"].dtype == "Int64"
    assert frame["count"].iloc[2] == LONG
    assert frame["t"].tolist() == [1, 2, 3]


def test_a_pandas_index_is_that_of_the_rows_or_refused() -> None:
    """By the index the values belong elsewhere, by their order here: nobody can tell which is meant."""
    turned = pd.Series(["c", "a", "b"], index=[2, 0, 1], name="kind")
    for labels in (turned, {"kind": turned}, turned.to_frame(), turned.iloc[:2]):
        with pytest.raises(InputError, match=r"are a Series with the index 2, 0.* which is not that of the 3 rows; .*`.to_numpy\(\)`"):
            lk.Space(VECTORS, labels=labels)
    images = pd.DataFrame({"path": PATHS}, index=[2, 0, 1])
    assert lk.Space(VECTORS, images, turned).table.frame["label"].tolist() == ["c", "a", "b"]
    assert lk.Space(VECTORS, images, turned.reset_index(drop=True)).table.frame["label"].tolist() == ["c", "a", "b"]


Pair = namedtuple("Pair", "a b")


@pytest.mark.parametrize(
    ("labels", "message"),
    [
        ([["a", "b"], ["c"], []], "The labels 'label' hold a list, first .*'a', 'b'.*, but an attribute has one value per image; join them"),
        ([["a", "b"]] * 3, "hold a list"),
        ({"tags": pd.Series([["a"], ["b"], ["c"]])}, "The labels 'tags' hold a list"),
        ([Pair(1, 2)] * 3, "hold a "),
        (np.zeros((3, 2)), r"have shape \(3, 2\) for 3 rows; pass one label per row"),
        (["a"], r"have shape \(1,\) for 3 rows"),
        ("abc", "The labels 'label' are a str, 'abc'; pass one label per row"),
        ({"a", "b", "c"}, "are a set"),
        (7, "are a int, '7'; pass one label per row"),
    ],
)
def test_labels_that_are_none(labels: Any, message: str) -> None:
    with pytest.raises(InputError, match=message):
        lk.Space(VECTORS, labels=labels)
