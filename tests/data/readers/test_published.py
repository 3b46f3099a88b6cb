"""What holds for every reader of a published dataset, and the way to them by name."""

from collections.abc import Callable
from pathlib import Path

import pandas as pd
import pytest

from likeness.data import DATASETS, absolute_source, read_dataset, recognized
from likeness.data.readers.deepfashion import GROUPS
from likeness.embedding import embed
from likeness.errors import InputError
from likeness.notions import get_notion, list_notions
from worlds import Run

Writers = dict[str, Callable[[Path], Path]]
LAYOUTS = {dataset.name: dataset.layout for dataset in DATASETS if dataset.layout is not None}
READERS = {dataset.name: dataset.read for dataset in DATASETS if dataset.layout is not None}

# images of the evaluated part of each miniature, and the notions of the paper that its labels judge
EXPECTED = {
    "cars196": (6, {"cars196-car-model", "cars196-manufacturer", "cars196-car-type"}),
    "coco-captions": (2, set()),
    "cub200": (3, {"cub200-bird-species", "cub200-species-names", "cub200-family-names"}),
    "deepfashion": (3, {"deepfashion-clothing-category", "deepfashion-texture", "deepfashion-fabric", "deepfashion-fit"}),
    "google-landmarks": (6, set()),
    "ilias": (6, set()),
    "in-shop": (5, set()),
    "inaturalist": (4, set()),
    "market1501": (8, set()),
    "flickr": (2, {"flickr-setting", "flickr-activity", "flickr-dog-color", "flickr-number-of-people"}),
    "online-products": (4, set()),
    "lsun-rooms": (4, set()),
    "mpii-pose": (7, set()),
    "movie-posters": (7, {"movie-posters-genre", "movie-posters-production-country"}),
    "synthetic-cars": (3, {"car-model", "car-model-names", "car-color", "background-color"}),
}
EACH = pytest.mark.parametrize("name", list(READERS))
# These have no list of their images. One that is absent is an error of MPII, see test_mpii_pose.py; of the others, a note.
LISTED = pytest.mark.parametrize("name", [name for name in READERS if name not in ("mpii-pose", "ilias", "market1501")])


def test_every_reader_is_tested() -> None:
    assert set(EXPECTED) == set(READERS)


@EACH
def test_a_miniature_is_read_with_the_labels_of_its_notions(name: str, miniatures: Writers, tmp_path: Path) -> None:
    root = miniatures[name](tmp_path / "Größe 1")
    table = READERS[name](str(root), "test")
    count, notions = EXPECTED[name]
    assert len(table) == count
    assert {notion.slug for notion in list_notions() if notion.attribute in table.attributes} == notions
    assert not table.frame.isna().any().any()
    assert table.name == LAYOUTS[name].name
    # it is found from the folder it lies in, and two copies there are not guessed among
    (tmp_path / "another").mkdir()
    assert table.root == READERS[name](str(tmp_path), "test").root == root
    miniatures[name](tmp_path / "10")
    with pytest.raises(InputError, match=r"several folders of .*: '10', 'Größe 1'; pass one of them"):
        READERS[name](str(tmp_path), "test")
    with pytest.raises(InputError, match=r"There is no split 'tets'; choose from test, .*all"):
        READERS[name](str(root), "tets")


@EACH
def test_the_parts_make_the_whole(name: str, miniatures: Writers, tmp_path: Path) -> None:
    root = str(miniatures[name](tmp_path))
    whole = set(READERS[name](root, "all").frame["path"])
    test = set(READERS[name](root, "test").frame["path"])
    others = {
        "movie-posters": [],
        "ilias": [],
        "deepfashion": ["train", "val"],
        "coco-captions": ["train", "validation"],
        "flickr": ["train", "validation"],
    }
    rest = [path for part in others.get(name, ["train"]) for path in READERS[name](root, part).frame["path"]]
    assert sorted([*test, *rest]) == sorted(whole)


@EACH
def test_a_wrong_folder_is_answered_with_what_is_missing_and_where_it_is_published(name: str, tmp_path: Path) -> None:
    layout = LAYOUTS[name]
    for folder, said in ((tmp_path, f"direct subfolder contains '{layout.indexes[0]}'"), (tmp_path / "none", "There is no folder '")):
        with pytest.raises(InputError) as caught:
            READERS[name](str(folder), "test")
        assert said in str(caught.value)
        assert f"published at {layout.page}" in str(caught.value)


@LISTED
def test_an_absent_image_stays_in_the_table_and_embedding_lists_it(name: str, miniatures: Writers, tmp_path: Path) -> None:
    root = miniatures[name](tmp_path)
    present = [path for path in READERS[name](str(root), "test").paths() if path.is_file()]
    present[0].unlink()
    table = READERS[name](str(root), "test")
    assert len(table) == EXPECTED[name][0]
    assert present[0] in table.paths()
    kept = embed(table).table
    assert (len(kept), len(kept.failed)) == (len(present) - 1, len(table) - len(present) + 1)
    for path in present[1:]:
        path.unlink()
    with pytest.raises(InputError, match=r"None of the \d images .* lists for the split 'test' is in .*; unpack .*published at https://"):
        READERS[name](str(root), "test")


