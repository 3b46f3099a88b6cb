"""Market-1501 on a miniature copy of its layout."""

from pathlib import Path

import numpy as np
import pytest
from tests.data.conftest import MARKET1501

from likeness.data import UNLABELED, read_official_parts
from likeness.data.readers.market1501 import read_market1501
from likeness.errors import InputError
from likeness.evaluation import retrieval_scores

DATASET = "market1501"


def test_people_and_cameras_of_the_official_sets(root: Path) -> None:
    query, gallery, train, every = (read_market1501(root.parent, split).frame for split in ("query", "gallery", "train", "all"))
    assert query["path"].tolist() == [f"query/{name}" for name in MARKET1501["query"]]
    assert query["identity"].tolist() == ["0001", "0003"]
    assert query["camera"].tolist() == ["c1", "c4"]
    assert gallery["identity"].tolist() == ["0000", "0000", "0001", "0001", "0003", UNLABELED]
    assert gallery["camera"].tolist() == ["c1", "c3", "c1", "c2", "c1", "c1"]
    assert train["identity"].tolist() == ["0002", "0002", "0007"]
    assert every["split"].tolist() == ["train"] * 3 + ["query"] * 2 + ["gallery"] * 6
    both, count = read_official_parts(f"market1501:{root}")
    assert not set(both.frame["identity"][:count]) & set(both.frame["identity"][count:])


def test_junk_counts_neither_way_and_distractors_count_as_wrong(root: Path) -> None:
    frame = read_market1501(root).frame
    asks = (frame["split"] == "query").to_numpy()
    label = frame["identity"].tolist()
    similarity = dict(zip(frame["path"], [0, 0, 0.9, 0, 0.8, 0.7, 0, 0.99], strict=True))  # to the first query: junk, a distractor, then its person
    gallery = np.array([[similarity[path], np.sqrt(1 - similarity[path] ** 2)] for path in frame["path"][~asks]])
    labels = [name for name, ask in zip(label, asks, strict=True) if not ask]
    found = retrieval_scores(gallery, labels, (1, 2), np.array([[1.0, 0.0]]), ["0001"])
    assert found["recall_at_1"].tolist() == [0]
    assert found["recall_at_2"].tolist() == [1]
    assert found["map"].tolist() == pytest.approx([(1 / 2 + 2 / 3) / 2])


def test_odd_names(root: Path) -> None:
    place = root / "bounding_box_test"
    for name in ("._0001_c1s1_001051_03.jpg", "readme.txt"):
        (place / name).touch()
    assert len(read_market1501(root)) == 8
    (place / "0005_c2_f0046985.jpg").touch()  # of DukeMTMC-reID
    with pytest.raises(
        InputError, match=r"In 'bounding_box_test' of Market-1501, file \d is '0005_c2_f0046985\.jpg', expected a name such as 0002_c1s1_"
    ):
        read_market1501(root)
    assert len(read_market1501(root, "query")) == 2


def test_an_unfinished_download(root: Path) -> None:
    assert read_market1501(root, "train").notes == (
        "Only 3 of the 12,936 published images of 'train' are in the folder; unpack the others if they should be there.",
    )
    for file in (root / "query").glob("*.jpg"):
        file.unlink()
    assert "Only 0 of the 3,368 published images of 'query' are in the folder" in read_market1501(root).notes[0]
    with pytest.raises(InputError, match=r"The split 'query' of Market-1501 in '.*' has no images in 'query'; choose another split"):
        read_market1501(root, "query")
