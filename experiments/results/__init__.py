"""Figures of experiments that take too long to repeat, a CSV file for each; and how they come into texts."""

from pathlib import Path

import pandas as pd

from likeness import studies

FOLDER = Path(__file__).parent


def read_results(name: str) -> pd.DataFrame:
    """The figures of an experiment, or else those of a study that ship, a row per run.

    Raises:
        InputError: there are none of this name.
    """
    return studies.read_results(name, FOLDER if (FOLDER / f"{name}.csv").is_file() else None)


def filled(text: str, name: str, content: str) -> str:
    """The text with what stands between the markers of this name replaced.

    Raises:
        ValueError: the text lacks the markers.
    """
    begin, end = f"<!-- {name} -->\n", f"\n<!-- end of {name} -->"
    if begin not in text or end not in text:
        raise ValueError(f"The markers of '{name}' are missing.")
    before, rest = text.split(begin, 1)
    return before + begin + content + end + rest.split(end, 1)[1]
