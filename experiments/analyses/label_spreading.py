"""How many clicks it takes to label 95 % of the images correctly, with and without label spreading, by simulated persons."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import product
from math import ceil
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple

import numpy as np
import pandas as pd
import typer
from numpy.typing import NDArray

from experiments.analyses.run_table import run_table
from likeness.arrays import products_with_few
from likeness.commands.inputs import embedded, notions_of, source_table
from likeness.commands.options import EncoderName, Format, Notions, Only, OutputFile, Source
from likeness.commands.terminal import measured, print_table
from likeness.data import has_label
from likeness.defaults import DATASET
from likeness.errors import InputError
from likeness.progress import Progress
from likeness.spreading import LabelSpread, check_method, label_screens, spread_labels, uncertain_rows
from likeness.studies import OnRun

if TYPE_CHECKING:
    from likeness.notions import Notion
    from likeness.space import Space


SCREEN = 24  # images, as many as the app shows
TARGET = 0.95
_GROWTH = 8  # labels are spread anew when an eighth more images are labeled
RAW, NOTION, RANDOM = "raw", "notion", "random projection"
ONE_BY_ONE, NEAREST, QUEUE, SCREENS = "one by one", "nearest", "queue", "screens"


def label_spreading(
    base: "Space",
    notions: "Sequence[Notion]",
    methods: Sequence[str] = ("propagation", "probe"),
    seeds: Sequence[int] = range(5),
    *,
    images: int = 10_000,
    ways: Sequence[str] = (NEAREST, QUEUE, SCREENS),
    progress: Progress | None = None,
    on_run: OnRun | None = None,
) -> pd.DataFrame:
    """Clicks of a simulated person until 95 % of the images have the right label, given by hand or spread.

    A click gives one image a label. A screen shows 24 images with one label; the person corrects those that are wrong by a click each and confirms
    the rest by one, or where that is cheaper labels each. Ways to go on:

    - "one by one": images in any order, nothing spreads; 95 clicks for 100 images.
    - "nearest": nothing spreads; an image drawn at random gets a label by a click, a screen of the nearest images without one shows the same.
    - "queue": 24 images drawn at random get a label; then one by one those of `likeness.spreading.next_to_label`, while labels spread.
    - "screens": after 24 at random, screens of images with the same spread label (`likeness.spreading.label_screens`).

    Where labels spread, they do so anew when an eighth more images are labeled. The simulation knows when 95 % are right; a person has an estimate.

    Args:
        base: images with labels, in their encoder's space.
        notions: each with the label column that is asked for; of several with one label the first counts.
        methods: of `spread_labels`.
        seeds: each draws the images, the first of them that are labeled, and the random projection.
        images: how many, where there are more with a label.
        ways: of "nearest", "queue" and "screens".

    Returns:
        A row per notion, seed, space, way and method; columns notion, space ("raw", "notion", and the control "random projection" to the notion's
        dimensions), dim, way, method, seed, images, classes, clicks, labeled (images that were labeled by hand), right (share of all).

    Raises:
        InputError: no notion with a label here, unknown ways, or a label with fewer than two values.
    """
    unknown = set(ways) - {NEAREST, QUEUE, SCREENS}
    if unknown or images < 2:
        raise InputError(f"Labels are given by {NEAREST}, {QUEUE} or {SCREENS} on at least 2 images, not {', '.join(sorted(unknown)) or images}.")
    judged = {each.attribute: each for each in reversed(notions) if each.attribute in base.table.attributes}
    if not judged:
        raise InputError("No notion has a label of these images; choose a notion whose attribute these images have.")

    def rows_of(task: "tuple[Notion, int]") -> Iterator[dict[str, Any]]:
        notion, seed = task
        return ({"notion": notion.name, **row, "seed": seed} for row in _runs(base, notion, methods, ways, images, seed))

    return run_table([*product(reversed(judged.values()), seeds)], rows_of, progress, on_run)


def label_spreading_table(runs: pd.DataFrame) -> pd.DataFrame:
    """A row per images, notion, way and method: clicks for each image in the space of the notion, the raw encoder's and a random projection, mean and
    deviation over seeds, and `of one by one`: the notion's clicks as a share of those without any help.
    """
    keys = [name for name in ("dataset", "notion") if name in runs]
    runs = runs.assign(clicks=runs["clicks"] / runs["images"], method=runs["method"].fillna(""))
    alone = runs[runs["way"] == ONE_BY_ONE].groupby(keys, sort=False)["clicks"].mean()
    grouped = runs[runs["way"] != ONE_BY_ONE].groupby([*keys, "way", "method", "space"], sort=False)["clicks"]
    text = grouped.mean().map("{:.3f}".format) + " ± " + grouped.std(ddof=0).map("{:.3f}".format)
    titles = {NOTION: "notion's space", RAW: "raw encoder", RANDOM: RANDOM}
    table = text.unstack("space")[[each for each in titles if each in set(runs["space"])]].rename(columns=titles).reset_index()
    for space in (NOTION, RAW):
        means = grouped.mean().unstack("space").get(space)
        if means is not None:
            shares = means.rename("value").reset_index().merge(alone.rename("alone").reset_index(), on=keys)
            table[f"{titles[space]}, share"] = (shares["value"] / shares["alone"]).to_numpy()
    return table.rename_axis(columns=None)


def _runs(base: "Space", notion: "Notion", methods: Sequence[str], ways: Sequence[str], images: int, seed: int) -> Iterator[dict[str, Any]]:
    column = base.table.frame[str(notion.attribute)]
    rows = np.flatnonzero(has_label(column))
    rows = np.sort(np.random.default_rng(seed).permutation(rows)[:images])
    classes, truth = np.unique(column.iloc[rows].astype(str), return_inverse=True)
    if len(classes) < 2:
        raise InputError(f"'{notion.attribute}' has {len(classes)} value among these images; choose a label with at least two.")
    about = {"images": len(rows), "classes": len(classes)}
    alone = ceil(TARGET * len(rows))
    yield {"space": "", "dim": 0, "way": ONE_BY_ONE, "method": "", **about, "clicks": alone, "labeled": alone, "right": round(alone / len(rows), 6)}
    for name, space in _spaces(base, notion, rows, seed).items():
        person = _Person(space, truth, seed)
        for way in ways:
            for method in [""] if way == NEAREST else methods:
                found = person.nearest() if way == NEAREST else person.spread(method, way == SCREENS)
                yield {"space": name, "dim": space.vectors.shape[1], "way": way, "method": method, **about, **found}


def _spaces(base: "Space", notion: "Notion", rows: NDArray[np.int64], seed: int) -> dict[str, "Space"]:
    table = replace(base.table, frame=base.table.frame.iloc[rows])
    raw = base.replace(vectors=base.vectors[rows], images=table, index=None, provenance="")
    refitted = raw.refit(notion)
    directions = np.random.default_rng([seed, 2]).normal(size=(raw.vectors.shape[1], refitted.vectors.shape[1]))
    projected = (raw.vectors - raw.vectors.mean(axis=0)) @ np.linalg.qr(directions)[0]
    return {NOTION: refitted.replace(provenance=""), RAW: raw, RANDOM: raw.replace(vectors=projected, provenance="")}


class _Person(NamedTuple):
    """A simulated person who labels images of a space and knows the correct labels."""

    space: "Space"
    truth: NDArray[np.int64]
    seed: int

    @property
    def enough(self) -> int:
        return ceil(TARGET * len(self.truth))

    def nearest(self) -> dict[str, Any]:
        rng = np.random.default_rng([self.seed, 1])
        done, clicks = np.zeros(len(self.truth), np.bool_), 0
        for first in rng.permutation(len(self.truth)):
            if done.sum() >= self.enough:
                break
            if done[first]:
                continue
            done[first], clicks = True, clicks + 1
            open_rows = np.flatnonzero(~done)
            near = open_rows[np.argsort(-products_with_few(self.space.vectors[open_rows], self.space.vectors[[first]])[:, 0])[: SCREEN - 1]]
            near = near[: max(0, self.enough - int(done.sum()))]
            clicks += screen_clicks(int((self.truth[near] != self.truth[first]).sum()), len(near)) if len(near) else 0
            done[near] = True
        return self._run(clicks, done, done)

    def spread(self, method: str, screens: bool) -> dict[str, Any]:
        order = np.random.default_rng([self.seed, 1]).permutation(len(self.truth))
        done = np.zeros(len(self.truth), np.bool_)
        start = max(SCREEN, int(np.flatnonzero(self.truth[order] != self.truth[order[0]])[0]) + 1)  # a second class is needed
        done[order[:start]] = True
        clicks = min(start, len(order))
        while True:
            found = spread_labels(self.space, np.where(done, self.truth.astype(object), np.array(None)), method, seed=self.seed)
            right = found.labels.astype(np.int64) == self.truth
            if right.sum() >= self.enough:
                return self._run(clicks, done, right)
            for group in self._groups(found, max(SCREEN, int(done.sum()) // _GROWTH), screens):
                wrong = int((~right[group]).sum())
                clicks += screen_clicks(wrong, len(group)) if screens else len(group)
                done[group] = right[group] = True
                if right.sum() >= self.enough:
                    return self._run(clicks, done, right)

    def _groups(self, found: LabelSpread, count: int, screens: bool) -> Iterator[NDArray[np.int64]]:
        if not screens:
            yield from uncertain_rows(found, count)[:, None]
            return
        yield from label_screens(found, SCREEN)[: ceil(count / SCREEN)]

    def _run(self, clicks: int, done: NDArray[np.bool_], right: NDArray[np.bool_]) -> dict[str, Any]:
        return {"clicks": clicks, "labeled": int(done.sum()), "right": round(float(right.mean()), 6)}


def screen_clicks(wrong: int, size: int) -> int:
    """Clicks to label a screen with one suggested label: one for each wrong image and one for the rest, or one for each image if that is less."""
    return min(wrong + 1, size)


def main(
    source: Source = DATASET,
    notions: Notions = "all",
    methods: Annotated[str, typer.Option(help="propagation, probe, or both separated by a comma.")] = "propagation,probe",
    images: Annotated[int, typer.Option(min=2, help="Maximum number of labeled images; a larger set is sampled.")] = 10_000,
    seeds: Annotated[int, typer.Option(min=1, help="Random samples of the images, of the first labeled ones, and random projections.")] = 5,
    encoder: EncoderName = None,
    only: Only = None,
    out: OutputFile = None,
    format: Format = "table",
) -> None:
    """How many clicks until 95 % of the images have the right label? With and without spreading, in a notion's and the raw encoder's space.

    Persons are simulated by the images' labels: a click labels one image, and a screen of 24 images with one label is confirmed by a click after a
    click for each wrong image. Prints clicks per image; labeling one by one takes .95. Control: a random projection to as many dimensions as the
    notion's space.

    Examples: `python -m experiments.analyses label-spreading cars --notions car-color`,
    `python -m experiments.analyses label-spreading cars --seeds 2 --out runs.csv`
    """
    ways = [each.strip() for each in methods.split(",")]
    for way in ways:
        check_method(way)
    base = embedded(source_table(source, only), encoder)
    chosen = notions_of(base.table, notions)
    runs = measured("Label spreading", out, lambda **watch: label_spreading(base, chosen, ways, range(seeds), images=images, **watch))
    print_table(label_spreading_table(runs).round(3), format)
