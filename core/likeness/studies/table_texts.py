"""Tables as Markdown and LaTeX."""

import re

import pandas as pd

NONE = "–"
_LATEX = {
    "\\": r"\textbackslash{}",
    "{": r"\{",
    "}": r"\}",
    "&": r"\&",
    "%": r"\%",
    "$": r"\$",
    "#": r"\#",
    "_": r"\_",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "±": r"$\pm$",
    NONE: "--",
}


def as_markdown(table: pd.DataFrame) -> str:
    """The table in Markdown, without its index; a bar within a cell is escaped."""
    rows = [list(table.columns), ["---"] * len(table.columns), *table.astype(str).to_numpy().tolist()]
    return "\n".join("| " + " | ".join(str(cell).replace("|", r"\|") for cell in row) + " |" for row in rows)


def as_latex(table: pd.DataFrame) -> str:
    """The table as a LaTeX tabular, without its index; it needs the package booktabs.

    All characters that LaTeX reads as commands are escaped, ± and – need no input encoding, and a cell between double asterisks is set
    in bold.
    """
    return table.map(_latex).rename(columns=_latex).to_latex(index=False, escape=False)


def _latex(cell: object) -> str:
    text = str(cell)
    bold = re.fullmatch(r"\*\*(.+)\*\*", text)
    escaped = "".join(_LATEX.get(character, character) for character in (bold[1] if bold else text))
    return rf"\textbf{{{escaped}}}" if bold else escaped
