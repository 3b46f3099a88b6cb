"""Is a notion from one sentence as good as hand-written aspects?"""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple

import numpy as np
import pandas as pd
import typer

from experiments.analyses.run_table import run_table
from likeness.commands.inputs import embedded, notions_of, source_table
from likeness.commands.options import EncoderName, Format, Notions, Only, OutputFile, Source
from likeness.commands.terminal import measured, print_table
from likeness.defaults import DATASET
from likeness.errors import InputError
from likeness.io import parse_yaml, text_of
from likeness.progress import Progress
from likeness.sentences import notion_from_sentence
from likeness.studies import OnRun

if TYPE_CHECKING:
    from likeness.notions import Notion
    from likeness.space import Space


_METRIC = "map_at_r"
_OTHERS = 5  # sentences that the control takes at most


class _Case(NamedTuple):
    """A notion, its sentence, and the notion made from it."""

    notion: "Notion"
    sentence: str
    every: "Notion"
    pruned: "Notion"


def notion_sentences() -> dict[str, str]:
    """A sentence for each notion that images at hand have labels for, by the notion's name (`notion_sentences.yaml`)."""
    return _shipped("notion_sentences.yaml")


def vague_sentences() -> dict[str, str]:
    """Sentences that are close to what a person means but do not say it, by the notion's name (`vague_sentences.yaml`)."""
    return _shipped("vague_sentences.yaml")


def _shipped(name: str) -> dict[str, str]:
    return dict(parse_yaml(text_of(Path(__file__).parent / name), f"The file '{name}'"))


def sentence_notions(
    base: "Space",
    notions: "Sequence[Notion]",
    sentences: dict[str, str] | None = None,
    seeds: Sequence[int] = range(5),
    *,
    progress: Progress | None = None,
    on_run: OnRun | None = None,
) -> pd.DataFrame:
    """MAP@R of notions from sentences, compared with the raw encoder and hand-written aspects.

    Rows of a notion, all fitted by `exact` unless said: "raw", the encoder; "hand-written"; "sentence", its aspects without those that do not occur;
    "sentence, not pruned"; "hand-written, probabilities" and "sentence, probabilities" by that method. Controls: "sentence, pruned at random", as
    many of its aspects drawn by each seed, which takes away what occurs; "another sentence", the aspects of up to five other notions' sentences
    that the encoder reads, numbered in place of seeds, which takes away what the sentence says.

    Args:
        base: images with labels, in their encoder's space.
        notions: each with the label column that judges it.
        sentences: by the notion's name; None: `notion_sentences`.
        seeds: of the aspects drawn at random.

    Returns:
        Columns notion, sentence, aspects_of, aspects (how many), seed, left_out (how many images have no label, so that they take no part), map_at_r.

    Raises:
        InputError: a notion without a sentence or label, or a sentence that can't be read.
    """
    texts = notion_sentences() if sentences is None else sentences
    cases = [_case(base, notion, texts) for notion in notions]
    return run_table(cases, lambda case: _rows(base, case, _others(base, case, texts), seeds), progress, on_run)


def sentence_table(runs: pd.DataFrame) -> pd.DataFrame:
    """A row per notion: MAP@R of each kind of aspects, the mean where there are seeds, and `ratio`, that of the sentence to those by hand."""
    by = [name for name in ("images", "notion") if name in runs]
    table = runs.groupby([*by, "aspects_of"], sort=False)[_METRIC].mean().unstack("aspects_of")[list(dict.fromkeys(runs["aspects_of"]))]
    table["ratio"] = table["sentence"] / table["hand-written"]
    return table.rename_axis(columns=None).reset_index()


def _case(base: "Space", notion: "Notion", texts: dict[str, str]) -> _Case:
    if notion.name not in texts or notion.attribute not in base.table.attributes:
        raise InputError(f"The notion '{notion.name}' has no {'label in these images' if notion.name in texts else 'sentence'}; choose another.")
    sentence = texts[notion.name]
    return _Case(notion, sentence, *(notion_from_sentence(sentence, base, prune=prune).notion for prune in (False, True)))


def _others(base: "Space", case: _Case, texts: dict[str, str]) -> "list[Notion]":
    """Notions of other sentences, the next ones first; skips those that the encoder cannot read."""
    different = list(dict.fromkeys(text for text in texts.values() if text != case.sentence))
    begin = list(texts).index(case.notion.name) % len(different)
    found: list[Notion] = []
    for text in (*different[begin:], *different[:begin]):
        try:
            other = notion_from_sentence(text, base).notion
        except InputError:
            continue
        if set(other.aspects).isdisjoint(case.pruned.aspects):  # "car model name" says the same as "car model" in other words
            found.append(other)
        if len(found) == _OTHERS:
            break
    return found


def _rows(base: "Space", case: _Case, others: "Sequence[Notion]", seeds: Sequence[int]) -> Iterator[dict[str, Any]]:
    def row(name: str, space: "Space", count: int, seed: int = 0) -> dict[str, Any]:
        found = space.metrics(by=case.notion.attribute, include=[_METRIC])
        about = {"notion": case.notion.name, "sentence": case.sentence, "aspects_of": name, "aspects": count, "seed": seed}
        return about | {"left_out": int(found.get("left_out", 0)), _METRIC: round(found[_METRIC], 6)}

    yield row("raw", base, 0)
    for name, notion in (("hand-written", case.notion), ("sentence", case.pruned), ("sentence, not pruned", case.every)):
        yield row(name, base.refit(notion), len(notion.aspects))
    for name, notion in (("hand-written, probabilities", case.notion), ("sentence, probabilities", case.pruned)):
        yield row(name, base.refit(notion, "probabilities"), len(notion.aspects))
    if len(case.pruned.aspects) < len(case.every.aspects):
        for seed in seeds:
            drawn = np.random.default_rng(seed).permutation(len(case.every.aspects))[: len(case.pruned.aspects)]
            fewer = replace(case.every, aspects=tuple(case.every.aspects[place] for place in np.sort(drawn)))
            yield row("sentence, pruned at random", base.refit(fewer), len(fewer.aspects), seed)
    for seed, other in enumerate(others):
        yield row("another sentence", base.refit(other), len(other.aspects), seed)


def main(
    source: Source = DATASET,
    notions: Notions = "all",
    encoder: EncoderName = None,
    only: Only = None,
    seeds: Annotated[int, typer.Option(min=1, help="Random samples of aspects, for the control.")] = 5,
    out: OutputFile = None,
    format: Format = "table",
) -> None:
    """Is a notion from one sentence as good as hand-written aspects? MAP@R by the images' labels.

    Baseline: the raw encoder. Controls: as many random aspects of the sentence, and other notions' sentences. The sentences were written in advance
    from the names of the notions (`notion_sentences.yaml`).

    Examples: `python -m experiments.analyses sentences cars --encoder cars-small`,
    `python -m experiments.analyses sentences cars --notions car-color --out runs.csv`
    """

    base = embedded(source_table(source, only), encoder)
    chosen = notions_of(base.table, notions)
    runs = measured("Sentences", out, lambda **watch: sentence_notions(base, chosen, seeds=range(seeds), **watch))
    found = sentence_table(runs)
    print_table(found.round(3), format)
    typer.echo(f"Median of the ratios: {found['ratio'].median():.3f}")
