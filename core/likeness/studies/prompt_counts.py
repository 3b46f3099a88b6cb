"""How many prompts does a notion need (InDiReCT, section 6 and Figure 5)?"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import pandas as pd

from likeness.errors import InputError
from likeness.notions import PAPER_METHODS, named_methods, text_rank
from likeness.progress import Progress, progress_of_part
from likeness.studies.comparison import ANALYSIS_METRICS, Methods, OnRun, compare, joined, labeled, no_runs

if TYPE_CHECKING:
    from likeness.notions import Notion
    from likeness.space import Space

COUNTS = tuple(range(10, 151, 10))


class _Part(NamedTuple):
    """Runs that share a sample of prompts; `prompts` is 0 for methods that read none."""

    prompts: int
    notion: "Notion"
    methods: Methods
    seeds: list[int]
    runs: int


def prompt_counts(
    base: "Space",
    notion: "Notion",
    counts: Sequence[int] = COUNTS,
    methods: Methods = PAPER_METHODS,
    dim: int | str = 128,
    seeds: Sequence[int] = range(5),
    *,
    metrics: Sequence[str] = ANALYSIS_METRICS,
    progress: Progress | None = None,
    should_stop: Callable[[], bool] | None = None,
    on_run: OnRun | None = None,
) -> pd.DataFrame:
    """The metrics of a notion fitted on samples of its prompts, for several sizes of the sample.

    A seed fixes both the sample and the method's random choices. Within a seed the samples are nested (the 20 prompts of a seed are its
    10 and ten more), so that a curve shows what further prompts add; between seeds they are drawn independently. The paper draws a new
    sample for each run and leaves open whether they are nested. All prompts are embedded once. Of several templates, aspects are sampled, each
    with all of its prompts: it is one row of the fit. Other arguments and errors are those of `compare`.

    Args:
        notion: the paper's has 569 car model names ("car-model-names" on the shipped images, "cars196-car-model" on Cars196).
        counts: how many prompts (with several templates, aspects), from 2 to as many as the notion has.
        methods: by default all of the paper, whose figure shows InDiReCT ("adam"); those that read no prompt are measured once per seed and stand at
            0 prompts.
        dim: dimensions of the space, by default the paper's; "suggested": the notion's own `dim`, or where it has none, what
            `likeness.notions.suggest_dim` says of each sample.

    Returns:
        The runs of `compare` with the first columns `prompts` and `rank`, how many directions the sample spans (`likeness.notions.text_rank`); 0 and
        0 where no prompt is read. Where the rank stays behind the number of prompts, it is that of the encoder's text side, and to as many
        dimensions InDiReCT's minimum keeps all that any prompts say.

    InputError: more prompts than the notion has, no count, one that is no whole number from 2, or one twice.
    """
    check_counts(counts, notion)
    empty = no_runs(base.table, [notion], methods, (dim,), seeds, metrics=metrics)
    empty.insert(0, "rank", [])
    parts = list(_parts(notion, counts, methods, seeds))
    if any(part.prompts for part in parts):
        base.embed_prompts(notion.prompts)
    done, total = 0, sum(part.runs for part in parts)
    frames: list[tuple[int, pd.DataFrame]] = []
    for part in parts:
        if should_stop and should_stop():
            break
        rank = text_rank(base.embed_aspects(part.notion)[0]) if part.prompts else 0
        runs = compare(
            base,
            [part.notion],
            part.methods,
            (dim,),
            part.seeds,
            metrics=metrics,
            progress=progress_of_part(progress, done, total),
            should_stop=should_stop,
            on_run=labeled(on_run, prompts=part.prompts, rank=rank),
        )
        runs.insert(0, "rank", rank)
        frames.append((part.prompts, runs))
        done += part.runs
    return joined(frames, "prompts", empty)


def prompt_sample(notion: "Notion", count: int, seed: int) -> "Notion":
    """The notion with `count` of its aspects: the first of an order that the seed shuffles."""
    order = np.random.default_rng(seed).permutation(len(notion.aspects))[:count]
    return replace(notion, aspects=tuple(notion.aspects[row] for row in order))


def check_counts(counts: Sequence[int], notion: "Notion") -> None:
    """Raises InputError as `prompt_counts` for numbers of prompts that can't be sampled of a notion."""
    if not len(counts):
        raise InputError("There is no number of prompts to measure; give at least one, such as 10.")
    for count in counts:
        if not isinstance(count, int | np.integer) or count < 2:
            raise InputError(f"{count} prompts can't be sampled; give whole numbers from 2.")
        if count > len(notion.aspects):
            raise InputError(
                f"The notion '{notion.name}' has {len(notion.aspects)} prompts, so {count} can't be sampled; "
                "give smaller numbers or a notion with more aspects."
            )
        if list(counts).count(count) > 1:
            raise InputError(f"{count} prompts stand twice; give each number once.")


def _parts(notion: "Notion", counts: Sequence[int], methods: Methods, seeds: Sequence[int]) -> Iterator[_Part]:
    known = list(zip(methods, named_methods(methods), strict=True))
    promptless = [(given, method) for given, method in known if method.learns_from != "text"]
    reading = [given for given, method in known if method.learns_from == "text"]
    if promptless:
        runs = sum(len(seeds) if method.seeds else 1 for _, method in promptless)
        yield _Part(0, notion, [given for given, _ in promptless], list(seeds), runs)
    if reading:
        yield from (_Part(int(count), prompt_sample(notion, count, seed), reading, [seed], len(reading)) for count in counts for seed in seeds)
