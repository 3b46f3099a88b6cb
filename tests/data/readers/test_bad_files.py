"""Files of published datasets that are missing or damaged: one line that names the file, the place and what was expected there."""

import re
from collections.abc import Callable
from pathlib import Path

import pytest

from likeness.data import OfficialLayout, read_dataset
from likeness.errors import InputError

Writers = dict[str, Callable[[Path], Path]]
CATEGORY, ATTRIBUTE = "Anno_fine/test_cate.txt", "Anno_fine/test_attr.txt"
PARTITION, SOLUTION, INDEX = "Eval/list_eval_partition.txt", "retrieval_solution_v2.1.csv", "index_image_to_landmark.csv"
INATURALIST = "Inat_dataset_splits/Inaturalist_test_set1.txt"
CHANGED = [
    ("cub200", "images.txt", "4 003.Sh", "003.Sh", "line 4 is '003.Shiny", "expected a number and a text"),
    ("cub200", "images.txt", "2 001", "1 001", "line 2 is '1 001.", "expected each number once"),
    ("cub200", "images.txt", "2 001", "²  001", "line 2 is '²  001.", "expected a number and a text"),
    ("cub200", "classes.txt", "2 002.Laysan_Albatross", "2", "line 2 is '2'", "expected a number and a text"),
    ("cub200", "image_class_labels.txt", "5 3", "5 9", "CUB200 has the class 9 in line 5", "which 'classes.txt' lacks"),
    ("cub200", "image_class_labels.txt", "5 3", "5 -3", "line 5 is '5 -3'", "expected two numbers"),
    ("cub200", "image_class_labels.txt", "5 3\n", "", "has no class for image 5", "é.jpg"),
    ("deepfashion", CATEGORY, "4", "5", "line 2 is '5'", "expected a category from 1 to 4"),
    ("deepfashion", CATEGORY, "4", "0", "line 2 is '0'", "expected a category from 1 to 4"),
    ("deepfashion", CATEGORY, "4", "Jeans", "line 2 is 'Jeans'", "expected a category from 1 to 4"),
    ("deepfashion", CATEGORY, "4\n", "", "has 2 lines", "'test.txt' lists 3 images"),
    ("deepfashion", ATTRIBUTE, "0 0 0 0 0 1 0 0", "0 0 0 0 0 1 0", "line 1 is '0 0 ", "expected 26 times 0 or 1"),
    ("deepfashion", ATTRIBUTE, "0 0 0 0 0 1 0 0", "0 0 0 0 0 -1 0 0", "line 1 is '0 0 ", "expected 26 times 0 or 1"),
    ("deepfashion", "Anno_fine/list_attr_cloth.txt", "26", "27", "line 1 is '27'", "26"),
    ("deepfashion", "Anno_fine/list_attr_cloth.txt", "denim", "linen", "lacks the attribute 'denim'", "list_attr_cloth"),
    ("flickr", "Flickr8k.token.txt", "1001_a1.jpg#0\t", "1001_a1.jpg ", "line 1 is", "expected a file's name, #, a number"),
    ("flickr", "Flickr8k.token.txt", "1001_a1.jpg#0", "#0", "line 1 is", "expected a file's name"),
    ("flickr", "Flickr8k.token.txt", "1001_a1.jpg#0", "1001_a1.jpg#x", "line 1 is", "expected a file's name"),
    ("flickr", "Flickr8k.token.txt", "A brown dog runs on the beach .", "", "line 1 is", "expected a file's name"),
    ("online-products", "Ebay_test.txt", "4 3 1 bicycle", "4 x 1 bicycle", "line 2 is '4 x 1 ", "expected three numbers and a path"),
    ("synthetic-cars", "samples.csv", "color_sat", "saturation", "has no column 'color_sat'", "https://github"),
    ("synthetic-cars", "samples.csv", "0.9,1,1,", "red,1,1,", "'color_hue' in line 4 is 'red'", "expected a number"),
    ("synthetic-cars", "samples.csv", "0.9,1,1,", "0.9,,1,", "'color_sat' in line 4 is 'nan'", "expected a number"),
    ("synthetic-cars", "samples.csv", "0.9,1,1,", "0.9,inf,1,", "'color_sat' in line 4 is 'inf'", "expected a number"),
    ("synthetic-cars", "samples.csv", "0.9,1,1,", "0.9,1,2.5,", "'color_val' of frame 1000 is '2.5'", "from 0 to 2"),
    ("synthetic-cars", "samples.csv", "0.9,1,1,", "0.9,-1,1,", "'color_sat' of frame 1000 is '-1.0'", "from 0 to 2"),
    ("synthetic-cars", "samples.csv", "1000,Enzo", "1000,", "'model' in line 4 is 'nan'", "expected a name"),
    ("synthetic-cars", "samples.csv", "1000,Enzo", "2,Enzo", "'frame' in line 4 is '2'", "that no other line has"),
    ("synthetic-cars", "samples.csv", "1000,Enzo", "7.5,Enzo", "'frame' in line 4 is '7.5'", "expected a whole number"),
    ("synthetic-cars", "samples.csv", "1000,Enzo", "x,Enzo", "'frame' in line 4 is 'x'", "expected a number"),
    ("synthetic-cars", "samples.csv", "1000,Enzo", "1000,a,b,Enzo", "cannot be parsed", "line 4"),
    ("coco-captions", "dataset_coco.json", '"images"', '"pictures"', "has no list 'images'", "COCO"),
    ("coco-captions", "dataset_coco.json", '{"images"', '"images"', "is no JSON", "COCO"),
    ("coco-captions", "dataset_coco.json", '"filename"', '"name"', "image 0 is", "expected a filename, one of the splits"),
    ("coco-captions", "dataset_coco.json", '"sentences"', '"texts"', "image 0 is", "sentences with raw text"),
    ("coco-captions", "dataset_coco.json", '"split"', '"part"', "image 0 is", "train, restval, val, test"),
    ("coco-captions", "dataset_coco.json", '"split": "train"', '"split": "validate"', "image 0 is", "train, restval, val, test"),
    ("coco-captions", "dataset_coco.json", '{"images": [', '{"images": [3, ', "image 0 is '3'", "expected a filename"),
    ("movie-posters", "Movie_Poster_Metadata/groundtruth/1980.txt", '"Genre": "', '"Genre": ', 'line 4 is \'"Genre": Action', "a movie as JSON ("),
    ("movie-posters", "Movie_Poster_Metadata/groundtruth/1980.txt", "{\n", "[1]\n{\n", "line 1 is '[1]", "a movie as JSON, in braces"),
    ("movie-posters", "Movie_Poster_Metadata/groundtruth/1980.txt", '"tt01"', "null", "the imdbID of the movie in line 1 is 'None'", "such as"),
    ("in-shop", PARTITION, "8\n", "52712\n", "line 1 is '52712'", "expected the number of images that follow, 8"),
    ("in-shop", PARTITION, "query", "quiry", "line 6 is 'img/MEN/Denim/", "and train, query or gallery; take the file anew from https"),
    ("in-shop", PARTITION, "id_00007979 ", "", "line 6 is", "expected an image such as img/WOMEN"),
    ("in-shop", PARTITION, "img/WOMEN/Dresses", "img/Dresses", "line 3 is 'img/Dresses/", "expected an image such as img/WOMEN"),
    ("in-shop/train", PARTITION, "img/WOMEN/Dresses", "img/../..", "line 3 is 'img/../../", "expected a path inside of the dataset's folder"),
    ("inaturalist", INATURALIST, "Aves/1/02", "Aves/1/99", "line 1 is 'train_val2018/Aves/1/99", "expected an image of train2018.json or val2018"),
    ("inaturalist", "val2018.json", '"images"', '"pictures"', "entry 0 of 'images' is 'null'", "expected an entry with id and file_name"),
    ("inaturalist", "val2018.json", '"image_id": 101, ', "", "entry 1 of 'annotations' is '{\"id\": 8", "with image_id and category_id"),
    (
        "inaturalist",
        "val2018.json",
        '"image_id": 101',
        '"image_id": 1',
        "entry 1 of 'annotations' is",
        "expected an image and a category of the file",
    ),
    ("inaturalist", "val2018.json", '"category_id": 2', '"category_id": 4', "entry 2 of 'annotations' is", "an image and a category of the file"),
    ("inaturalist", "val2018.json", '"id": 3', '"id": "3"', "entry 3 of 'categories' is", "expected an entry with id and name"),
    ("inaturalist", "val2018.json", '"name"', '"nom"', "entry 0 of 'categories' is", "expected an entry with id and name"),
    ("inaturalist", "val2018.json", '"file_name": "train', '"file_name": "/train', "image 100 is '/train", "expected a path inside"),
    ("inaturalist", "val2018.json", '{"info"', '"info"', "is no JSON", "https://github.com/visipedia/inat_comp"),
    ("ilias", "taxonomy.json", '["spry', '{"spry', "is no JSON", "https://vrg.fel.cvut.cz/ilias/"),
    (
        "ilias",
        "taxonomy.json",
        '{"cake": ["spry_fimblebop_841"], "other": ["wavy_zibby_944"]}',
        '["cake"]',
        "other than three levels",
        "take the file anew",
    ),
    ("ilias", "taxonomy.json", '["wavy_zibby_944"]', "944", "has other than three levels of categories with lists of objects", "ILIAS"),
    ("google-landmarks", SOLUTION, "e001e001e001e001,", "e001e001e001,", "line 2 is 'e001e001e001,a0b1", "with ids of 16 letters and digits"),
    ("google-landmarks", SOLUTION, ",Private", "", "line 2 is 'e001e001e001e001,a0b1", "expected the cells that line 1 names"),
    ("google-landmarks", SOLUTION, "a0b1a0b1a0b1a0b1 a0b2a0b2a0b2a0b2,P", "dddddddddddddddd,P", "line 2 is", f"expected images of '{INDEX}'"),
    ("google-landmarks", INDEX, ",8", ",eight", "line 4 is 'a0b3a0b3a0b3a0b3,eight'", "expected the cells that line 1 names"),
    ("google-landmarks/train", "train.csv", ",142820", ",-1", "line 4 is '1c3d", "expected the cells that line 1 names"),
    (
        "google-landmarks/clean",
        "train_clean.csv",
        "7,0a1b0a1b",
        "7,0A1B0a1b",
        "line 2 is '7,0A1B",
        "https://github.com/cvdfoundation/google-landmark",
    ),
]
MISSING = [
    *[("cub200", name) for name in ("images.txt", "classes.txt")],
    *[("deepfashion", f"Anno_fine/{name}.txt") for name in ("list_category_cloth", "test", "test_cate", "test_attr")],
    *[("lsun-rooms", name) for name in ("validation.mat", "layout_seg")],
    *[("inaturalist", INATURALIST), ("inaturalist", "val2018.json"), ("google-landmarks", INDEX), ("google-landmarks/query", SOLUTION)],
    *[("google-landmarks/train", "train.csv"), ("google-landmarks/clean", "train_clean.csv"), ("market1501/query", "query")],
    *[("movie-posters", "Movie_Poster_Dataset"), ("flickr/test", "Flickr_8k.testImages.txt"), ("online-products/train", "Ebay_train.txt")],
]
NONE_THERE = [
    *[("cub200", "image_class_labels.txt"), ("deepfashion", "Anno_fine/list_attr_cloth.txt")],
    *[("in-shop", PARTITION), ("ilias", "ilias_core")],
    *[("movie-posters", "Movie_Poster_Metadata/groundtruth"), ("coco-captions", "dataset_coco.json")],
]
EMPTY = [("cub200", "images.txt"), ("movie-posters", "Movie_Poster_Metadata/groundtruth/*.txt"), ("deepfashion", "Anno_fine/test*.txt")]
EMPTY += [("inaturalist", INATURALIST), ("google-landmarks", "[ir]*_*.csv")]


