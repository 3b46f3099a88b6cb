"""Texts without the folders of this machine."""

from pathlib import Path

import pytest

from likeness.reports.privacy import hide_folders

HOME = Path("/home/ada lovelace/my photos")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("/home/ada/photos/cat.jpg", "cat.jpg"),
        ("/home/ada/photos/", "photos"),
        ("~/photos/cat.jpg", "cat.jpg"),
        ("~ada/photos/cat.jpg", "cat.jpg"),
        ("/home/ada lovelace/a b.jpg", "a b.jpg"),
        ("../secret/cat.jpg", "cat.jpg"),
        ("../../secret/cat.jpg", "cat.jpg"),
        ("C:\\Users\\ada\\cat.jpg", "cat.jpg"),
        ("D:/data/cat.jpg", "cat.jpg"),
        ("\\\\server\\share\\cat.jpg", "cat.jpg"),
        ("file:///home/ada/cat.jpg", "cat.jpg"),
        ("file://host/home/ada/cat.jpg", "cat.jpg"),
        ("source: /home/ada/photos\nclasses: ~/x/y.csv", "source: photos\nclasses: y.csv"),
        ("run:/home/ada/runs/mine", "run:mine"),
        ("cub200/all:/data/birds/cub", "cub200/all:cub"),
        ("cub200:../data/cub", "cub200:cub"),
        ("read from '/home/ada/x.csv', later", "read from 'x.csv', later"),
        ("in /home/ada lovelace/my photos/cats/1.jpg", "in 1.jpg"),
        ("https://ada:secret@host/cats?token=1#x", "https://host/cats"),
    ],
)
def test_folders_and_secrets_go(text: str, expected: str) -> None:
    assert hide_folders(text, [HOME]) == expected


def test_other_texts_stay() -> None:
    for text in ("and/or", "3/4", "red / blue", "https://host/cats/1.jpg", "1/2", "</b>", "a.b.c", "~5 cm", "runs/mine", "", "a: b", "/"):
        assert hide_folders(text, [HOME]) == text
