"""Evaluates joined notions by both labels at once, and notions with others removed by the remaining label."""

from collections.abc import Iterator, Sequence
from itertools import combinations, product
from typing import TYPE_CHECKING, Annotated, Any

import numpy as np
import pandas as pd
import typer

from experiments.analyses.run_table import run_table
from likeness.commands.inputs import embedded, notions_of, source_table
from likeness.commands.options import EncoderName, Format, Notions, Only, OutputFile, Source
from likeness.commands.terminal import measured, print_table
from likeness.defaults import DATASET
from likeness.errors import InputError
from likeness.notions import Composition, Notion, RandomTransform, named_methods, varying_directions
from likeness.progress import Progress
from likeness.studies import OnRun

if TYPE_CHECKING:
    from likeness.space import Space


JOINED, TAKEN = "joined", "taken away"
_METRIC = "map_at_r"
_MOST_PROMPTS = 1000


def algebra_table(
    base: "Space",
    notions: Sequence[Notion],
    method: str = "exact",
    seeds: Sequence[int] = range(5),
    *,
    progress: Progress | None = None,
    on_run: OnRun | None = None,
) -> pd.DataFrame:
    """MAP@R of joined pairs of notions by both labels, and of the encoder's space without other notions by each notion's label.

    Rows of a pair ("joined"), the protocol of retrieval under two conditions (CLAY, arXiv 2604.11539: what has both labels is relevant):
    "raw encoder"; "the better of the two", one notion alone; "all pairs of prompts", one notion with combined prompts; "prompts of both", one notion
    with the prompts of either, and the same by CLAY; "joined". Controls, random for each seed: "with another", the first notion joined with an
    unrelated one, and "random projection", to as many dimensions as "prompts of both". Rows of a notion ("taken away"): "raw encoder"; "all others
    away"; and as controls "as many at random away", random for each seed, and "itself away".

    Args:
        base: images with labels, in their encoder's space.
        notions: each with the label column that judges it; of several with one label that of the fewest prompts counts.
        method: linear, of `likeness.notions`.
        seeds: of what is drawn.

    Returns:
        Columns part, notion, row, seed, map_at_r.

    Raises:
        InputError: fewer than three labels, or a notion without one here.
    """
    missing = next((each.name for each in notions if each.attribute not in base.table.attributes), None)
    if missing is not None:
        raise InputError(f"The notion '{missing}' has no label in these images; choose others.")
    fewest = {each.attribute: each.name for each in sorted(notions, key=lambda each: -len(each.prompts))}
    chosen = [each for each in notions if fewest[each.attribute] == each.name]
    if len(chosen) < 3:
        raise InputError(f"The notions have {len(chosen)} different labels; at least three are needed: two to join and one as a control.")
    tasks = [*combinations(chosen, 2), *((each,) for each in chosen)]
    return run_table(
        tasks,
        lambda task: _pair(base, task[0], task[1], chosen, method, seeds) if len(task) == 2 else _without(base, task[0], chosen, seeds),
        progress,
        on_run,
    )


def algebra_summary(runs: pd.DataFrame) -> pd.DataFrame:
    """A row per part, images and method: the mean over pairs or notions, and how many of them beat the raw encoder.

    Args:
        runs: of `algebra_table`, perhaps with a column images.
    """
    keys = ["part", *(["images"] if "images" in runs else [])]
    cases = runs.groupby([*keys, "notion", "row"], sort=False)[_METRIC].mean().reset_index()
    raw = cases.loc[cases["row"] == "raw encoder", [*keys, "notion", _METRIC]].rename(columns={_METRIC: "raw"})
    cases = cases.merge(raw, on=[*keys, "notion"])
    grouped = cases.assign(better=cases[_METRIC] > cases["raw"]).groupby([*keys, "row"], sort=False)
    found = pd.DataFrame({_METRIC: grouped[_METRIC].mean(), "better than raw": grouped["better"].sum(), "of": grouped["better"].size()})
    return found.reset_index()


