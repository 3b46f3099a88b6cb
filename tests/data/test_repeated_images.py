"""Images that a table lists more than once: one row each, told; and figures that do not change by it."""

import json
import os
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings, strategies as st
from PIL import Image

import likeness as lk
from likeness.data import CAPTIONS_COLUMN, IMAGE_COLUMN, one_row_an_image, read_captions, read_dataset
from likeness.data.table import ImageTable

FORMS = ("same", "dot", "absolute", "through a folder", "symbolic link", "hard link")


class Colors:
    """An encoder that sees an image's mean color and little else."""

    name, dim, has_text = "colors", 4, False

    def encode_images(self, images: Any) -> np.ndarray:
        rows = np.array([[*np.asarray(image, np.float64).mean((0, 1)) - 128, 40] for image in images])
        return (rows / np.linalg.norm(rows, axis=1, keepdims=True)).astype(np.float32)


def draw(folder: Path, count: int, seed: int = 0) -> list[str]:
    folder.mkdir(parents=True, exist_ok=True)
    colors = np.random.default_rng(seed).integers(0, 256, (count, 3))
    for number, color in enumerate(colors.tolist()):
        Image.new("RGB", (4, 4), tuple(color)).save(folder / f"{number}.png")
    return [f"{number}.png" for number in range(count)]


def again(folder: Path, name: str, form: str) -> str:
    """The same file by another path, or the same."""
    link = folder / f"{form[:4]}-{name}"
    if form == "symbolic link":
        link.symlink_to(name)
    elif form == "hard link":
        link.hardlink_to(folder / name)
    return {"same": name, "dot": f"./{name}", "absolute": str(folder / name), "through a folder": f"../{folder.name}/{name}"}.get(form, link.name)


def csv(folder: Path, rows: list[dict[str, Any]]) -> Path:
    pd.DataFrame(rows).to_csv(folder / "table.csv", index=False)
    return folder / "table.csv"


@settings(max_examples=30, deadline=None)
@given(count=st.integers(4, 12), forms=st.lists(st.sampled_from(FORMS), min_size=12, max_size=12), seed=st.integers(0, 1000), numbered=st.booleans())
def test_a_table_with_every_image_listed_twice_has_the_figures_of_one_without(count: int, forms: list[str], seed: int, numbered: bool) -> None:
    """Also where the rows differ in a further column, so that they stay."""
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place) / "images"
        names = draw(folder, count, seed)
        once = [{"path": name, "label": "ab"[number % 2]} for number, name in enumerate(names)]
        twice = once + [{"path": again(folder, name, form), "label": row["label"]} for name, form, row in zip(names, forms, once, strict=False)]
        if numbered:
            twice = [row | {"annotation": number} for number, row in enumerate(twice)]
        expected, found = (lk.embed(lk.read(csv(folder, rows)), Colors()) for rows in (once, twice))
        assert len(found) == (2 * count if numbered else count)
        assert found.metrics() == expected.metrics()
        for row in range(count):
            assert found.nearest(row, k=count).rows.tolist() == expected.nearest(row, k=count).rows.tolist()
        np.testing.assert_array_equal(found.nearest(expected.vectors, k=3).rows, expected.nearest(expected.vectors, k=3).rows)
        query = lk.Query([(1, 0), (0.5, 1)])
        assert found.nearest(query, k=count).rows.tolist() == expected.nearest(query, k=count).rows.tolist()


@pytest.mark.parametrize("form", FORMS)
def test_rows_that_say_the_same_become_one_and_the_table_says_so(tmp_path: Path, form: str) -> None:
    names = draw(tmp_path, 3)
    table = read_dataset(csv(tmp_path, [{"path": name, "label": "x"} for name in [*names, again(tmp_path, "1.png", form)]]))
    assert table.frame["path"].tolist() == names
    assert table.notes == ("1 image is listed twice; each is one row.",)
    assert repr(table).splitlines()[1:] == list(table.notes)
    if form == "symbolic link":  # in a folder, too
        links = read_dataset(tmp_path)
        assert (links.frame["path"].tolist(), links.notes[-1:]) == (names, table.notes)
    more = [{"path": name, "label": "x"} for name in [*names, *names, names[0]]]
    assert read_dataset(csv(tmp_path, more)).notes == ("3 images are listed more than once; each is one row.",)


