"""Equal files; what cannot be read is named."""

import shutil
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from PIL import Image

from likeness import Space
from likeness.data import ImageTable
from likeness.duplicates import best_first, exact_copies, image_sizes, why_best
from likeness.errors import InputError


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    pixels = np.random.default_rng(0).integers(0, 255, (20, 30, 3), np.uint8)
    Image.fromarray(pixels).save(tmp_path / "a.png")
    shutil.copy(tmp_path / "a.png", tmp_path / "b.png")
    Image.fromarray(pixels).save(tmp_path / "c.bmp")  # the same pixels in another file
    Image.fromarray(pixels).save(tmp_path / "d.jpg", quality=50)
    other = (tmp_path / "a.png").read_bytes()
    (tmp_path / "e.png").write_bytes(other[:-1] + bytes([other[-1] ^ 1]))  # as large, and one bit differs
    Image.fromarray(pixels).resize((15, 10)).save(tmp_path / "f.png")
    return tmp_path


def listed(folder: Path, *names: str) -> ImageTable:
    return ImageTable("x", folder, pd.DataFrame({"path": names}))


def test_equal_files_are_found(folder: Path) -> None:
    found = exact_copies(listed(folder, "c.bmp", "b.png", "d.jpg", "a.png", "e.png", "b.png"))
    assert [rows.tolist() for rows in found.groups] == [[1, 3]]  # a file listed twice is no copy: with it the image itself would go
    assert found.failed == ()
    calls: list[tuple[int, int, str]] = []
    exact_copies(listed(folder, "c.bmp", "b.png", "a.png", "e.png"), progress=lambda *call: calls.append(call))
    assert calls[-1][:2] == (3, 3)  # as large as each other


def test_links_and_other_spellings_of_a_path_are_no_copies(folder: Path) -> None:
    (folder / "link.png").symlink_to("a.png")
    (folder / "hard.png").hardlink_to(folder / "a.png")
    assert len(exact_copies(listed(folder, "a.png", "./a.png", "link.png", "hard.png"))) == 0


def test_what_cannot_be_read_is_named_and_no_copy(folder: Path) -> None:
    (folder / "text.png").write_text("no picture")
    for name in ("y.png", "z.png"):
        (folder / name).write_bytes(b"")
    found = exact_copies(listed(folder, "missing.png", "a.png", "text.png", "b.png", "y.png", "z.png"))
    assert [rows.tolist() for rows in found.groups] == [[1, 3]]
    assert [(each.row, each.path) for each in found.failed] == [(0, "missing.png"), (4, "y.png"), (5, "z.png")]
    assert "no such file" in found.failed[0].reason
    assert all("empty" in each.reason for each in found.failed[-2:])
    with pytest.raises(InputError, match="have no images"):
        exact_copies(Space(np.eye(2)).table)


def test_parts_of_a_film_are_equal_where_the_films_are(tmp_path: Path) -> None:
    for name, content in (("a.mp4", b"1" * 9), ("b.mp4", b"1" * 9), ("c.mp4", b"2" * 9)):
        (tmp_path / name).write_bytes(content)
    found = exact_copies(listed(tmp_path, *(f"{name}.mp4#t={second}" for name in "abc" for second in (0, 1))))
    assert [rows.tolist() for rows in found.groups] == [[0, 2], [1, 3]]


def test_the_best_image_has_most_pixels_then_the_largest_file_and_sizes_say_why(folder: Path) -> None:
    (folder / "text.png").write_text("no picture")
    table = listed(folder, "text.png", "f.png", "d.jpg", "b.png", "a.png", "c.bmp")
    sizes = {name: (folder / name).stat().st_size for name in ("a.png", "c.bmp", "d.jpg")}
    assert sizes["a.png"] != sizes["c.bmp"] > sizes["d.jpg"]
    first = ["c.bmp", "b.png", "a.png"] if sizes["c.bmp"] > sizes["a.png"] else ["b.png", "a.png", "c.bmp"]
    order = np.argsort(best_first(table))
    assert table.frame["path"].to_numpy()[order].tolist() == [*first, "d.jpg", "f.png", "text.png"]
    assert np.argsort(best_first(table, rows=[1, 2])).tolist()[:2] == [2, 1]
    table = listed(folder, "a.png", "f.png", "c.bmp", "gone.png", "b.png")
    calls: list[tuple[int, int, str]] = []
    sizes = image_sizes(table, range(5), lambda *call: calls.append(call))
    assert calls[-1][:2] == (5, 5)
    assert sizes[:, :2].tolist() == [[30, 20], [15, 10], [30, 20], [0, 0], [30, 20]]
    assert sizes[:, 2].tolist() == [0 if name == "gone.png" else (folder / name).stat().st_size for name in table.frame["path"]]
    order = np.argsort(best_first(table))
    assert why_best(sizes[order]) == "largest file of as many pixels"
    assert why_best(sizes[[0, 1, 3]]) == "most pixels"
    assert why_best(sizes[[0, 4]]) == "listed first of equal ones"
    assert image_sizes(table, []).shape == (0, 3)
