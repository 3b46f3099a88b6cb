"""ILIAS on a miniature copy of its layout."""

import shutil
from pathlib import Path

import pytest

from likeness.data import read_dataset, recognized
from likeness.data.readers.ilias import read_ilias
from likeness.errors import InputError

DATASET = "ilias"
BOLD, SPRY = "bold_bimp_000", "spry_fimblebop_841"


def test_objects_with_their_queries_and_positives(root: Path) -> None:
    frame = read_ilias(root.parent).frame
    assert frame["path"].tolist()[:3] == [f"ilias_core/{BOLD}/query/Q000_00.jpg", *(f"ilias_core/{BOLD}/pos/P000_0{n}.jpg" for n in (0, 1))]
    assert frame["instance"].tolist() == [BOLD] * 3 + [SPRY] * 3
    assert frame["split"].tolist() == ["query", "gallery", "gallery", "query", "query", "gallery"]
    assert frame["text"][0] == "a blue mug with the number 000"
    assert frame["coarse_category"].tolist() == ["other"] * 3 + ["product"] * 3
    assert frame["mid_category"].unique().tolist() == ["other-other", "product-food"]
    assert frame["fine_category"].unique().tolist() == ["other-other-other", "product-food-cake"]
    assert [len(read_dataset(f"ilias/{part}:{root}")) for part in ("query", "gallery", "all")] == [3, 3, 6]
    assert recognized(root) == f"ilias:{root}"


def test_without_taxonomy_and_texts_and_with_an_object_that_the_taxonomy_lacks(root: Path) -> None:
    shutil.copytree(root / "ilias_core" / BOLD, root / "ilias_core" / "new_object_001")
    assert read_ilias(root).frame["fine_category"].tolist()[3:6] == [""] * 3
    (root / "taxonomy.json").unlink()
    (root / "ilias_core" / BOLD / "query" / "T000.txt").unlink()
    table = read_ilias(root)
    assert table.attributes == ["instance", "text", "split"]
    assert table.frame["text"].tolist()[:4] == ["", "", "", "a blue mug with the number 000"]


def test_an_unfinished_download(root: Path) -> None:
    assert read_ilias(root).notes == (
        "Only 3 of the 1,232 published images of 'query' are in the folder; unpack the others if they should be there.",
        "Only 3 of the 4,715 published images of 'gallery' are in the folder; unpack the others if they should be there.",
    )
    assert len(read_ilias(root, "query").notes) == 1
    shutil.rmtree(root / "ilias_core" / SPRY / "pos")
    assert len(read_ilias(root, "query")) == 3
    with pytest.raises(InputError, match=rf"ILIAS in '.*{SPRY}' lacks 'pos'; get it from the dataset published at https://vrg\.fel\.cvut\.cz"):
        read_ilias(root)
    shutil.rmtree(root / "ilias_core")
    (root / "ilias_core").mkdir()
    with pytest.raises(InputError, match=r"The split 'test' of ILIAS in '.*' has no images in 'ilias_core'"):
        read_ilias(root)


def test_odd_files(root: Path) -> None:
    place = root / "ilias_core" / BOLD / "pos"
    for name in ("._P000_00.jpg", ".DS_Store", "P000_00_url.txt"):
        (place / name).touch()
    (root / "ilias_core" / ".DS_Store").touch()
    assert len(read_ilias(root)) == 6
    (place / "P000_00 (copy).jpg").touch()
    with pytest.raises(InputError, match=r"In 'pos' of ILIAS, file \d is 'P000_00 \(copy\)\.jpg', expected a name such as P000_00\.jpg; take"):
        read_ilias(root)