def test_rows_that_differ_stay_and_are_one_image(tmp_path: Path) -> None:
    draw(tmp_path, 3)
    rows = [("0.png", "dog", 1), ("./0.png", "cat", 2), ("1.png", "dog", 3), ("1.png", "dog", 3), ("2.png", "cat", None), ("2.png", "cat", None)]
    table = read_dataset(csv(tmp_path, [dict(zip(("path", "label", "box"), row, strict=True)) for row in rows]))
    assert table.frame["path"].tolist() == ["0.png", "./0.png", "1.png", "2.png"]
    assert table.attributes == ["label", "box"]
    assert table.frame[IMAGE_COLUMN].tolist() == ["0.png", "0.png", "1.png", "2.png"]
    assert table.notes == (
        "2 images are listed twice; each is one row.",
        "1 image is listed more than once with different values of 'label', 'box'; all rows are kept, and rankings exclude rows of the same image.",
    )
    space = lk.embed(table, Colors())
    assert space.nearest(0, k=9).rows.tolist() == space.nearest(1, k=9).rows.tolist() == [*set(space.nearest(0, k=9).rows.tolist())]
    assert not {0, 1} & set(space.nearest(0, k=9).rows.tolist())
    shown = space.nearest(2, k=9, allowed=np.array([False, True, True, True])).rows.tolist()
    assert sorted(shown) == [1, 3]
    assert space.metrics(by="label", include=["precision_at_1"])["left_out"] == 1
    # images that all have several labels are no classes
    several = [{"path": f"{number}.png", "label": label} for number in range(2) for label in "ab"]
    space = lk.embed(read_dataset(csv(tmp_path, several)), Colors())
    with pytest.raises(lk.InputError, match="Each image of 'Raw encoder' is listed more than once with different labels"):
        space.metrics()


def test_captions_files_have_one_row_an_image_and_one_caption_an_image_stays_as_it_is(tmp_path: Path) -> None:
    names = draw(tmp_path, 3)
    rows = [{"path": name, "split": "test", "caption": f"caption {number} of {name}"} for name in names[:2] for number in range(5)]
    rows[4]["caption"] = rows[3]["caption"]  # two people wrote the same
    table = read_dataset(csv(tmp_path, [*rows, {"path": names[2], "split": "train", "caption": ' one, "only" '}]))
    assert table.frame["path"].tolist() == names
    assert table.attributes == ["split", CAPTIONS_COLUMN]
    assert read_captions(table) == [[row["caption"] for row in rows[:5]], [row["caption"] for row in rows[5:]], ['one, "only"']]
    assert table.notes == ("2 images are listed more than once; each is one row with all of its captions.",)
    once = [{"path": name, "caption": f"of {name}"} for name in names[:2]]
    for rows in (once, [*once, *once], [*once, {"path": names[0], "caption": ""}]):
        table = read_dataset(csv(tmp_path, rows))
        assert table.frame.to_dict("list") == {"path": names[:2], "caption": ["of 0.png", "of 1.png"]}


def test_files_that_are_not_there_and_addresses_are_one_by_their_names_and_seconds_of_a_film_images_of_their_own(tmp_path: Path) -> None:
    (tmp_path / "a.mp4").write_bytes(b"film")
    same = {"no.png": "./no.png", "https://a.b/c.png": "https://a.b/c.png", "a.mp4#t=1": "./a.mp4#t=1"}
    others = ["0.png", "https://a.b/./c.png", "a.mp4#t=2"]
    frame = pd.DataFrame({"path": [*same, *others, *same.values()]})
    assert one_row_an_image(ImageTable("t", tmp_path, frame)).frame["path"].tolist() == [*same, *others]


def test_two_files_with_one_number_are_two(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Some file systems give files no numbers, or give one number to several."""
    names, stat = draw(tmp_path, 3), os.stat
    for number in (0, 7):

        def numbered(path: Any, *, of: int = number, **options: Any) -> os.stat_result:
            return os.stat_result((stat(path, **options).st_mode, of, 1, 1, *stat(path, **options)[4:10]))

        with monkeypatch.context() as patch:
            patch.setattr("likeness.data.listed_files.os.stat", numbered)
            table = one_row_an_image(ImageTable("t", tmp_path, pd.DataFrame({"path": [*names, "./1.png"]})))
        assert table.frame["path"].tolist() == names


def test_own_vectors_of_the_parts_of_an_image_are_images_of_their_own(tmp_path: Path) -> None:
    vectors = np.array([[1.0, 0.0], [0.9, 0.1], [1.0, 0.0]])
    space = lk.Space(vectors, ["a.png"] * 3, labels=["sky", "sky", "sky"])
    assert space.nearest(0).rows.tolist() == [1]
    assert space.nearest(1).rows.tolist() == [0]
    assert space.metrics(include=["precision_at_1"]) == {"precision_at_1": 1.0}


def test_a_table_written_and_read_again_tells_anew_what_is_one_image(tmp_path: Path) -> None:
    draw(tmp_path, 2)
    rows = [{"path": "0.png", "n": 1}, {"path": "./0.png", "n": 2}, {"path": "1.png", "n": 3}]
    frame = read_dataset(csv(tmp_path, rows)).frame
    (tmp_path / "0.png").unlink()
    again = frame.assign(path=["1.png", "0.png", "1.png"])
    again.to_csv(tmp_path / "again.csv", index=False)
    assert read_dataset(tmp_path / "again.csv").frame.to_dict("list") == {"path": again["path"].tolist(), "n": [1, 2, 3]}
    assert json.loads(frame.to_json())["likeness:image"]["1"] == "0.png"
