"""Do directions without a name show a notion that was left out? One notion at a time is left out."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated

import numpy as np
import pandas as pd
import typer
from numpy.typing import NDArray

from likeness.commands.inputs import embedded, notions_of
from likeness.commands.options import EncoderName, Format, Notions, OutputFile, Source
from likeness.commands.terminal import print_table, write_csv
from likeness.data import has_label
from likeness.defaults import DATASET
from likeness.found_notions import unnamed_directions
from likeness.studies import no_runs

if TYPE_CHECKING:
    from likeness.notions import Notion
    from likeness.space import Space


UNNAMED, PRINCIPAL, RANDOM = "unnamed", "principal", "random"


def unnamed_table(base: "Space", notions: Sequence["Notion"], count: int = 3, seeds: Sequence[int] = range(5)) -> pd.DataFrame:
    """How well the label of a left-out notion explains positions along a direction.

    For each notion all others are named, without those of the same label. `explained` is eta squared: the variance between the labels over all
    variance, 1 where the label alone decides. The first three of `unnamed_directions` stand beside the images' first principal components, for
    which no notion is named, and random directions, five drawings.

    Args:
        base: the images in their encoder's space; their table has each notion's `attribute`.
        notions: as in `compare`.
        count: directions of each kind.
        seeds: of the random directions.

    Returns:
        A row per notion, kind, seed and direction: notion, row, seed, direction (from 1), explained.

    Raises:
        InputError: as `compare`.
    """
    no_runs(base.table, notions, ["raw"], ("suggested",), seeds)
    principal = [each.vector for each in unnamed_directions(base, [], count)]
    rows = []
    for notion in notions:
        labels = base.table.frame[notion.attribute]
        labeled = has_label(labels)
        others = [each for each in notions if each.attribute != notion.attribute]
        kinds = [(UNNAMED, 0, [each.vector for each in unnamed_directions(base, others, count)]), (PRINCIPAL, 0, principal)]
        width = base.vectors.shape[1]
        kinds += [(RANDOM, seed, list(np.random.default_rng(seed).normal(size=(count, width)))) for seed in seeds]
        for kind, seed, vectors in kinds:
            for number, vector in enumerate(vectors, start=1):
                found = explained(base.vectors[labeled] @ vector, labels[labeled].to_numpy())
                rows.append({"notion": notion.name, "row": kind, "seed": seed, "direction": number, "explained": found})
    return pd.DataFrame(rows)


def unnamed_summary(runs: pd.DataFrame) -> pd.DataFrame:
    """For the left-out notion, how well its label explains the first direction of each kind, averaged over seeds.

    Args:
        runs: of `unnamed_table`, with a column images.
    """
    first = runs[runs["direction"] == 1]
    means = first.groupby(["images", "notion", "row"], sort=False)["explained"].mean().unstack("row")
    titles = {UNNAMED: "first unnamed direction", PRINCIPAL: "first principal component", RANDOM: "random direction"}
    return means.rename(columns=titles)[list(titles.values())].rename_axis(columns=None).reset_index().rename(columns={"notion": "left out"})


def explained(values: NDArray[np.floating], labels: NDArray[np.generic]) -> float:
    """Eta squared: the share of the variance of values (n,) that lies between labels (n,); 0 where all values are the same."""
    frame = pd.DataFrame({"value": np.asarray(values, np.float64), "label": labels})
    whole = float(frame["value"].var(ddof=0))
    between = float(((frame.groupby("label")["value"].transform("mean") - frame["value"].mean()) ** 2).mean())
    return between / whole if whole else 0.0


def main(
    source: Source = DATASET,
    notions: Notions = "all",
    seeds: Annotated[int, typer.Option(min=1, help="Random samples of directions.")] = 5,
    encoder: EncoderName = None,
    out: OutputFile = None,
    format: Format = "table",
) -> None:
    """Do directions without a name show a notion that was left out? Each notion is left out in turn and evaluated by its label.

    Prints the share of the variance along a direction that the label explains, compared with principal components and random directions.

    Examples: `python -m experiments.analyses unnamed`, `python -m experiments.analyses unnamed --encoder cars-small --out unnamed.csv`
    """
    from likeness.data import read_dataset

    base = embedded(read_dataset(source), encoder)
    runs = unnamed_table(base, notions_of(base.table, notions), seeds=range(seeds))
    write_csv(out if len(runs) else None, runs)
    means = runs.groupby(["notion", "row", "direction"], sort=False)["explained"].mean().round(3)
    print_table(means.unstack("direction").reset_index().rename_axis(columns=None), format)
