"""Paths of rows that are a part of a file."""

from pathlib import Path

import pytest

from likeness.io.file_parts import PART_SUFFIXES, Part, file_of, part_path, split_part

BOX = (1.5, -2.0, 30.25, 40.0)


@pytest.mark.parametrize("suffix", sorted(PART_SUFFIXES))
def test_what_is_put_together_is_taken_apart(suffix: str) -> None:
    for file in (f"a{suffix}", f"b/A B#t=1{suffix.upper()}", f"x\ny#page=2.pdf{suffix}"):
        for part in (Part(0), Part(12), Part(12, box=BOX), Part(12, box=BOX, percent=True), Part(box=BOX)):
            path = part_path(file, part)
            assert split_part(path) == (file, part)
            assert file_of(Path("/r") / path) == Path("/r") / file


@pytest.mark.parametrize("suffix", [".zip", ".tar", ".tar.gz", ".tgz", ".TAR"])
@pytest.mark.parametrize(
    "entry", ["a.jpg", "cats/a b.jpg", "a#1&xywh=1,2,3,4.jpg", "50%.jpg", "a//b/./c/../d.jpg", "ü\\ñ\n.png", "caf\udce9.png", "/a/"]
)
def test_an_entry_of_any_name_survives_as_a_path(suffix: str, entry: str) -> None:
    """`pathlib` folds "//" and "/./", tables write "/" for a backslash."""
    for part in (Part(entry=entry), Part(entry=entry, box=BOX)):
        path = part_path(f"b#/c.d/photos{suffix}", part)
        assert "\\" not in path
        assert path.isprintable()
        if not entry.endswith("/") or part.box:
            assert split_part(str(Path(path))) == split_part(path) == (f"b#/c.d/photos{suffix}", part)


def test_a_cell_and_its_region() -> None:
    path = part_path("train.parquet", Part(column="my image&", row=12))
    assert path == "train.parquet#column=my image%26&row=12"
    assert split_part(part_path(path, Part(box=BOX))) == ("train.parquet", Part(column="my image&", row=12, box=BOX))


def test_one_region_written_in_several_ways_is_one() -> None:
    ways = ["a.jpg#xywh=10,20,30,40", "a.jpg#xywh=pixel:10.0,20,30.00,40", "a.jpg#XYWH=10,20,30,40"]
    assert len({split_part(way) for way in ways}) == 1
    assert split_part("a.jpg#xywh=percent:10,20,30,40") != split_part(ways[0])


_OTHERS = [
    *("a.mp4", "a#t=1.jpg", "a.jpg#t=1", "a.mp4#t=", "a.mp4#t=-1", "a.mp4#page=1", "a.pdf#t=1", "a.mp4#t=1#", "a.mp4#t=1e3", "#"),
    *("a.jpg#", "a.jpg#xywh=1,2,3", "a.jpg#xywh=1,2,3,4,5", "a.jpg#xywh=1,2,3,nan"),
    *(
        "a.jpg#xywh=1,2,3,1e3",
        "a.jpg&xywh=1,2,3,4",
        "#xywh=1,2,3,4",
        "a.zip#entry=",
        "a.rar#entry=a.jpg",
        "a.parquet#column=a",
        "a.parquet#row=1&column=a",
    ),
]


@pytest.mark.parametrize("path", ["", *_OTHERS])
def test_all_else_is_a_file(path: str) -> None:
    assert split_part(path) == (path, None)
    assert file_of(Path(path)) == Path(path)


def test_edges_are_cut_off_and_never_empty() -> None:
    assert Part(box=(2, 3, 4, 5)).edges(20, 20) == (2, 3, 6, 8)
    assert Part(box=(8, 8, 8, 8)).edges(10, 10, reduced=2) == (4, 4, 8, 8)
    assert Part(box=(19.7, 19.7, 0.2, 9)).edges(20, 20) == (19, 19, 20, 20)
    for box in ((20, 0, 5, 5), (-5, 0, 5, 5), (0, 0, 0, 5), (3, 3, -2, 5)):
        with pytest.raises(ValueError, match="is empty or outside of the image of 20 x 20 pixels"):
            Part(box=box).edges(20, 20)
