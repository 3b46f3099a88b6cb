"""CUB-200-2011 on miniature copies of its layout."""

from pathlib import Path

import pytest

from likeness.data.readers.cub200 import read_cub200
from likeness.errors import InputError

DATASET = "cub200"


def test_species_of_the_second_half_of_the_classes(root: Path) -> None:
    frame = read_cub200(root).frame
    assert list(frame["bird_species"]) == ["Shiny Cowbird", "Shiny Cowbird", "Pájaro Azul"]
    assert list(frame["path"])[2] == "images/004.Pájaro_Azul/Bird_0006_é.jpg"
    assert list(read_cub200(root, "train").frame["bird_species"]) == ["Black footed Albatross"] * 2 + ["Laysan Albatross"]
    assert list(read_cub200(root, "all").frame["bird_family"]) == ["Albatross", "Albatross", "Albatross", "Cowbird", "Cowbird", "Azul"]


def test_the_order_of_lines_does_not_matter(root: Path) -> None:
    expected = {split: read_cub200(root, split).frame for split in ("all", "test")}
    for name in ("images.txt", "image_class_labels.txt", "classes.txt"):
        lines = (root / name).read_text(encoding="utf-8").splitlines()
        (root / name).write_text("\ufeff\r\n" + "\r\n".join(reversed(lines)) + "\r\n\r\n", encoding="utf-8")
    for split, frame in expected.items():
        assert read_cub200(root, split).frame.sort_values("path", ignore_index=True).equals(frame.sort_values("path", ignore_index=True))


def test_species_by_the_names_of_the_folders_where_there_are_no_lists_and_no_numbers(root: Path) -> None:
    for file in root.glob("*.txt"):
        file.unlink()
    for folder in list((root / "images").iterdir()):
        folder.rename(folder.with_name(folder.name.split(".")[1]))
    table = read_cub200(root, "all")
    assert sorted(set(table.frame["bird_species"])) == ["Black footed Albatross", "Laysan Albatross", "Pájaro Azul", "Shiny Cowbird"]
    assert all(path.is_file() for path in table.paths())
    assert table.frame["path"][0].startswith("images/Black_footed_Albatross/")
    assert set(read_cub200(root).frame["bird_species"]) == {"Pájaro Azul", "Shiny Cowbird"}
    assert set(read_cub200(root, "train").frame["bird_species"]) == {"Black footed Albatross", "Laysan Albatross"}
    for number, file in enumerate(sorted((root / "images").rglob("*.jpg"))):
        file.rename(root / "images" / f"{number}.jpg")
    with pytest.raises(InputError, match="has no folders of species; give the folder that CUB200 was unpacked to"):
        read_cub200(root)
