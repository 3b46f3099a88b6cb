"""The datasets of benchmarks on miniatures of their layouts: what is read of each, and what is said of what is missing or damaged."""

import json
from pathlib import Path
from typing import Any

import pytest
from tests.data.conftest import Writer

from experiments.public_benchmarks import BENCHMARKS
from experiments.public_benchmarks.datasets.clevr4 import read_clevr4
from experiments.public_benchmarks.datasets.genecis import genecis_tasks, read_genecis, read_templates
from experiments.public_benchmarks.datasets.icir import read_icir
from experiments.public_benchmarks.datasets.stanford40 import read_stanford40
from likeness.data import named_dataset, read_dataset
from likeness.errors import InputError

COUNTS = {"clevr4": 5, "genecis": 7, "icir": 8, "stanford40": 7}
EACH = pytest.mark.parametrize("name", [each.name for each in BENCHMARKS])


@EACH
def test_parts_make_the_whole_from_the_folder_around_it(name: str, miniatures: dict[str, Writer], tmp_path: Path) -> None:
    root = miniatures[name](tmp_path / "data" / "Größe 1")
    (tmp_path / "data" / "another").mkdir()
    whole = read_dataset(f"{name}/all:{tmp_path / 'data'}")
    assert (len(whole), whole.root) == (COUNTS[name], root)
    assert not whole.frame.isna().any().any()
    parts = {"clevr4": ("train", "test"), "stanford40": ("train", "test"), "icir": ("query", "database")}.get(name, ("test",))
    assert sum(len(read_dataset(f"{name}/{part}:{root}")) for part in parts) == len(whole)


@EACH
def test_what_is_missing_is_named(name: str, miniatures: dict[str, Writer], tmp_path: Path) -> None:
    with pytest.raises(InputError, match=rf"direct subfolder contains .*published at {named_dataset(name).origin.page}"):
        read_dataset(f"{name}:{tmp_path}")
    root = miniatures[name](tmp_path / "set")
    with pytest.raises(InputError, match=r"There is no split 'tets'; choose from test, .*all"):
        read_dataset(f"{name}/tets:{root}")
    paths = read_dataset(f"{name}/all:{root}").paths()
    paths[0].unlink()
    assert paths[0] in read_dataset(f"{name}/all:{root}").paths()
    for path in paths[1:]:
        path.unlink(missing_ok=True)
    with pytest.raises(InputError, match=r"None of the \d images"):
        read_dataset(f"{name}/all:{root}")


def test_clevr4_has_four_labels_as_text(miniatures: dict[str, Writer], tmp_path: Path) -> None:
    root = miniatures["clevr4"](tmp_path)
    frame = read_clevr4(root).frame
    assert list(frame.columns) == ["path", "texture", "color", "shape", "count", "split"]
    assert list(frame["count"]) == ["1", "2", "1", "2", "2"]
    assert list(frame["color"]) == ["red", "blue", "red", "red", "blue"]
    assert frame["path"][0] == "images/CLEVR_new_000000.png"
    assert list(read_clevr4(root, "train").frame["texture"]) == ["rubber", "metal"]
    assert len(read_dataset(f"clevr4:{root}")) == 5  # published figures are on all of them


def test_genecis_has_images_and_templates(miniatures: dict[str, Writer], tmp_path: Path) -> None:
    root = miniatures["genecis"](tmp_path)
    frame = read_genecis(root).frame
    assert len(frame) == frame["path"].nunique() == 7
    assert dict(zip(frame["path"], frame["tasks"], strict=True))["VG_100K_all/7.jpg"] == "change_attribute"
    assert len(read_genecis(root, "focus_object")) == 4
    assert genecis_tasks(root) == ("change_attribute", "focus_object")
    first, second = read_templates(root, "focus_object")
    assert (first.reference.path, first.condition, first.target.path) == ("val2017/000000000001.jpg", "wall", "val2017/000000000022.jpg")
    assert [picture.path for picture in second.gallery] == ["val2017/000000000001.jpg", "val2017/000000004444.jpg"]
    assert read_templates(root, "change_attribute")[0].target.box == (2.0, 2.0, 10.0, 6.0)
    (root / "VG_100K_all").rename(root / "VG_100K")
    (root / "VG_100K_2").mkdir()
    (root / "VG_100K" / "8.jpg").rename(root / "VG_100K_2" / "8.jpg")
    template = read_templates(root, "change_attribute")[0]
    assert (template.reference.path, template.target.path) == ("VG_100K/7.jpg", "VG_100K_2/8.jpg")


def test_icir_has_queries_and_databases_whatever_the_paths_begin_with(miniatures: dict[str, Writer], tmp_path: Path) -> None:
    root = miniatures["icir"](tmp_path)
    frame = read_icir(root).frame
    assert list(frame["part"]) == ["query"] * 3 + ["database"] * 5
    assert list(frame["path"])[:3] == ["query/temple/a.jpg", "query/temple/c.jpg", "query/mug/b.jpg"]
    assert list(frame["text"])[:3] == ["at sunset", "as a sketch", "on a beach"]
    assert set(read_icir(root, "database").frame["instance"]) == {"temple", "mug"}
    for part in ("query", "database"):
        file = root / f"{part}_files.csv"
        file.write_text(file.read_text().replace("icir/", ""))
    assert read_icir(root).frame.equals(frame)


