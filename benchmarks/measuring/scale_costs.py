"""From the measured figures to storage, time and cost at sizes that were not measured; every assumption stands here."""

from collections.abc import Callable, Iterable, Mapping
from typing import Any, TypeVar

import pandas as pd

Shown = TypeVar("Shown")
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
        """The figures that docs/speed.md shows, each beside its peer; those that were not measured yet are left out."""
        rows = [_beside(text, row, script) for row, (text, script) in self._known(SUMMARY)]
        return "\n".join(["| measured | here | beside | ratio | benchmark |", "|---|---|---|---|---|", *rows])

    def memory(self) -> str:
        """The figures of memory that docs/speed.md shows."""
        rows = [f"| {text} | {shown(row['value'], row['unit'])} | {beside(row)} |" for row, text in self._known(MEMORY)]
        return "\n".join(["| memory | here | beside |", "|---|---|---|", *rows])

    def _known(self, wanted: Mapping[tuple[str, str, str], Shown]) -> list[tuple["pd.Series[Any]", Shown]]:
        table = self.table.drop_duplicates(["part", "what", "size"]).set_index(["part", "what", "size"])
        return [(table.loc[key], text) for key, text in wanted.items() if key in table.index]


_TRAINED = "resnet10t, 64 images of 64 px"
# (part, what, size) of the table, how docs/speed.md says it, and the benchmark that measures it.
SUMMARY = {
    ("small", "fit of a notion, 128-d", "569"): ("fit of 569 prompts", "indirect_fit.py"),
    ("small", "seven metrics", "8131"): ("seven metrics, 8,131 images", "retrieval_metrics.py"),
    ("metrics", "R@k, MAP@R, MRR of 280 classes, beside AccuracyCalculator, k of the largest class", "100000"): (
        "MAP@R, 100,000 images",
        "scale/metrics.py",
    ),
    ("metrics", "R@k, MAP@R, MRR of 280 classes, beside faiss flat, R@k alone", "30000"): ("the same, 30,000 images", "scale/metrics.py"),
    ("metrics", "NMI, AMI, 280 classes, beside scikit-learn", "1000000"): ("NMI, AMI", "scale/metrics.py"),
    ("metrics", "Frechet distance, beside SciPy sqrtm", "1000000"): ("Frechet distance", "scale/metrics.py"),
    ("metrics", "20 splits, classes of 100, beside pandas, class means alone", "1000000"): ("20 splits", "scale/metrics.py"),
    ("small", "embedding image files", "5000"): ("embedding 32-pixel photos", "embedding_throughput.py"),
    ("index", "car-color 128-d query", "1000000"): ("nearest ten, new notion", "scale/notion_index.py"),
    ("index", "car-color 128-d query once transformed", "1000000"): ("the same, known notion", "scale/notion_index.py"),
    ("index", "car-color 128-d recall@10", "1000000"): ("its recall@10", "scale/notion_index.py"),
    ("duplicates", "the same with building the index", "100000"): ("near copies, 100,000 images", "scale/duplicates.py"),
    ("duplicates", "the same with building the index", "1000000"): ("near copies", "scale/duplicates.py"),
    ("small", "guidance, at most", "112 images of 64 px"): ("guidance adds at most, noise included", "training_step.py"),
    ("small", "log-ratio loss, all anchors", "150 x 128"): ("log-ratio loss, 150 anchors", "log_ratio_loss.py"),
    ("training", "step, 2 processes beside 2 threads", _TRAINED): ("training step, two processes", "scale/processes.py"),
    ("small", "app started, first map", "2000"): ("app started, first map", "app_response.py"),
    ("small", "notion edited, refit shown", "2000"): ("notion edited, refit shown", "app_response.py"),
    ("map", "frames a second while panning", "1000000"): ("map, panning", "scale/million_points.py"),
}
# What docs/speed.md says of memory.
MEMORY = {
    ("embedding", "memory to open a store, packed before", "1000000"): "open stored vectors",
    ("metrics", "R@k, MAP@R, MRR of 280 classes, anonymous memory", "1000000"): "R@k, MAP@R, MRR",
    ("metrics", "Frechet distance, anonymous memory", "1000000"): "Frechet distance",
    ("duplicates", "pairs through cells, memory", "1000000"): "near copies",
    ("training", "caption labels, memory", "4000"): "training on 20,000 captions",
    ("users", "memory of the server", "20"): "app server, 20 browsers",
}


