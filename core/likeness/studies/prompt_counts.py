"""Effect of the number of prompts (InDiReCT, section 6 and Figure 5)."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np
import pandas as pd

from likeness.errors import InputError
from likeness.notions import PAPER_METHODS, Notion, named_methods, text_rank
from likeness.progress import Progress, progress_of_part
from likeness.space import Space
from likeness.studies.comparison import ANALYSIS_METRICS, Methods, OnRun, compare, joined, labeled, no_runs

COUNTS = tuple(range(10, 151, 10))


class _Part(NamedTuple):
    """Runs that share a sample of prompts; `prompts` is 0 for methods without prompts."""

    prompts: int
    notion: Notion
    methods: Methods
    seeds: list[int]
    runs: int


def prompt_counts(
    base: Space,
    notion: Notion,
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
    """The metrics of a notion fitted on samples of its prompts, for several sample sizes.

    The seed determines the sample and the method's random choices. Samples of a seed are nested, of which the paper says nothing; seeds are
    independent. With several templates, aspects are sampled with all of their prompts. Other arguments and errors are those of `compare`.

    Args:
        notion: the paper's has 569 car model names ("car-model-names" on the shipped images, "cars196-car-model" on Cars196).
        counts: numbers of prompts (with several templates, aspects), from 2 to all of the notion.
        methods: default: all of the paper, whose figure shows InDiReCT ("adam"). Methods without prompts are measured once per seed, at 0 prompts.
        dim: dimensions of the space, by default the paper's; "suggested": the notion's own, or those of `suggest_dim` for each sample.

    Returns:
        The runs of `compare` with the first columns `prompts` and `rank`, the number of directions that the sample spans
        (`likeness.notions.text_rank`); both are 0 for methods without prompts. A rank below the number of prompts is that of the text encoder, and
        with as many dimensions InDiReCT's minimum keeps all information of any prompts.

    InputError: more prompts than the notion has, no count, one that is not a whole number of at least 2, or a repeated one.
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


def prompt_sample(notion: Notion, count: int, seed: int) -> Notion:
    """The notion with `count` of its aspects: the first in an order shuffled by the seed."""
    order = np.random.default_rng(seed).permutation(len(notion.aspects))[:count]
    return replace(notion, aspects=tuple(notion.aspects[row] for row in order))


def check_counts(counts: Sequence[int], notion: Notion) -> None:
    """InputError, as `prompt_counts`: numbers of prompts that cannot be sampled from a notion."""
    if not len(counts):
        raise InputError("There is no number of prompts to measure; pass at least one, such as 10.")
    for count in counts:
        if not isinstance(count, int | np.integer) or count < 2:
            raise InputError(f"{count} prompts cannot be sampled; choose whole numbers of at least 2.")
        if count > len(notion.aspects):
            raise InputError(
                f"The notion '{notion.name}' has {len(notion.aspects)} prompts, so {count} cannot be sampled; choose smaller numbers or a "
                "notion with more aspects."
            )
        if list(counts).count(count) > 1:
            raise InputError(f"{count} prompts are listed twice; list each number once.")


def _parts(notion: Notion, counts: Sequence[int], methods: Methods, seeds: Sequence[int]) -> Iterator[_Part]:
    known = list(zip(methods, named_methods(methods), strict=True))
    promptless = [(given, method) for given, method in known if method.learns_from != "text"]
    reading = [given for given, method in known if method.learns_from == "text"]
    if promptless:
        runs = sum(len(seeds) if method.seeds else 1 for _, method in promptless)
        yield _Part(0, notion, [given for given, _ in promptless], list(seeds), runs)
    if reading:
        yield from (_Part(int(count), prompt_sample(notion, count, seed), reading, [seed], len(reading)) for count in counts for seed in seeds)