def test_stanford40_has_actions_in_words(miniatures: dict[str, Writer], tmp_path: Path) -> None:
    frame = read_stanford40(miniatures["stanford40"](tmp_path)).frame
    assert list(frame["action"]) == ["applauding", "applauding", "riding a bike", "fishing"]
    assert frame["path"][2] == "JPEGImages/riding_a_bike_010.jpg"


_ONE = {"texture": 1, "color": 1, "shape": 1, "count": 1, "split": "val"}
_COCO = {"val_image_id": 1}
_WHOLE = {"condition": "wall", "target": _COCO, "gallery": [_COCO], "reference": _COCO}
_EXPECTED = r"template 1 is .*, expected a condition and images"
_BOX = {"image_id": 7, "instance_bbox": [0, 0, 0, 5]}
_CLEVR4 = ("clevr4", "clevr_4_annots.json")
_GENECIS = ("genecis", "genecis/focus_object.json")
_ICIR = ("icir", "query_files.csv")
_STANFORD40 = ("stanford40", "ImageSplits/test.txt")
DAMAGED = [
    (*_CLEVR4, {"a": {"texture": "metal"}}, r"the image 'a' is .*, expected texture, color, shape, count and the split train or val"),
    (*_CLEVR4, {"a": {**_ONE, "split": "best"}}, r"the image 'a' is"),
    (*_CLEVR4, {"a": [1, 2]}, r"the image 'a' is '\[1, 2\]', expected"),
    (*_CLEVR4, {"../../a": _ONE}, r"expected a path inside of the dataset's folder"),
    (*_CLEVR4, {}, r"has no entries by name; take the file anew from https://www\.robots"),
    (*_CLEVR4, [1], r"has no entries by name"),
    *((*_GENECIS, [_WHOLE | bad], _EXPECTED) for bad in ({"condition": " "}, {"condition": 3}, {"gallery": []})),
    (*_GENECIS, [{key: _WHOLE[key] for key in ("condition", "reference", "target")}], _EXPECTED),
    *((*_GENECIS, [_WHOLE | {"reference": bad}], _EXPECTED) for bad in (7, {"val_image_id": "../x"}, {"image_id": 7}, _BOX)),
    (*_GENECIS, [_WHOLE | {"reference": _BOX | {"instance_bbox": [0, 0, float("nan"), 5]}}], _EXPECTED),
    (*_GENECIS, [[]], _EXPECTED),
    (*_GENECIS, "[", r"'focus_object\.json' of GeneCIS is no JSON"),
    (*_GENECIS, {}, r"'focus_object\.json' of GeneCIS has no list of entries"),
    (*_GENECIS, [], r"'focus_object\.json' of GeneCIS has no list of entries"),
    *((*_ICIR, line, r"line 1 is .*, expected an image's path, a text") for line in ("query/a.jpg,dusk", "query/a.jpg,dusk,mug,x", ",dusk,mug")),
    *((*_ICIR, f"{path},night,mug", r"expected a path inside of the dataset's folder") for path in ("../query/a.jpg", "/etc/query/a.jpg")),
    *(
        (*_STANFORD40, f"applauding_003.jpg\n{line}\n", r"line 2 is .*, expected an action, a number and \.jpg")
        for line in ("../../etc/applauding_001.jpg", "/applauding_001.jpg", "applauding.jpg", "001.jpg", "applauding_001.txt")
    ),
    (*_ICIR, None, r"lacks 'query_files\.csv'; get it from the dataset published at https://vrg"),
    ("icir", "database_files.csv", None, r"lacks 'database_files\.csv'"),
    (*_STANFORD40, None, r"lacks 'ImageSplits/test\.txt'; get it from the dataset published at https://vision\.stanford"),
    ("stanford40", "ImageSplits/train.txt", None, r"lacks 'ImageSplits/train\.txt'"),
    ("genecis/change_object", "genecis/change_object.json", None, r"lacks 'genecis/change_object\.json'; get it from .*https://github\.com"),
]


@pytest.mark.parametrize(("name", "file", "content", "message"), DAMAGED)
def test_what_is_damaged_is_told(name: str, file: str, content: Any, message: str, miniatures: dict[str, Writer], tmp_path: Path) -> None:
    dataset, _, split = name.partition("/")
    root = miniatures[dataset](tmp_path)
    if content is None:
        (root / file).unlink(missing_ok=True)
    else:
        (root / file).write_text(content if isinstance(content, str) else json.dumps(content), encoding="utf-8")
    with pytest.raises(InputError, match=message) as caught:
        read_dataset(f"{dataset}/{split or 'all'}:{root}")
    assert len(str(caught.value).splitlines()) == 1