def _beside(text: str, row: "pd.Series[Any]", script: str) -> str:
    """A line of the summary, with how many times as good as its peer: as fast, or as high a recall."""
    here, times = shown(row["value"], row["unit"]), ""
    if row["unit"] == "times":  # nothing but the ratio was recorded
        here, times = "", shown(row["value"], "")
    elif not pd.isna(row["peer_value"]):
        rate = pd.isna(row["unit"]) or row["unit"] in ("images/s", "1/s")
        times = f"{row['value'] / row['peer_value'] if rate else row['peer_value'] / row['value']:.3g}"
    return f"| {text} | {here} | {beside(row)} | {times} | {script} |"


def beside(row: Any) -> str:
    """The peer of a recorded figure, and its figure."""
    if pd.isna(row["peer"]):
        return ""
    return str(row["peer"]) if pd.isna(row["peer_value"]) else f"{row['peer']}: {shown(float(row['peer_value']), row['unit'])}"


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


def needs(figures: Figures, photos: float) -> str:
    """What docs/speed.md says of time and disks: as measured where a size was, else as in the tables of costs; on two cores. `photos`: images per
    second of that encoder's network.
    """
    sizes = {"100,000": 10**5} | SIZES
    local, vit = figures.value("embedding", "images per second once started, local", 4000), figures.value("embedding", "ViT-B-32, forward passes", 2)
    image = figures.peer("training", "step, 2 processes beside 2 threads", _TRAINED) / 1000 / 64
    rows: dict[str, Callable[[int], str]] = {
        "embed, encoder `cars`": lambda n: _duration(n / local),
        "embed, encoder `photos`, no GPU": lambda n: _duration(n / photos),
        "embed, ViT-B/32, no GPU": lambda n: _duration(n / vit),
        "embed, ViT-B/32, GPU (assumed)": lambda n: _duration(n / GPU_IMAGES),
        "build the index": lambda n: _duration(_grown(figures, "index", "build", n, 1.5)),
        "nearest ten, 128-d notion": lambda n: shown(_grown(figures, "index", "car-color 128-d query", n, 0.5), "ms"),
        "MAP@R of every image": lambda n: _duration(_grown(figures, "metrics", "R@k, MAP@R, MRR of 280 classes", n, 2)) if n <= 10**6 else "sample",
        f"train resnet10t at 64 px, {EPOCHS} epochs": lambda n: _duration(image * n * EPOCHS),
        "disk: vectors or index": lambda n: _bytes(n * D * FLOAT / 1e9),
    }
    return _table("images", {name: {size: work(n) for size, n in sizes.items()} for name, work in rows.items()}, sizes)


def _grown(figures: Figures, part: str, what: str, n: int, power: float) -> float:
    """A figure as measured at this size, else from that of a million."""
    try:
        return figures.value(part, what, n)
    except KeyError:
        return figures.value(part, what, 10**6) * (n / 10**6) ** power


def _duration(seconds: float) -> str:
    """In the largest unit of which there are two."""
    units = {"days": 86400, "h": 3600, "min": 60, "s": 1}
    name, length = next((name, length) for name, length in units.items() if seconds >= 2 * length or length == 1)
    number = f"{seconds / length:.2g}" if seconds < 10 * length else f"{seconds / length:,.0f}"
    return f"{number} {name}"


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


def _table(head: str, rows: dict[str, dict[str, str]], sizes: Iterable[str] = SIZES) -> str:
    lines = [f"| {head} | {' | '.join(sizes)} |", "|---" * (len(list(sizes)) + 1) + "|"]
    return "\n".join([*lines, *(f"| {name} | {' | '.join(cells.values())} |" for name, cells in rows.items())])
