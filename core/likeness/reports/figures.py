"""The figures of a report: the space that is shown beside the raw encoder and, of a notion, beside words that mean nothing here."""

from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from likeness.data import has_label
from likeness.errors import InputError
from likeness.evaluation import metric_title, retrieval_metrics
from likeness.notion_trust import notion_trust
from likeness.notions import Composition, Notion, with_other_words
from likeness.reports.columns import readable
from likeness.reports.options import ReportOptions
from likeness.search import expected_overlap, overlap
from likeness.space import Space

METRICS = ("map_at_r", "recall_at_1", "recall_at_10")
_SEEDS = 5
_ASKING = 2000  # images that ask, where there are more than _ALL_ASK
_ALL_ASK = 10_000
_NEAREST = 10
_OTHER, _RANDOM = "Other words", "Random directions"
_CONTROLS = {
    _OTHER: "Other words: the same method on words that have nothing to do with the images.",
    _RANDOM: "Random directions: as many dimensions, drawn at random.",
}
_GAIN = f"Controls are means ± standard deviations of {_SEEDS} draws; what is gained beyond them is due to what the words mean."


@dataclass(frozen=True)
class FigureTable:
    """A table of texts: a row a space or property, the first column its name; `note` says how it was measured, `lead` is the best row to read."""

    title: str
    columns: list[str]
    rows: list[list[str]]
    note: str = ""
    marked: list[int] = field(default_factory=list)


def retrieval_table(base: Space, space: Space, notion: Notion, options: ReportOptions) -> FigureTable | None:
    """How well images of a label find each other: raw, by the notion, by five draws of other words and of directions; None without a label."""
    attribute = notion.attribute
    if attribute is None or attribute not in base.table.attributes or notion.joined:
        return None
    column = base.table.frame[attribute]
    labeled = np.flatnonzero(has_label(column))
    labels = column.iloc[labeled].astype(str).to_numpy()
    if len(labeled) < 3 or len(set(labels)) < 2:
        return None
    asking = None if len(labeled) <= _ALL_ASK else np.sort(np.random.default_rng(options.seed).permutation(len(labeled))[:_ASKING])
    raw, own = (measured(each.vectors[labeled], labels, asking) for each in (base, space))
    controls = _controls(base, space, notion, labeled, labels, asking, options)
    rows = [["Raw encoder", *map(figure, raw)], [space.name, *map(figure, own)]]
    for name, runs in controls.items():
        rows.append([name, *(f"{np.mean(values):.3f} ± {np.std(values, ddof=1):.3f}" for values in zip(*runs, strict=True))])
    who = (
        f"{len(labeled):,} labeled images"
        if asking is None
        else f"{_ASKING:,} of {len(labeled):,} labeled images, drawn at random, that look among all"
    )
    note = f"Of {who}; each looks for others of its {readable(attribute).lower()}. {' '.join(_CONTROLS[name] for name in controls)} {_GAIN}"
    return FigureTable(f"Judged by {readable(attribute).lower()}", ["", *map(metric_title, METRICS)], rows, note, [1])


def _controls(
    base: Space, space: Space, notion: Notion, labeled: NDArray[np.int64], labels: Any, asking: NDArray[np.int64] | None, options: ReportOptions
) -> dict[str, list[list[float]]]:
    """Of each control the values of `METRICS` over the seeds; without other words where the encoder knows none of them."""
    found: dict[str, list[list[float]]] = {}
    dim = space.vectors.shape[1]
    for seed in range(_SEEDS):
        options.progress(seed, _SEEDS, "Measuring")
        options.check_stop()
        with suppress(InputError):  # all of these words are one to the encoder
            other = base.refit(with_other_words(notion, seed), dim=dim)
            found.setdefault(_OTHER, []).append(measured(other.vectors[labeled], labels, asking))
        chance = base.refit(notion, "random-transform", dim=dim, seed=seed)
        found.setdefault(_RANDOM, []).append(measured(chance.vectors[labeled], labels, asking))
    return {name: runs for name, runs in found.items() if len(runs) == _SEEDS}


def measured(vectors: Any, labels: Any, asking: NDArray[np.int64] | None = None, is_query: NDArray[np.bool_] | None = None) -> list[float]:
    """The values of `METRICS`, of all rows, of those `asking`, or of queries (a mask) among the others."""
    if is_query is None:
        found = retrieval_metrics(vectors, labels, ks=(1, 10), rows=asking, only=METRICS)
    else:
        found = retrieval_metrics(vectors[~is_query], labels[~is_query], (1, 10), vectors[is_query], labels[is_query], only=METRICS)
    return [found[name] for name in METRICS]


def trust_table(base: Space, notion: Notion | Composition) -> FigureTable | None:
    """How far a notion can be relied on without labels (`likeness.notion_trust`); None of spaces that read no text."""
    if base.embed_texts is None:
        return None
    trust = notion_trust(base, notion)
    rows = [
        ["Same in other words", f"{100 * trust.stability:.1f} %", "How alike the images' similarities are when the same is said in other words."],
        ["Along these words", f"{100 * trust.alignment:.0f} %", "Of what the images vary along these words: the share beyond that along any words."],
    ]
    return FigureTable("Without labels", ["", "", ""], rows, trust.sentence)


def agreement_row(base: Space, space: Space, seed: int = 0) -> tuple[str, str]:
    """Name and value of the share of common nearest neighbors."""
    k = min(_NEAREST, len(base) - 1)
    rows = np.sort(np.random.default_rng(seed).permutation(len(base))[:_ASKING])
    share, chance = overlap(base.vectors, space.vectors, k, rows), expected_overlap(len(base), k)
    return "Agreement", f"{share:.0%} of the {k} nearest images are the same in both spaces (by chance {100 * chance:.2g}%)"


def figure(value: float) -> str:
    """Three digits after the point; a dash where there is none."""
    return "–" if np.isnan(value) else f"{value:.3f}"
