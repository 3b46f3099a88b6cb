"""In-Shop Clothes Retrieval on a miniature copy of its layout."""

from pathlib import Path

import numpy as np
import pytest

from likeness.data import read_dataset, read_official_parts
from likeness.data.readers.in_shop import read_in_shop
from likeness.errors import InputError
from likeness.evaluation import retrieval_metrics

DATASET = "in-shop"


def test_items_of_the_official_sets(root: Path) -> None:
    test, train, query, gallery, every = (read_in_shop(root, split).frame for split in ("test", "train", "query", "gallery", "all"))
    assert train["item"].tolist() == ["id_00000002", "id_00000002", "id_00000004"]
    assert train["item_kind"].tolist() == ["Dresses", "Dresses", "Tees Tanks"]
    assert query["path"].tolist() == ["Img/img/MEN/Denim/id_00007979/01_1_front é.jpg", "Img/img/WOMEN/Blouses_Shirts/id_00007980/02_1_front.jpg"]
    assert gallery["item"].tolist() == ["id_00007979", "id_00007980", "id_00007980"]
    assert test["split"].tolist() == ["query", "gallery", "query", "gallery", "gallery"]  # in the order of the list
    assert test["department"].tolist() == ["MEN", "MEN", "WOMEN", "WOMEN", "WOMEN"]
    assert every["split"].value_counts().to_dict() == {"train": 3, "query": 2, "gallery": 3}
    assert read_dataset(f"in-shop/query:{root}").name == "In-Shop Clothes Retrieval (query)"


def test_images_and_list_beside_each_other(root: Path) -> None:
    (root / "Img" / "img").rename(root / "img")
    (root / "Eval" / "list_eval_partition.txt").rename(root / "list_eval_partition.txt")
    table = read_in_shop(root.parent)
    assert table.frame["path"][1] == "img/MEN/Denim/id_00007979/01_4_full.jpg"
    assert all(path.is_file() for path in table.paths())


def test_queries_search_the_gallery_as_the_paper_has_it(root: Path) -> None:
    frame = read_in_shop(root).frame
    asks, vectors = (frame["split"] == "query").to_numpy(), np.eye(3)[[0, 0, 1, 2, 1]]
    found = retrieval_metrics(vectors[~asks], frame["item"][~asks].tolist(), (1,), vectors[asks], frame["item"][asks].tolist())
    assert (found["recall_at_1"], found["map_at_r"]) == (1.0, 0.75)  # the second query finds the nearer of its two images, then another item's


def test_the_official_split_has_no_item_on_both_sides(root: Path) -> None:
    table, count = read_official_parts(f"in-shop:{root}")
    items = table.frame["item"].tolist()
    assert (count, len(table)) == (3, 8)
    assert not set(items[:count]) & set(items[count:])


def test_a_list_of_another_benchmark(root: Path) -> None:
    """DeepFashion's attribute prediction and CelebA have a file of this name with two columns."""
    text = "2\nimage_name  evaluation_status\nimg/Sheer_Blouse/img_00000001.jpg   train\nimg/Sheer_Blouse/img_00000002.jpg   val\n"
    (root / "Eval" / "list_eval_partition.txt").write_text(text)
    with pytest.raises(InputError, match=r"line 3 is 'img/Sheer_Blouse/img_00000001.jpg   train', expected an image such as img/WOMEN/"):
        read_in_shop(root)


def test_an_unfinished_download(root: Path) -> None:
    index = root / "Eval" / "list_eval_partition.txt"
    index.write_text("".join(index.read_text(encoding="utf-8").splitlines(keepends=True)[:7]), encoding="utf-8")
    with pytest.raises(InputError, match=r"line 1 is '8', expected the number of images that follow, 5; take the file anew from https"):
        read_in_shop(root)
