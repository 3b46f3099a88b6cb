"""How much clicks improve a notion: labels simulate the person who clicks, and other images evaluate it."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import chain
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple

import numpy as np
import pandas as pd
import typer
from numpy.typing import NDArray

from experiments.analyses.run_table import run_table
from experiments.analyses.sentences import notion_sentences, vague_sentences
from likeness.clicked_notion import Candidate, candidates, clicked_notion
from likeness.commands.inputs import embedded, notions_of, source_table
from likeness.commands.options import EncoderName, Format, Notions, Only, OutputFile, Source
from likeness.commands.terminal import measured, print_table
from likeness.data import has_label
from likeness.defaults import DATASET
from likeness.errors import InputError
from likeness.notion_trust import notion_trust
from likeness.notions import MOST_PASSED, Click, Oracle
from likeness.progress import Progress
from likeness.sentences import notion_from_sentence, word_list_notions
from likeness.studies import OnRun

if TYPE_CHECKING:
    from likeness.notions import Notion
    from likeness.space import Space


_NEIGHBORS = 24  # of a query, as many as the app shows
_LEAST_GAP = 0.02  # MAP@R that the Oracle is ahead, below which there is nothing to close
_DIM = 128  # of the Oracle, as in the paper
TUNED = ("cars-small",)  # the cars by the smaller encoder, on which the constants of `likeness.clicked_notion` were settled at last


def clicked_notions(
    base: "Space",
    notions: "Sequence[Notion]",
    counts: Sequence[int] = (0, 5, 10, 20),
    seeds: Sequence[int] = range(5),
    *,
    methods: Sequence[str] = ("exact", "probabilities"),
    oracle: bool = True,
    progress: Progress | None = None,
    on_run: OnRun | None = None,
) -> pd.DataFrame:
    """MAP@R after each number of simulated clicks, on images that were not clicked.

    The images that have a notion's label are split into random halves. In one half, a random image is the query and its 24 nearest in the current
    space are checked: alternately, the first with another label is "not like this", which accepts those before it, and the last with the same label
    is "more like this", whichever exists. The notion adapts after every click (`likeness.clicked_notion`); it may become one from a shipped list, but
    none that was written for these labels. MAP@R is measured within the other half.

    Args:
        base: images with labels, in their encoder's space.
        notions: each with the label column that judges it, of which there are sentences; of several with one label the first counts.
        counts: of clicks.
        seeds: of the halves and the queries.
        methods: of `likeness.notions`, whose space is shown, clicked on and judged.
        oracle: fit the paper's Oracle on the judging half and its labels.

    Returns:
        A row per notion, seed, method, start, answers and count; columns notion, sentence, start, method, answers, clicks, seed, map_at_r, name (of
        the notion that came out), aspects (how many it has). `start` is the sentence that the notion begins with: "precise" or "vague"
        (`vague_sentences`). Answers are "labels", and as controls "coin" and "another label" (of another notion). With start "" there are "raw" and
        "oracle", by answers.

    Raises:
        InputError: no notion with a label and sentences here, or counts below 0.
    """
    if not counts or min(counts) < 0:
        raise InputError(f"The numbers of clicks are {list(counts)}; pass numbers of at least 0.")
    sentences = {"precise": notion_sentences(), "vague": vague_sentences()}
    judged = {each.attribute: each for each in reversed(notions) if each.attribute in base.table.attributes and each.name in sentences["precise"]}
    if not judged:
        raise InputError("No notion has both a label of these images and a sentence; choose a notion whose attribute these images have.")
    others = candidates(base, word_list_notions(base))
    trusted = {tuple(each.notion.aspects): notion_trust(base, each.notion).reads for each in others}

    def rows_of(notion: "Notion") -> Iterator[dict[str, Any]]:
        control = [name for name in judged if name != notion.attribute]
        said = {start: (texts[notion.name], notion_from_sentence(texts[notion.name], base).notion) for start, texts in sentences.items()}
        for seed in seeds:
            halves = _Halves.of(base, str(notion.attribute), control[seed % len(control)] if control else None, seed)
            persons = [_Person(halves, others, trusted, method) for method in methods]
            found = chain(_bounds(halves, seed, oracle), _clicked(persons, said, sorted(set(counts)), seed))
            yield from ({"notion": notion.name, **row, "seed": seed} for row in found)

    return run_table([*reversed(judged.values())], rows_of, progress, on_run)


def clicks_table(runs: pd.DataFrame) -> pd.DataFrame:
    """A row per images, notion, start and method: MAP@R as mean over seeds after each number of clicks, of controls after the most, and `gap closed`.

    `gap closed` is how much of the gap between no click and the Oracle the most clicks close; missing if the Oracle is less than 0.02 ahead.
    """
    keys = [name for name in ("images", "notion") if name in runs]
    bounds = runs[runs["start"].fillna("") == ""].groupby([*keys, "answers"], sort=False)["map_at_r"].mean().unstack("answers")
    clicked = runs[runs["start"].fillna("") != ""]
    most, by = int(clicked["clicks"].max()), [*keys, "sentence", "start", "method"]
    told = clicked[clicked["answers"] == "labels"].pivot_table("map_at_r", by, "clicks", sort=False)
    table = told.rename(columns=lambda count: f"{count} clicks")
    controls = clicked[(clicked["answers"] != "labels") & (clicked["clicks"] == most)].pivot_table("map_at_r", by, "answers", sort=False)
    table = table.join(controls.rename(columns=lambda name: f"{most}, {name}")).reset_index().merge(bounds.reset_index(), on=keys)
    if "oracle" in table and "0 clicks" in table:
        gap = table["oracle"] - table["0 clicks"]
        table["gap closed"] = ((table[f"{most} clicks"] - table["0 clicks"]) / gap).where(gap >= _LEAST_GAP)
    return table


def clicks_medians(runs: pd.DataFrame, without: Sequence[str] = ()) -> pd.DataFrame:
    """A row per start and method: the median over images and notions of each column of `clicks_table`; `with a gap` counts those where the Oracle is
    ahead. `without` names images to leave out, such as those on which clicks were tuned.
    """
    kept = runs[~runs["images"].isin(without)] if len(without) else runs
    grouped = clicks_table(kept).groupby(["start", "method"], sort=False)
    return grouped.median(numeric_only=True).assign(**{"with a gap": grouped["gap closed"].count()}).reset_index()


class _Halves(NamedTuple):
    """The half to click on, with answers by its labels and by another label, and the half for evaluation, with its labels."""

    shown: "Space"
    said: NDArray[Any]
    other: NDArray[Any] | None
    vectors: NDArray[np.float32]
    truth: NDArray[Any]

    @classmethod
    def of(cls, base: "Space", attribute: str, other: str | None, seed: int) -> "_Halves":
        frame = base.table.frame
        rows = np.random.default_rng(seed).permutation(np.flatnonzero(has_label(frame[attribute])))
        shown, judging = np.sort(rows[: len(rows) // 2]), np.sort(rows[len(rows) // 2 :])
        half = base.replace(vectors=base.vectors[shown], images=replace(base.table, frame=frame.iloc[shown]), index=None)
        told = frame[attribute].astype(str).to_numpy()
        others = None if other is None else frame[other].astype(str).where(has_label(frame[other]), None).to_numpy(object)[shown]
        return cls(half, told[shown], others, base.vectors[judging], told[judging])

    def map_at_r(self, rows: Any) -> float:
        from likeness.evaluation import retrieval_metrics

        return round(float(retrieval_metrics(rows, self.truth)["map_at_r"]), 6)


class _Person(NamedTuple):
    """A simulated person who has a label in mind and clicks in a method's space."""

    halves: _Halves
    others: Sequence[Candidate]
    trusted: dict[tuple[str, ...], bool]
    method: str

    def runs(self, said: "Notion", counts: Sequence[int], seed: int) -> Iterator[dict[str, Any]]:
        answers = {"labels": self.halves.said, "coin": self.halves.said}
        if self.halves.other is not None:
            answers["another label"] = self.halves.other
        for name, labels in answers.items():
            rng, now = np.random.default_rng([seed, 1]), said
            clicks: list[Click] = []
            for count in counts if name == "labels" else counts[-1:]:
                while len(clicks) < count:
                    clicks.append(self.click(now, labels, name == "coin", len(clicks) % 2 == 0, rng))
                    now = clicked_notion(self.halves.shown, now, clicks, self.others, lambda each: self.trusted[tuple(each.aspects)])
                found = self.halves.map_at_r(self.halves.shown.refit(now, self.method).estimator.transform(self.halves.vectors))
                yield {"method": self.method, "answers": name, "clicks": count, "map_at_r": found, "name": now.name, "aspects": len(now.aspects)}

    def click(self, now: "Notion", labels: NDArray[Any], coin: bool, wrong_first: bool, rng: np.random.Generator) -> Click:
        space, paths = self.halves.shown.refit(now, self.method), self.halves.shown.table.frame["path"]
        known = has_label(labels)  # another label may say nothing of some images, which are neither asked about nor shown
        query = int(np.flatnonzero(known)[rng.integers(known.sum())])
        near = space.nearest(query, min(_NEIGHBORS, int(known.sum()) - 1), allowed=None if known.all() else known).rows
        same = labels[near] == labels[query]
        wrong = not same.all() and (wrong_first or not same.any())
        neighbor = int(near[~same][0] if wrong else near[same][-1])
        alike = bool(rng.integers(2)) if coin else not wrong
        passed = near[: int(np.flatnonzero(near == neighbor)[0])][-MOST_PASSED:] if not alike else ()
        return Click(str(paths.iloc[query]), str(paths.iloc[neighbor]), alike, tuple(str(paths.iloc[row]) for row in passed))