def _row(part: str, notion: str, row: str, value: float, seed: int = 0) -> dict[str, Any]:
    return {"part": part, "notion": notion, "row": row, "seed": seed, _METRIC: round(value, 6)}


def _pair(base: "Space", first: Notion, second: Notion, chosen: Sequence[Notion], method: str, seeds: Sequence[int]) -> Iterator[dict[str, Any]]:
    labels, name = [str(first.attribute), str(second.attribute)], f"{first.name} + {second.name}"

    def judged(space: "Space") -> float:
        return space.metrics(by=labels, include=[_METRIC])[_METRIC]

    yield _row(JOINED, name, "raw encoder", judged(base))
    yield _row(JOINED, name, "the better of the two", max(judged(base.refit(each, method)) for each in (first, second)))
    prompts = tuple(f"{one}, {other}" for one, other in product(first.prompts, second.prompts))
    if len(prompts) <= _MOST_PROMPTS:
        yield _row(JOINED, name, "all pairs of prompts", judged(base.refit(Notion("both", "{}", prompts), method)))
    either = Notion("either", "{}", (*first.prompts, *second.prompts))
    space = base.refit(either, method)
    yield _row(JOINED, name, "prompts of both", judged(space))
    yield _row(JOINED, name, "prompts of both, CLAY", judged(base.refit(either, "clay")))
    yield _row(JOINED, name, JOINED, judged(base.refit(first + second, method)))
    others = [each for each in chosen if each not in (first, second)]
    for seed in seeds:
        other = others[int(np.random.default_rng(seed).integers(len(others)))]
        yield _row(JOINED, name, "with another", judged(base.refit(first + other, method)), seed)
        yield _row(JOINED, name, "random projection", judged(base.refit(either, RandomTransform(space.vectors.shape[1], seed))), seed)


def _without(base: "Space", notion: Notion, chosen: Sequence[Notion], seeds: Sequence[int]) -> Iterator[dict[str, Any]]:
    def judged(space: "Space") -> float:
        return space.metrics(by=notion.attribute, include=[_METRIC])[_METRIC]

    others = [each for each in chosen if each is not notion]
    yield _row(TAKEN, notion.name, "raw encoder", judged(base))
    yield _row(TAKEN, notion.name, "all others away", judged(base.refit(Composition(tuple((-1.0, each) for each in others)))))
    width = base.vectors.shape[1]
    count = sum(varying_directions([base.embed_aspects(each)[0]], width).shape[1] for each in others)
    for seed in seeds:
        rows = np.random.default_rng(seed).normal(size=(count, width))
        kept = np.eye(width) - (along := np.linalg.qr(rows.T)[0]) @ along.T
        yield _row(TAKEN, notion.name, "as many at random away", judged(base.replace(vectors=np.asarray(base.vectors @ kept, np.float32))), seed)
    yield _row(TAKEN, notion.name, "itself away", judged(base.refit(-1 * notion)))


def main(
    source: Source = DATASET,
    notions: Notions = "all",
    method: Annotated[str, typer.Option(help="Linear method whose spaces are joined, one of {methods}.")] = "exact",
    seeds: Annotated[int, typer.Option(min=1, help="Random repetitions of the controls.")] = 5,
    encoder: EncoderName = None,
    only: Only = None,
    out: OutputFile = None,
    format: Format = "table",
) -> None:
    """Are joined notions better than one of them, and is a space better without the other notions? Measured by labels.

    Every pair of notions is evaluated by both labels at once, every notion by its own label after all others are removed. Controls: another notion
    instead of the second, a random projection, as many random directions, and removing the notion itself.

    Examples: `python -m experiments.analyses algebra`, `python -m experiments.analyses algebra --encoder cars-small --out algebra.csv`
    """
    named_methods([method])  # refuses what is none
    base = embedded(source_table(source, only), encoder)
    chosen = notions_of(base.table, notions)
    runs = measured("Algebra", out, lambda **watch: algebra_table(base, chosen, method, range(seeds), **watch))
    print_table(algebra_summary(runs).round(3), format)
