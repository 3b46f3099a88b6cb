"""Stanford Online Products on a miniature copy of its layout."""

from collections.abc import Callable
from pathlib import Path

import pytest

from likeness.data import read_online_products
from likeness.errors import InputError


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


def test_lines_that_are_damaged(root: Path) -> None:
    file = root / "Ebay_test.txt"
    file.write_text(file.read_text(encoding="utf-8").replace("4 3 1 bicycle", "4 x 1 bicycle"), encoding="utf-8")
    with pytest.raises(InputError, match=r"In 'Ebay_test\.txt' of Stanford Online Products, line 2 is '4 x 1 .*', expected three numbers and a path"):
        read_online_products(root)


def test_a_missing_index(root: Path) -> None:
    (root / "Ebay_train.txt").unlink()
    assert len(read_online_products(root)) == 4
    with pytest.raises(InputError, match=r"lacks 'Ebay_train\.txt'; take it from the dataset published at https://cvgl"):
        read_online_products(root, "train")
