"""Numbers as text, and tables as Markdown and LaTeX."""

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


def with_spread(mean: float, spread: float = float("nan"), places: int | None = None, empty: str = "") -> str:
    """Text such as "0.441 ± 0.012", "17.3 ± 0.4" or "431 ± 6"; only the mean if the deviation is NaN, and `empty` if the mean is."""
    if mean != mean:
        return empty
    places = decimals(mean) if places is None else places
    return f"{mean:.{places}f}" if spread != spread else f"{mean:.{places}f} ± {spread:.{places}f}"


def mean_text(values: "pd.Series[float]") -> str:
    """Mean and standard deviation (ddof 1) of several runs, as in `with_spread`."""
    return with_spread(float(values.mean()), float(values.std(ddof=1)))


def decimals(value: float) -> int:
    """Number of decimals for a value: three for scores from 0 to 1, fewer for degrees and pixels."""
    return 0 if abs(value) >= 100 else 1 if abs(value) >= 10 else 3


def as_markdown(table: pd.DataFrame) -> str:
    """The table in Markdown, without index; escapes bars in cells."""
    rows = [list(table.columns), ["---"] * len(table.columns), *table.astype(str).to_numpy().tolist()]
    return "\n".join("| " + " | ".join(str(cell).replace("|", r"\|") for cell in row) + " |" for row in rows)


def as_latex(table: pd.DataFrame) -> str:
    """The table as a LaTeX tabular for the package booktabs, without index.

    Special characters are escaped, ± and – need no input encoding, and a cell between double asterisks is bold.
    """
    return table.map(_latex).rename(columns=_latex).to_latex(index=False, escape=False)


def _latex(cell: object) -> str:
    text = str(cell)
    bold = re.fullmatch(r"\*\*(.+)\*\*", text)
    escaped = "".join(_LATEX.get(character, character) for character in (bold[1] if bold else text))
    return rf"\textbf{{{escaped}}}" if bold else escaped