def refusal(source: str, root: Path) -> str:
    with pytest.raises(InputError) as caught:
        read_dataset(f"{source}:{root}")
    (line,) = str(caught.value).splitlines()
    return line


@pytest.mark.parametrize(("source", "file", "old", "new", "place", "expected"), CHANGED)
def test_a_damaged_place(miniatures: Writers, tmp_path: Path, source: str, file: str, old: str, new: str, place: str, expected: str) -> None:
    path = miniatures[source.partition("/")[0]](tmp_path) / file
    text = path.read_text(encoding="utf-8")
    assert old in text
    path.write_text(text.replace(old, new, 1), encoding="utf-8")
    said = refusal(source, tmp_path)
    assert f"'{path.name}'" in said
    assert place in said
    assert expected in said


@pytest.mark.parametrize(("source", "file"), MISSING)
def test_a_missing_file(miniatures: Writers, tmp_path: Path, source: str, file: str) -> None:
    (miniatures[source.partition("/")[0]](tmp_path) / file).rename(tmp_path / "elsewhere")
    assert re.search(rf" in '.*' lacks '{file}'; get it from the dataset published at https://", refusal(source, tmp_path))


@pytest.mark.parametrize(("source", "file"), NONE_THERE)
def test_a_missing_file_that_tells_the_folder(miniatures: Writers, tmp_path: Path, source: str, file: str) -> None:
    (miniatures[source](tmp_path) / file).rename(tmp_path / "elsewhere")
    assert re.search(rf"direct subfolder contains '{file}'( or .*)?; pass the folder", refusal(source, tmp_path))


