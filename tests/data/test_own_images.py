"""Images and labels as people have them in Python: taken as they are meant, or refused in a sentence that names the way."""

from collections import namedtuple
from pathlib import Path
from typing import Any

import datasets
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import torch
import torchvision
from hypothesis import given, strategies as st
from PIL import Image

import likeness as lk
from likeness.data import label_columns, own_table
from likeness.errors import InputError
from likeness.io import cache_dir, open_content, read_image
from numbered_pictures import encoded, numbers, picture, write_pictures

VECTORS = np.eye(3)


class Stream:
    """As an IterableDataset: it has items, and no rows."""

    def __iter__(self) -> Any:
        return iter([picture(0)])


NOT_IMAGES = {
    "vectors": (np.zeros((3, 4)), r"Image 0 is a numpy ndarray; pass paths of files, PIL images, arrays, bytes, a data frame or dataset of them"),
    "dicts": ([{"x": 1}] * 3, "Image 0 is a dict; pass paths of files"),
    "numbers": (range(3), "Image 0 is a int; pass paths of files"),
    "set": ({"a.png", "b.png", "c.png"}, "are a set; pass paths of files"),
    "stream": (Stream(), r"Stream; pass some of its rows, `list\(itertools\.islice\(images, 1000\)\)`"),
    "huggingface stream": (datasets.Dataset.from_dict({"x": [1]}).to_iterable_dataset(), r"IterableDataset; pass some of its rows, `list\("),
    "normalized": (torch.full((3, 3, 4, 4), -1.5), "Image 0 has values from -1.5 to -1.5; pass integers to 255, or floats from 0 to 1"),
    "not a number": (np.full((3, 4, 4, 3), np.nan), "Image 0 has values from nan to nan"),
    "frame with a gap": (pd.DataFrame({"path": ["a.png", None, "c.png"]}), "Image 1 is a .*; pass paths of files"),
    "frame without paths": (pd.DataFrame({"x": range(3)}), "has no column 'path' of paths or images among 'x'; pass its name, path_column="),
}


@pytest.mark.parametrize("given", NOT_IMAGES)
def test_what_is_no_image_is_refused_with_the_way(given: str) -> None:
    images, message = NOT_IMAGES[given]
    with pytest.raises(InputError, match=message):
        lk.Space(VECTORS, images)
    with pytest.raises(InputError, match=message):
        lk.embed(images, "cars")


def test_one_text_is_no_list_of_images() -> None:
    with pytest.raises(InputError, match=r"The images are 'abc', one text; pass `lk.read\('abc'\)`"):
        lk.Space(VECTORS, "abc")


PATHS = ["a.png", "b.png", "c.png"]
GIVEN = [
    *(PATHS, tuple(PATHS), [Path(path) for path in PATHS], iter(PATHS), dict.fromkeys(PATHS).keys(), np.array(PATHS)),
    *(pd.Series(PATHS, index=[5, 6, 7]), pd.Series(PATHS).array, pd.DataFrame({"path": PATHS})),
    pd.DataFrame({"path": map(Path, PATHS)}, index=[5, 6, 7]),
]


@pytest.mark.parametrize("images", GIVEN)
def test_paths_of_all_kinds_are_taken(images: Any) -> None:
    assert own_table(images, "x").frame["path"].tolist() == PATHS


LABELS = ["x", "y", "x"]
IN_MEMORY = {
    "PIL": [picture(number) for number in range(3)],
    "arrays": np.stack([np.asarray(picture(number)) for number in range(3)]),
    "floats": [np.asarray(picture(number)) / 255 for number in range(3)],
    "torch": torch.stack([torchvision.transforms.functional.to_tensor(picture(number)) for number in range(3)]),
    "bytes": [encoded(number) for number in range(3)],
    "structs": [{"bytes": encoded(number), "path": None} for number in range(3)],
    "a generator": (picture(number) for number in range(3)),
}
IN_FRAMES = {
    "pandas": pd.DataFrame({"photo": IN_MEMORY["PIL"], "label": LABELS}, index=[7, 8, 9]),
    "pandas of bytes": pd.DataFrame({"label": LABELS, "image": IN_MEMORY["bytes"]}),
    "polars": pl.DataFrame({"image": IN_MEMORY["PIL"], "label": LABELS}),
    "polars of bytes": pl.DataFrame({"image": IN_MEMORY["bytes"], "label": LABELS}),
    "Arrow": pa.table({"image": IN_MEMORY["structs"], "label": LABELS}),
    "pairs": list(zip(IN_MEMORY["PIL"], LABELS, strict=True)),
    "dicts": [{"label": label, "img": image} for image, label in zip(IN_MEMORY["PIL"], LABELS, strict=True)],
}


@pytest.mark.parametrize("kind", IN_MEMORY)
def test_images_in_memory_are_kept_without_loss(kind: str) -> None:
    table = lk.read(IN_MEMORY[kind])
    assert numbers(table) == [0, 1, 2]
    assert len({path.name.partition("#")[0] for path in table.paths()}) == 1
    assert [file.parent.name for file in cache_dir().rglob("*.arrow")] == ["images"]


@pytest.mark.parametrize("kind", IN_FRAMES)
def test_frames_and_lists_of_images_with_labels(kind: str) -> None:
    for table in (lk.read(IN_FRAMES[kind]), lk.Space(VECTORS, IN_FRAMES[kind]).table):
        assert numbers(table) == [0, 1, 2]
        assert table.frame.drop(columns="path").to_dict("list") == {"label": LABELS}


