"""From the measured figures to storage, time and cost at sizes that were not measured; every assumption stands here."""

from collections.abc import Callable
from typing import Any

import pandas as pd

SIZES = {"1 million": 10**6, "10 million": 10**7, "100 million": 10**8, "1 billion": 10**9}
D = 512
FLOAT = 4
# Assumptions that nobody measures here: list prices of the large clouds, rounded.
CORE_HOUR = 0.04
GIGABYTE_MONTH_DISK = 0.08
GIGABYTE_MONTH_OBJECTS = 0.023
IMAGE_KB = 100
# A GPU of a current data center embeds with ViT-B/32 at some 2,000 images a second, as far as images can be read so fast; not measured here.
GPU_IMAGES, GPU_HOUR = 2000, 2.5
EPOCHS = 30


class Figures:
    """Looks up what was recorded."""

    def __init__(self, table: pd.DataFrame) -> None:
        self.table = table

    def value(self, part: str, what: str, size: int | str) -> float:
        """One recorded figure; KeyError where it is not there."""
        found = self.table[(self.table["part"] == part) & (self.table["what"] == what) & (self.table["size"] == str(size))]
        if found.empty:
            raise KeyError(f"no figure '{part}', '{what}', {size}; run make bench-scale")
        return float(found["value"].iloc[0])

    def peer(self, part: str, what: str, size: int | str) -> float:
        """What stands beside it."""
        found = self.table[(self.table["part"] == part) & (self.table["what"] == what) & (self.table["size"] == str(size))]
        return float(found["peer_value"].iloc[0])

    def summary(self) -> str:
        """The figures that docs/results.md shows, each beside its peer; those that were not measured yet are left out."""
        known = self.table.drop_duplicates(["part", "what", "size"]).set_index(["part", "what", "size"])
        rows = [_summed(text, known.loc[key]) for key, text in SUMMARY.items() if key in known.index]
        return "\n".join(["| what | here | beside |", "|---|---|---|", *rows])


_TRAINED = "resnet10t, 64 images of 64 px"
# (part, what, size) of the table, and how docs/results.md says it.
SUMMARY = {
    ("embedding", "images per second once started, local", "4000"): "embedding, local engine, images a second once started",
    ("embedding", "images per second once started, ray, 2 workers", "4000"): "embedding, two Ray workers, images a second once started",
    ("index", "build", "1000000"): "index of 1,000,000 x 512, built once",
    ("index", "car-color 128-d query", "1000000"): "nearest ten of 1,000,000 in a notion of 128 dimensions, through the index",
    ("index", "car-color 128-d query once transformed", "1000000"): "the same, the notion's vectors being kept",
    ("index", "car-color 128-d recall@10", "1000000"): "the same, recall@10",
    ("index", "car-color 16-d query", "1000000"): "in 16 dimensions",
    ("index", "car-color 16-d recall@10", "1000000"): "the same, recall@10",
    ("index", "car-color 2-d query once transformed", "1000000"): "in 2 dimensions, where the index breaks and is left aside",
    ("training", "step, 2 processes of 1 thread", _TRAINED): "a training step, two processes of one thread",
    ("training", "step, 2 processes beside 2 threads", _TRAINED): "the same",
    ("training", "gathering embeddings", _TRAINED): "gathering embeddings for the whole batch",
    ("metrics", "R@k, MAP@R, MRR of 280 classes, beside AccuracyCalculator, k of the largest class", "100000"): (
        "R@k, MAP@R, MRR of 100,000 x 512, 280 classes"
    ),
    ("metrics", "R@k, MAP@R, MRR of 280 classes", "1000000"): "R@k, MAP@R, MRR of 1,000,000 x 512, 280 classes",
    ("metrics", "R@k, MAP@R, MRR of 280 classes, anonymous memory", "1000000"): "the same, memory",
    ("metrics", "all retrieval metrics of classes of 100", "1000000"): "all retrieval metrics of 1,000,000 x 512, 10,000 classes",
    ("metrics", "NMI, AMI, 280 classes, beside scikit-learn", "1000000"): "NMI and AMI of 1,000,000 x 512, 280 classes",
    ("metrics", "Frechet distance, beside SciPy sqrtm", "1000000"): "Frechet distance of 1,000,000 x 512",
    ("metrics", "20 splits, classes of 100, beside pandas, class means alone", "1000000"): "20 splits of 1,000,000 images in 10,000 classes",
    ("map", "seconds to the first picture", "1000000"): "map of 1,000,000 points, first picture",
    ("map", "frames a second while panning", "1000000"): "the same, panning, without a graphics card",
    ("map", "seconds from lasso to gallery", "1000000"): "the same, from lasso to gallery",
    ("users", "edit until the refit is shown, p50", "20"): "20 browsers at once on the same two cores, edit until the refit is shown",
    ("users", "processor time of the server for an edit and a search", "20"): "of it the server's own, for an edit and a search; the rest draws maps",
    ("users", "memory of the server", "20"): "memory of the server with 20 browsers",
}


def _summed(text: str, row: "pd.Series[Any]") -> str:
    beside = "" if pd.isna(row["peer"]) else str(row["peer"])
    if beside and not pd.isna(row["peer_value"]):
        beside += f": {shown(row['peer_value'], row['unit'])}"
    return f"| {text} | {shown(row['value'], row['unit'])} | {beside} |"