@pytest.mark.parametrize(("source", "files"), EMPTY)
def test_an_empty_list(miniatures: Writers, tmp_path: Path, source: str, files: str) -> None:
    kept = {"Anno_fine/test*.txt": ("test.txt", "test_cate.txt", "test_attr.txt")}.get(files)
    for file in miniatures[source](tmp_path).glob(files):
        if kept is None or file.name in kept:
            file.write_text(" \n")
    assert "The split 'test' of " in (said := refusal(source, tmp_path))
    assert "has no images in '" in said


@pytest.mark.parametrize("encoding", ["utf-16", "latin-1"])
def test_another_encoding(miniatures: Writers, tmp_path: Path, encoding: str) -> None:
    names = miniatures["cub200"](tmp_path) / "classes.txt"
    names.write_bytes(names.read_text(encoding="utf-8").encode(encoding))
    assert "'classes.txt' is not text in UTF-8" in refusal("cub200", tmp_path)


@pytest.mark.parametrize("path", ["", "../a.jpg", "a/../../b.jpg", "..\\a.jpg", "/a.jpg", "C:/a.jpg", "a\0.jpg"])
def test_a_path_that_leads_out_of_the_folder(path: str) -> None:
    layout = OfficialLayout("Pets", "https://pets.org", ("list.txt",))
    assert layout.inside(Path("list.txt"), "line 1", "a/b..c.jpg") == "a/b..c.jpg"
    with pytest.raises(InputError, match=r"In 'list\.txt' of Pets, line 1 is '.*', expected a path inside of the dataset's folder"):
        layout.inside(Path("list.txt"), "line 1", path)
