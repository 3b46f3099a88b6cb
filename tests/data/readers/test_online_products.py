"""Stanford Online Products on a miniature copy of its layout."""

from collections.abc import Callable
from pathlib import Path

import pytest

from likeness.data import read_online_products


@pytest.fixture
def root(miniatures: dict[str, Callable[[Path], Path]], tmp_path: Path) -> Path:
    return miniatures["online-products"](tmp_path)


def test_products_and_kinds_of_each_part(root: Path) -> None:
    test, train, everything = (read_online_products(root, split).frame for split in ("test", "train", "all"))
    assert test["product"].tolist() == ["3", "4", "4", "5"]
    assert test["product_kind"].tolist() == ["bicycle", "coffee maker", "coffee maker", "coffee maker"]
    assert train["product"].tolist() == ["1", "1", "2"]
    assert everything["product"].tolist() == [*train["product"], *test["product"]]
    assert test["path"][0] == "bicycle_final/4_é_3.JPG"


def test_the_index_of_another_part_is_not_needed(root: Path) -> None:
    (root / "Ebay_train.txt").unlink()
    assert len(read_online_products(root)) == 4
