"""One analysis of several sets of images, whose figures come into one file of experiments/results."""

import argparse
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path

import pandas as pd

from experiments.figures.photo_notions import experiment
from experiments.results import FOLDER
from likeness.commands.terminal import write_csv
from likeness.io import read_figures

Cases = Sequence[tuple[str, Sequence[str]]]  # names of sets, and arguments of the analysis


def measure_sets(
    analysis: str,
    file: str,
    cases: Callable[..., Cases],
    doc: str | None,
    folders: Sequence[str] = ("data",),
    summary: Callable[[pd.DataFrame], pd.DataFrame] = lambda runs: runs,
) -> None:
    """The main of a script with the help `doc` and arguments `folders`, from which `cases` makes the sets: runs the analysis on each set and writes
    the summaries of all after each, with the set's name in the column `images` and no row twice. With --only one set is measured; the figures of the
    others stay.
    """
    parser = argparse.ArgumentParser(description=doc, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name in folders:
        parser.add_argument(name, type=Path)
    parser.add_argument("--only", help="measure one of the sets; the figures of the others stay")
    given, out = parser.parse_args(), FOLDER / f"{file}.csv"
    named = cases(*(getattr(given, name) for name in folders))
    if given.only and given.only not in dict(named):
        parser.error(f"there is no set '{given.only}'; choose from {', '.join(dict(named))}")
    found = [read_figures(out).query("images != @given.only")] if given.only and out.is_file() else []
    with tempfile.TemporaryDirectory() as folder:
        for name, words in named:
            if given.only in (None, name):
                runs = Path(folder) / "runs.csv"
                experiment("analyses", analysis, *words, "--out", str(runs), "--force")
                found.append(summary(read_figures(runs)).assign(images=name))
                every = pd.concat(found, ignore_index=True).drop_duplicates()
                write_csv(out, every[["images", *every.columns.drop("images")]])