def shown(value: float, unit: object) -> str:
    """Three significant digits and the unit."""
    number = f"{value:,.0f}" if abs(value) >= 1000 else f"{value:.3g}"
    return number if pd.isna(unit) or not unit else f"{number} {unit}"


def storage(figures: Figures) -> str:
    """What lies on disks."""
    rows = {
        f"images, {IMAGE_KB} KB each, in an object store": lambda n: (n * IMAGE_KB * 1e3, GIGABYTE_MONTH_OBJECTS),
        "vectors, 512 x 4 bytes": lambda n: (n * D * FLOAT, GIGABYTE_MONTH_DISK),
        "index, a second copy in cells": lambda n: (n * (D * FLOAT + 8), GIGABYTE_MONTH_DISK),
        "a notion, lengths alone (through the index)": lambda n: (n * FLOAT, GIGABYTE_MONTH_DISK),
        "a notion, all codes, 16-d": lambda n: (n * 16 * FLOAT, GIGABYTE_MONTH_DISK),
        "a notion, all codes, 128-d": lambda n: (n * 128 * FLOAT, GIGABYTE_MONTH_DISK),
        "a map, positions": lambda n: (n * 2 * FLOAT, GIGABYTE_MONTH_DISK),
    }
    return _table("on disk", {name: {size: _stored(*work(n)) for size, n in SIZES.items()} for name, work in rows.items()})


def time(figures: Figures) -> str:
    """What machines are busy with, in hours of one core."""

    def core_seconds(seconds: float, size: int) -> Callable[[int], float]:
        return lambda n: 2 * seconds * n / size

    cars, vit = (figures.value("embedding", f"{name}, forward passes", 2) / 2 for name in ("cars", "ViT-B-32"))
    build = figures.value("index", "build", 10**6)
    survey = figures.value("index", "survey of 128-d", 10**6)
    fit, first = (figures.value("index", what, 10**6) for what in ("fit of 128-d, prompts encoded", "first query of a new notion, 128-d"))
    image = figures.peer("training", "step, 2 processes beside 2 threads", "resnet10t, 64 images of 64 px") / 1000 / 64
    rows: dict[str, Callable[[int], float]] = {
        "embedding, encoder cars": lambda n: n / cars,
        "embedding, ViT-B/32 on processors": lambda n: n / vit,
        "index: finding each vector's cell, 4 root n of them": lambda n: 2 * build * (n / 10**6) ** 1.5,
        "a new notion: fit, and first search through the index": lambda n: 2 * (fit + first * (n / 10**6) ** 0.5),
        "a new notion: survey, or all codes": core_seconds(survey, 10**6),
        f"training resnet10t at 64 px on processors, {EPOCHS} epochs": lambda n: 2 * image * n * EPOCHS,
    }
    return _table("core hours", {name: {size: _hours(work(n)) for size, n in SIZES.items()} for name, work in rows.items()}) + (
        f"\n\nEmbedding with ViT-B/32 on a GPU at {GPU_IMAGES:,} images a second (assumed): "
        + ", ".join(f"{size} {n / GPU_IMAGES / 3600:,.1f} h, ${n / GPU_IMAGES / 3600 * GPU_HOUR:,.0f}" for size, n in SIZES.items())
        + "."
    )


def search(figures: Figures) -> str:
    """One query on the two cores here."""
    query, scan = figures.value("index", "car-color 128-d query", 10**6), figures.peer("index", "car-color 128-d query once transformed", 10**6)
    fresh = figures.peer("index", "car-color 128-d query", 10**6)
    narrow = figures.peer("index", "car-color 16-d query once transformed", 10**6)
    rows: dict[str, Callable[[int], float]] = {
        "transform everything and scan, 128-d": lambda n: fresh * n / 10**6,
        "scan of kept codes, 128-d": lambda n: scan * n / 10**6,
        "scan of kept codes, 16-d": lambda n: narrow * n / 10**6,
        "through the index, 128-d": lambda n: query * (n / 10**6) ** 0.5,
    }
    return _table("ms a query", {name: {size: _milliseconds(work(n)) for size, n in SIZES.items()} for name, work in rows.items()})


COSTS = {"storage": storage, "time": time, "search": search}


def _milliseconds(value: float) -> str:
    return f"{value:,.0f}" if value >= 10 else f"{value:.1f}"


def _stored(content: float, price: float) -> str:
    gigabytes = content / 1e9
    return f"{_bytes(gigabytes)}, {_dollars(gigabytes * price)} a month"


def _bytes(gigabytes: float) -> str:
    return f"{gigabytes / 1000:,.3g} TB" if gigabytes >= 1000 else f"{gigabytes:.3g} GB"


def _hours(seconds: float) -> str:
    hours = seconds / 3600
    if seconds < 60:
        return f"{seconds:.2g} s"
    return f"{hours:,.0f} h, {_dollars(hours * CORE_HOUR)}" if hours >= 10 else f"{hours:.2g} h, {_dollars(hours * CORE_HOUR)}"


def _dollars(amount: float) -> str:
    return f"${amount:,.0f}" if amount >= 10 else f"${amount:.2f}"


def _table(head: str, rows: dict[str, dict[str, str]]) -> str:
    lines = [f"| {head} | {' | '.join(SIZES)} |", "|---" * (len(SIZES) + 1) + "|"]
    return "\n".join([*lines, *(f"| {name} | {' | '.join(cells.values())} |" for name, cells in rows.items())])