def test_equal_images_are_one_file_and_other_modes_lose_nothing() -> None:
    first, again = lk.read([picture(0), picture(1)]), lk.read([np.asarray(picture(0)), picture(1)])
    assert first.paths() == again.paths()
    draw = np.random.default_rng(0)
    odd = [
        Image.fromarray(draw.integers(0, 2**16, (8, 9), dtype=np.uint16)),
        picture(0).convert("CMYK"),
        picture(3).convert("P"),
        picture(2).convert("1"),
    ]
    odd += [Image.fromarray(draw.normal(size=(8, 9)).astype(np.float32)), picture(4).convert("LA"), picture(4).convert("LAB")]
    for image, path in zip(odd, lk.read(odd).paths(), strict=True):
        with open_content(path) as content, Image.open(content) as kept:
            np.testing.assert_array_equal(np.asarray(kept.convert(image.mode)), np.asarray(image))


def test_images_in_memory_are_known_again(monkeypatch: pytest.MonkeyPatch) -> None:
    first = lk.embed(IN_MEMORY["PIL"], "cars-small")
    monkeypatch.setattr(lk.load("cars-small").__class__, "encode_images", None)
    np.testing.assert_array_equal(lk.embed(IN_MEMORY["PIL"], "cars-small").vectors, first.vectors)


class TestTorch:
    def test_files_of_image_folder_are_listed_where_they_are(self, tmp_path: Path) -> None:
        folder = write_pictures(tmp_path / "x", "cat/a.png", "cat/b.png", "dog/a.png")
        dataset = torchvision.datasets.ImageFolder(str(folder))
        table = lk.read(dataset)
        assert [str(path) for path in table.paths()] == [path for path, _ in dataset.samples]
        assert table.frame["label"].tolist() == ["cat", "cat", "dog"]
        part = lk.read(torch.utils.data.Subset(dataset, [2, 0]))
        assert (numbers(part), part.frame["label"].tolist()) == ([2, 0], ["dog", "cat"])
        assert not (cache_dir() / "images").exists()

    def test_items_of_others_are_kept(self) -> None:
        class Pictures(torch.utils.data.Dataset[Any]):
            classes = ("even", "odd")

            def __len__(self) -> int:
                return 3

            def __getitem__(self, row: int) -> Any:
                return torchvision.transforms.functional.to_tensor(picture(row)), torch.tensor(row % 2)

        table = lk.read(Pictures())
        assert (numbers(table), table.frame["label"].tolist()) == ([0, 1, 2], ["even", "odd", "even"])
        targets = [(picture(row), {"boxes": torch.zeros(2, 4)}) for row in range(2)]
        assert lk.read(targets).attributes == []

    def test_fake_data_of_torchvision(self) -> None:
        fake = torchvision.datasets.FakeData(3, (3, 8, 9), num_classes=4)
        for path, (image, _) in zip(lk.read(fake).paths(), fake, strict=True):
            np.testing.assert_array_equal(np.asarray(read_image(path)), np.asarray(image))


class TestHuggingFace:
    FEATURES = datasets.Features({"image": datasets.Image(), "label": datasets.ClassLabel(names=["cat", "dog"]), "n": datasets.Value("int64")})

    def rows(self, count: int = 6) -> datasets.Dataset:
        columns = {"image": [picture(row) for row in range(count)], "label": [row % 2 for row in range(count)], "n": list(range(count))}
        return datasets.Dataset.from_dict(columns, features=self.FEATURES)

    def check(self, dataset: datasets.Dataset, place: Path | None) -> None:
        table = lk.read(dataset)
        assert numbers(table) == table.frame["n"].tolist() == dataset["n"][:]
        assert table.frame["label"].tolist() == [["cat", "dog"][row % 2] for row in dataset["n"]]
        assert {path.parent for path in table.paths()} == {place or cache_dir() / "images"}

    def test_in_memory_and_in_its_files(self, tmp_path: Path) -> None:
        self.check(self.rows(), None)
        self.rows().save_to_disk(tmp_path / "saved", num_shards=2)
        saved = datasets.load_from_disk(tmp_path / "saved")
        for dataset in (saved, saved.shuffle(seed=0), saved.select([4, 1, 5])):
            self.check(dataset, tmp_path / "saved")
        self.check(saved.select(range(2, 5)), None)  # a slice of its table, which its files do not tell
        turned = [saved.select(each) for each in (range(2), range(1, 2), range(3, 6))]  # as many rows as in its files, and all but one in their place
        self.check(datasets.concatenate_datasets(turned), None)
        self.check(saved.rename_column("image", "photo"), None)
        assert lk.read(saved, path_column="image").paths() == lk.read(saved).paths()

    def test_splits_and_images_in_files(self, tmp_path: Path) -> None:
        table = lk.read(datasets.DatasetDict(train=self.rows(2), test=self.rows(1)))
        assert (numbers(table), table.frame["split"].tolist()) == ([0, 1, 0], ["train", "train", "test"])
        folder = write_pictures(tmp_path / "x", "a.png", "b.png")
        paths = [str(folder / name) for name in ("a.png", "b.png")]
        dataset = datasets.Dataset.from_dict({"image": paths}).cast_column("image", datasets.Image())
        assert [str(path) for path in lk.read(dataset).paths()] == paths
        streamed = list(self.rows().to_iterable_dataset().take(2))
        assert numbers(lk.read(streamed)) == [0, 1]


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
