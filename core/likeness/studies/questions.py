"""Notions and dimensions of a study."""

from pathlib import Path

from likeness.data import ImageTable, recognized
from likeness.defaults import PAPER_NOTIONS
from likeness.errors import InputError
from likeness.notions import Notion, list_notions
from likeness.studies.comparison import SUGGESTED


def judged_notions(table: ImageTable, every: bool = False, folder: Path | None = None) -> list[Notion]:
    """The notions that a table has labels for: the paper's three for Synthetic Cars if it has those, else, or with `every`, all. Compositions are
    excluded (see `compare`). `folder` holds the user's own notions; by default one of the cache. InputError: no label column of any notion.
    """
    attributes = table.attributes
    labeled = [notion for notion in list_notions(folder) if notion.attribute in attributes and not notion.joined]
    if not labeled:
        named = recognized(table.root)
        remedy = f"; write '{named}' to read it with its labels" if named else ""
        raise InputError(f"'{table.name}' has no label column of any notion; it has {attributes or 'none'}{remedy}.")
    paper = [notion for notion in labeled if notion.slug in PAPER_NOTIONS]
    return labeled if every else paper or labeled


def parse_dimensions(text: str) -> list[int | str]:
    """`128,suggested` -> [128, "suggested"]; raises InputError for anything else."""
    return [SUGGESTED if part.strip() == SUGGESTED else parse_whole_number(part) for part in text.split(",")]


def parse_whole_number(text: str) -> int:
    """`128` -> 128; raises InputError for anything else."""
    try:
        return int(text)
    except ValueError:
        raise InputError(f"'{text}' is not a whole number; enter numbers such as 2,16,128.") from None
