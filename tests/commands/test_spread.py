"""`likeness spread` and `python -m experiments.analyses label-spreading`: files in, files out, and what they refuse."""

from pathlib import Path

import pandas as pd
import pytest

import likeness as lk
from worlds import Run


@pytest.fixture
def labels(tmp_path: Path) -> Path:
    frame = lk.read("cars").frame.iloc[::40]
    frame[["path", "car_color"]].rename(columns={"car_color": "label"}).to_csv(tmp_path / "labels.csv", index=False)
    return tmp_path / "labels.csv"


def test_labels_spread_to_all_images(labels: Path, tmp_path: Path, run: Run) -> None:
    out, queue = tmp_path / "all.csv", tmp_path / "queue.csv"
    args = ("--notion", "car-color", "--next", "6", "--format", "csv", "--out", str(out), "--queue", str(queue))
    status, shown, told = run("spread", str(labels), "cars", *args)
    assert status == 0
    assert "50 of 2,000 images have a label, of 17 classes. Of 46 labels that were held out, the others say " in told
    table = pd.read_csv(out)
    assert list(table) == ["path", "label", "confidence", "given"]
    assert (table["label"] == lk.read("cars").frame["car_color"]).mean() > 0.9
    assert table["given"].sum() == 50
    assert table["confidence"].between(0, 1).all()
    assert len(pd.read_csv(queue)) == 6 == shown.count("\n") - 1


def test_what_cannot_spread_is_one_line(labels: Path, tmp_path: Path, run: Run) -> None:
    one, strange = tmp_path / "one.csv", tmp_path / "strange.csv"
    one.write_text("path,label\nimages/00000.webp,red\n")
    strange.write_text("path,label\nnowhere.jpg,red\n")
    for args, message in (
        ((str(tmp_path / "none.csv"), "cars"), "cannot be read"),
        ((str(one), "cars"), "label an image of another class"),
        ((str(strange), "cars"), "names 'nowhere.jpg', which is no image of 'Synthetic Cars' (1 such)"),
        ((str(labels), "cars", "--method", "magic"), "choose propagation or probe"),
    ):
        status, _, error = run("spread", *args)
        assert (status, error.startswith("Error: "), error.count("\n")) == (2, True, 1)
        assert message in error