class TestSources:
    def test_a_name_a_split_and_a_folder(self, miniatures: Writers, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        root = miniatures["cars196"](tmp_path / "with: colon" / "cars 196")
        assert len(read_dataset(f"cars196:{root}")) == 6
        assert len(read_dataset(f" CARS196/train: {root}")) == 4
        assert read_dataset(f"cars196/all:{root}").name == "Cars196 (all)"
        assert read_dataset(f"cars196:{root}", name="Mine").name == "Mine"
        (tmp_path / "labels.csv").write_text(f"where\n{root}/car_ims/000006.jpg\n")
        assert read_dataset(tmp_path / "labels.csv", path_column="where", name="Listed").name == "Listed"
        assert read_dataset(str(root), name="Mine").name == "Mine"
        monkeypatch.setenv("HOME", str(tmp_path))
        miniatures["cub200"](tmp_path / "birds")
        assert read_dataset("cub200:~/birds").root == tmp_path / "birds"

    @pytest.mark.parametrize(
        ("source", "message"),
        [
            ("cars169:data", "There is no dataset 'cars169' in 'cars169:data'; write one of cars196, coco-captions, cub200, "),
            ("cars196:", "'cars196:' lacks a folder; write it as 'cars196:data/cars196'"),
            ("cars196/tets:.", "There is no split 'tets'; choose from test, train, all"),
            ("movie-posters/train:.", "There is no split 'train'; choose from test, all"),
            ("s3://bucket/cars", "There is no dataset 's3' in"),
            ("nowhere", "There is no dataset 'nowhere'; pass cars, caltech101, captioned-cars, synthetic-poses, synthetic-rooms, a folder"),
            ("nowhere", "or NAME:FOLDER with one of cars196, coco-captions, cub200"),
            ("nowhere.csv", "There is no file 'nowhere.csv'"),
            *[(source, "No images are given; pass 'cars'") for source in ("", "  ")],
        ],
    )
    def test_what_is_not_right(self, source: str, message: str) -> None:
        with pytest.raises(InputError) as caught:
            read_dataset(source)
        assert message in str(caught.value)
        assert len(str(caught.value).splitlines()) == 1

    def test_a_folder_of_such_a_name_stays_a_folder_and_sources_become_absolute(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.chdir(tmp_path)
        (tmp_path / "cars196:mine").mkdir()
        (tmp_path / "cars196:mine" / "1.png").touch()
        assert list(read_dataset("cars196:mine").frame["path"]) == ["1.png"]
        for source in ("cars196/all:{}data/cars", "cub200:{}data", "{}data/labels.csv", "cars"):
            assert absolute_source(source.format("")) == source.format(f"{tmp_path}/")
        with pytest.raises(InputError, match="There is no dataset 'cars169'"):
            read_dataset(absolute_source("cars169:data"))


@pytest.mark.parametrize("name", ["cars196", "cub200", "deepfashion", "movie-posters"])
def test_a_folder_of_a_known_layout_is_read_as_a_folder_and_recognized(
    name: str, miniatures: Writers, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    miniatures[name](tmp_path / "data")
    assert recognized("data") == f"{name}:data"
    assert read_dataset(recognized("data") or "").root == tmp_path / "data"
    assert set(read_dataset("data").attributes) <= {"class"}
    for other in (miniatures["synthetic-cars"](tmp_path / "cars"), tmp_path / "nowhere", "cars196:data"):
        assert recognized(other) is None


def test_only_a_papers_datasets_have_the_labels_that_their_notions_are_judged_by() -> None:
    """A table of one's own, with columns such as "type", "model" or "country", takes no notion by accident."""
    general = {"category", "class", "color", "country", "fabric", "fit", "genre", "label", "manufacturer", "model", "name", "species", "style"}
    assert not {notion.slug for notion in list_notions() if notion.attribute in general | {"texture", "title", "type", "year"}}
    for notion in ("texture", "fabric", "fit"):
        found = get_notion(f"deepfashion-{notion}")
        assert (found.attribute, set(found.aspects)) == (f"clothing_{notion}", set(GROUPS[f"clothing_{notion}"]))


def test_evaluate_measures_the_notions_of_the_dataset_or_says_in_a_line_why_not(miniatures: Writers, tmp_path: Path, run: Run) -> None:
    root, out = miniatures["cars196"](tmp_path / "cars"), tmp_path / "runs.csv"
    options = ["--encoder", "cars", "--methods", "raw,exact", "--dims", "4", "--seeds", "1", "--out", str(out)]
    status, printed, err = run("evaluate", f"cars196:{root}", *options)
    assert status == 0, err
    assert "Cars196 car type" in printed
    runs = pd.read_csv(out)
    assert set(runs["notion"]) == {"Cars196 car model", "Cars196 manufacturer", "Cars196 car type"}
    assert set(runs["method"]) == {"raw", "exact"}
    assert runs["map_at_r"].between(0, 1).all()
    birds = miniatures["cub200"](tmp_path / "birds")
    (birds / "classes.txt").unlink()
    for source, said in (
        (f"{root}", f"has no label column of any notion; it has none; write 'cars196:{root}' to read it with its labels."),
        (f"cub200:{birds}", "lacks 'classes.txt'; get it from the dataset published at https://www.vision.caltech.edu"),
    ):
        status, _, err = run("evaluate", source, "--methods", "raw")
        assert (status, said in err, "Traceback" in err) == (2, True, False), err
