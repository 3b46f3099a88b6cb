"""All tasks: what is measured for each table and figure, and on which datasets."""

from collections.abc import Callable, Sequence
from functools import partial

from experiments.papers.notions import (
    INDIRECT,
    by_size,
    counts_table,
    encoders_table,
    methods_table,
    prompts_table,
    saliency_maps,
    sizes_table,
    supervised_table,
    trimap_maps,
)
from experiments.papers.session import Found, Session, Task
from experiments.papers.shift_splits import OODML
from experiments.papers.tables import (
    GUIDANCE,
    PAIR,
    agreement_table,
    captions_table,
    curves_table,
    distances_table,
    guided_table,
    labels_table,
    shifted_table,
    shifts_table,
    steps_table,
)
from likeness.errors import InputError


def _each(name: str, paper: str, headings: Sequence[str], datasets: Sequence[str], measure: Callable[[str, Session], Found]) -> list[Task]:
    """A task for each dataset; "{}" in the name stands for it."""
    return [Task(name.format(each), paper, tuple(headings), (each,), partial(measure, each)) for each in datasets]


def _language(table: str, shipped: str, beside: Sequence[str], without: str, headings: Sequence[str], datasets: Sequence[str]) -> list[Task]:
    """Tasks of a table; Table 1, which has no row without guidance, has a schedule by held-out classes, so that the best weights count."""

    def measure(dataset: str, session: Session) -> Found:
        return guided_table(shipped.format(OODML[dataset].removeprefix("oodml-")), beside, without, "last" if without else "best", dataset, session)

    return _each(f"language-{table}-{{}}", "language-guidance", headings, datasets, measure)


def _ablation(number: str) -> list[Task]:
    beside = f"table_{number}" if number.startswith("s") else f"table{number}"
    return _language(f"table-{number}", f"language-table-{number}", [beside], "Baseline", [f"Table {number.upper()}"], ["cub200", "cars196"])


def _continuous(shipped: str, dataset: str, headings: Sequence[str] = (), files: tuple[str, ...] = ()) -> Task:
    return Task(
        f"log-ratio-{dataset}", "log-ratio", ("Figure 3", "Section 4.3", *headings), (dataset,), partial(labels_table, shipped, dataset), files
    )


TASKS: tuple[Task, ...] = (
    *_each("indirect-table-1-{}", "indirect", ["Figure 1 and Table 1"], list(INDIRECT), prompts_table),
    *_each("indirect-table-2-{}", "indirect", ["Table 2", "Table 1 of the appendix"], list(INDIRECT), methods_table),
    Task("indirect-figure-2-cars196", "indirect", ("Figure 2", "Figures 1 and 2 of the appendix"), ("cars196",), saliency_maps),
    Task("indirect-maps-cars196", "indirect", ("Figures 1 and 2 of the appendix",), ("cars196",), trimap_maps),
    Task("indirect-figure-3-cars196", "indirect", ("Figure 3",), ("cars196",), partial(by_size, sizes_table, "dim")),
    Task("indirect-figure-4-synthetic-cars", "indirect", ("Figure 4",), ("synthetic-cars",), partial(by_size, encoders_table, "encoder")),
    Task("indirect-figure-5-cars196", "indirect", ("Figure 5",), ("cars196",), partial(by_size, counts_table, "prompts")),
    Task("indirect-section-5", "indirect", ("Section 5",), ("cars196", "cub200"), supervised_table),
    *_language("table-1", "language-table-1-{}", ["table1"], "", ["Table 1"], list(GUIDANCE)),
    *_language("table-2", "language-table-s1", ["table2", "table_s1"], PAIR[0], ["Table 2", "Table S1", "Section 5"], list(GUIDANCE)),
    *(task for number in ("3", "4", "5", "s2", "s3") for task in _ablation(number)),
    Task("language-section-4.5-cub200", "language-guidance", ("Section 4.5", "Figure 3"), ("cub200",), agreement_table),
    *_each("language-figure-s1-{}", "language-guidance", ["Figure S1"], ["cub200", "cars196"], curves_table),
    _continuous("log-ratio-mpii", "mpii-pose", ["Section 3.2", "Figure 5"]),
    _continuous("log-ratio-lsun", "lsun-rooms"),
    _continuous("log-ratio-coco", "coco-captions", files=("glove.txt",)),
    Task("log-ratio-table-1-coco-captions", "log-ratio", ("Table 1",), ("coco-captions",), captions_table, ("glove.txt",)),
    *_each("oodml-table-1-{}", "oodml", ["Table 1"], list(OODML), distances_table),
    *_each("oodml-figure-1-{}", "oodml", ["Figure 1"], list(OODML), steps_table),
    *_each("oodml-shifts-{}", "oodml", ["Figure 2", "Figure 3", "Figure 4", "Figure 6"], list(OODML), shifts_table),
    *_each("oodml-capacity-{}", "oodml", ["Figure 5"], ["cub200", "cars196"], partial(shifted_table, "oodml-capacity-{}")),
    *_each("oodml-few-shot-{}", "oodml", ["Figure 7"], ["cub200", "cars196"], partial(shifted_table, "oodml-few-shot-{}")),
)
# What needs neither CLIP nor a dataset, by page and heading: what measures it here.
HERE = {
    ("indirect", "Section 3.1"): "python benchmarks/indirect_fit.py",
    ("language-guidance", "Figures 1 and 2"): "notebooks/02_language_guidance.ipynb",
    ("language-guidance", "Section 4.3"): "python benchmarks/training_step.py",
    ("log-ratio", "Figure 1"): "notebooks/04_continuous_labels.ipynb",
    ("log-ratio", "Figure 2"): "python -m experiments.figures.quantization JOINTS",
    ("log-ratio", "Figure 4"): "python -m experiments.figures.photo_retrieval RUNS --poses JOINTS",
    ("log-ratio", "Figure 6"): "likeness study synthetic-rooms",
    ("log-ratio", "Figure 7"): "python -m experiments.figures.photo_retrieval RUNS --captions FOLDER",
    ("log-ratio", "Figure 8"): "python -m experiments.captioning train flickr-captions --sentences FILE",
}


def tasks_of(only: Sequence[str] = ()) -> list[Task]:
    """The tasks of these papers or names; all without any. InputError: a name that neither has."""
    known = {task.paper for task in TASKS} | {task.name for task in TASKS}
    if unknown := [name for name in only if name not in known]:
        papers = ", ".join(dict.fromkeys(task.paper for task in TASKS))
        raise InputError(f"There is no paper or task '{unknown[0]}'; choose from {papers}, or a task that --list shows.")
    return [task for task in TASKS if not only or task.paper in only or task.name in only]
