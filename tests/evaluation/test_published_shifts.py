"""What is transcribed of ooDML agrees with what its authors published."""

import pytest

from likeness.shifts import read_splits
from likeness.studies import published_shifts


def test_the_default_split_of_cars196_stands_in_table_1() -> None:
    table = published_shifts().set_index(["dataset", "split"])["distance"]
    assert table["CARS", "default"] == pytest.approx(read_splits("cars196-oodml").named("start").distance, abs=0.005)
    assert table.loc["CUB"].isna().all()
    assert (table["SOP", "default"], table["SOP", "i.i.d."], table["CARS", "i.i.d."]) == (3.43, 0.98, 2.33)