def _clicked(persons: "Sequence[_Person]", said: "dict[str, tuple[str, Notion]]", counts: Sequence[int], seed: int) -> Iterator[dict[str, Any]]:
    """Each simulated person with each starting sentence."""
    for start, (sentence, notion) in said.items():
        for person in persons:
            for row in person.runs(notion, counts, seed):
                yield {"sentence": sentence, "start": start, **row}


def _bounds(halves: _Halves, seed: int, oracle: bool) -> Iterator[dict[str, Any]]:
    yield {"start": "", "answers": "raw", "clicks": 0, "map_at_r": halves.map_at_r(halves.vectors)}
    if oracle:
        fitted = Oracle(min(_DIM, halves.vectors.shape[1]), seed).fit(halves.vectors, halves.truth)
        yield {"start": "", "answers": "oracle", "clicks": 0, "map_at_r": halves.map_at_r(fitted.transform(halves.vectors))}


def main(
    source: Source = DATASET,
    notions: Notions = "all",
    methods: Annotated[str, typer.Option(help="Methods whose spaces are clicked in, separated by commas: {methods}.")] = "exact,probabilities",
    seeds: Annotated[int, typer.Option(min=1, help="Random splits of the images into halves, and random queries.")] = 5,
    encoder: EncoderName = None,
    only: Only = None,
    out: OutputFile = None,
    format: Format = "table",
) -> None:
    """How much do clicks on neighbors improve a notion? MAP@R after 0, 5, 10 and 20 clicks, on images that were not clicked.

    Persons are simulated by the images' labels. They start with a sentence that says what they mean (`precise`) or something close (`vague`);
    controls answer at random or by another label. Both kinds of sentences were written in advance (`notion_sentences.yaml`, `vague_sentences.yaml`).

    Examples: `python -m experiments.analyses clicks cars --notions viewpoint`,
    `python -m experiments.analyses clicks cars --encoder cars-small --out runs.csv`
    """
    from likeness.notions import named_methods

    chosen_methods = [each.name for each in named_methods(methods.split(","))]
    base = embedded(source_table(source, only), encoder)
    chosen = notions_of(base.table, notions)
    runs = measured("Clicks", out, lambda **watch: clicked_notions(base, chosen, seeds=range(seeds), methods=chosen_methods, **watch))
    found = clicks_table(runs)
    print_table(found.round(3), format)
    for start, closed in found.groupby("start", sort=False)["gap closed"]:
        typer.echo(f"Median share of the gap to the Oracle that is closed, {start} sentences: {closed.median():.3f} (of {closed.count()} with a gap)")
