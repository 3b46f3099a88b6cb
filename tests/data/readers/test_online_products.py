"""Stanford Online Products on a miniature copy of its layout."""

from pathlib import Path

from likeness.data.readers.online_products import read_online_products

DATASET = "online-products"


def test_products_and_kinds_of_each_part(root: Path) -> None:
    test, train, everything = (read_online_products(root, split).frame for split in ("test", "train", "all"))
    assert test["product"].tolist() == ["3", "4", "4", "5"]
    assert test["product_kind"].tolist() == ["bicycle", "coffee maker", "coffee maker", "coffee maker"]
    assert train["product"].tolist() == ["1", "1", "2"]
    assert everything["product"].tolist() == [*train["product"], *test["product"]]
    assert test["path"][0] == "bicycle_final/4_é_3.JPG"
    (root / "Ebay_train.txt").unlink()
    assert len(read_online_products(root)) == 4
