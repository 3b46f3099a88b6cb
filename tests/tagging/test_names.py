"""What names, values, notes and paths may be."""

import pytest

from likeness.errors import InputError
from likeness.tagging.names import LONGEST_NAME, LONGEST_NOTE, check_name, check_note, check_paths, check_value, check_who


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("", "attribute is empty"),
        (" \t ", "attribute is empty"),
        ("a\nb", "invisible characters"),
        ("a\0b", "invisible characters"),
        ("a\u202eb", "invisible characters"),
        ("a\udcffb", "invisible characters"),
        ("x" * (LONGEST_NAME + 1), "at most 80 characters"),
        ("tag:good", "begins with 'tag:'"),
        ("Path", "a column 'path' already"),
        ("note", "a column 'note' already"),
        ("COLOR", "a column 'Color' already; choose another name than 'COLOR'"),
        ("ﬁne", "a column 'fine' already"),
    ],
)
def test_a_name_that_may_not_be_is_answered(name: str, message: str) -> None:
    with pytest.raises(InputError, match=message):
        check_name(name, ["Color", "fine"])


def test_names_are_composed_and_without_blanks_around() -> None:
    assert check_name("  cafe\u0301 ") == "café"
    assert check_name("x" * LONGEST_NAME) == "x" * LONGEST_NAME
    assert check_name("می\u200cخواهم") == "می\u200cخواهم"
    assert check_name("👩\u200d👧") == "👩\u200d👧"


def test_values_notes_and_people_are_checked_alike() -> None:
    assert (check_value(" 007 "), check_note(" a\r\nb\tc\rd "), check_note(" \n "), check_who("ada ")) == ("007", "a\nb c\nd", "", "ada")
    for check, text, message in (
        (check_value, " ", "A value is empty"),
        (check_value, "(unlabeled)", "stands for images without a label"),
        (check_value, "x" * 201, "at most 200 characters"),
        (check_note, "x" * (LONGEST_NOTE + 1), "at most 2,000 characters"),
        (check_note, "a\x1b[2J", "invisible characters"),
        (check_who, "", "needs an author"),
        (check_who, "a\nb", "invisible characters"),
    ):
        with pytest.raises(InputError, match=message):
            check(text)


def test_paths_are_taken_once_and_must_be_paths() -> None:
    assert check_paths(["b", "a", "b"]) == ["b", "a"]
    assert check_paths("a b.jpg") == ["a b.jpg"]
    for wrong in ("", "a\0b", "x" * 5000, "caf\udce9.png"):
        with pytest.raises(InputError, match="is not an image path"):
            check_paths(["a", wrong])
