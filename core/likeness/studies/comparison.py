"""Comparison of methods for notions: one table over notions, methods, dimensions and seeds."""

import time
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from likeness.arrays import unit_rows
from likeness.data import ImageTable, has_label
from likeness.errors import InputError
from likeness.evaluation import DistanceMetric, Metric, MetricLike, checked_metric, chosen_metrics, measure
from likeness.io import folder_kept_out
from likeness.notions import METHODS, PAPER_METHODS, LearnsFrom, MethodLike, Notion, NotionMethod, best_aspects, named_methods, with_other_words
from likeness.progress import Progress, report_progress
from likeness.space import Space

Methods = Collection[MethodLike]
OnRun = Callable[[dict[str, Any]], None]

SUGGESTED = "suggested"
SIZES = (2, 4, 8, 16, 32, 64, 128, 256, 512)
# default metrics of analyses: that of the paper's figures and the other one of its Table 2, from one ranking
ANALYSIS_METRICS = ("map_at_r", "precision_at_1")
_PLACE = ["notion", "method", "dim"]
_COLUMNS = ("notion", "method", "dim", "seed", "left_out", "fit_seconds", "refused")


def compare(
    base: Space,
    notions: Sequence[Notion],
    methods: Iterable[MethodLike] = METHODS,
    dims: Sequence[int | str] = (128,),
    seeds: Sequence[int] = range(5),
    *,
    metrics: Sequence[MetricLike] | None = None,
    ranking: DistanceMetric = "cosine",
    progress: Progress | None = None,
    should_stop: Callable[[], bool] | None = None,
    on_run: OnRun | None = None,
) -> pd.DataFrame:
    """Measures every notion, method, dimension and seed, as in Table 2 of the InDiReCT paper and Table 1 of its appendix.

    A notion is evaluated on the images that have a label for it; unlabeled ones are neither queries nor in the gallery.

    Args:
        base: the images in their encoder's space; their table has each notion's `attribute`.
        methods: names of `likeness.notions.METHODS`, objects or classes with fit(text) and transform(images), or (name, factory) with
            factory(dim=..., seed=...).
        dims: whole numbers, or "suggested": each notion's own `dim`, or else `likeness.notions.suggest_dim` of its prompts. Default: the paper's 128.
        metrics: names (`likeness.evaluation.metric_names`), or functions (vectors, labels) -> number; None: those of `METRICS`. "ami" and "nmi" use
            k-means with the run's seed. "zero_shot" is the share of images whose nearest aspect in the method's space is their label, ignoring case;
            NaN if no label is an aspect.
        ranking: "cosine", as in the paper, or "euclidean", as in the authors' code. They differ for methods whose rows are not of unit length: "pca",
            "lae", "ae" and your own. A method with its own `ranking` ("ae-code" and the like) keeps it. Or as in
            `Space.nearest`, such as "k-reciprocal".
        progress, should_stop, on_run: called with (runs done, total runs); checked before each run; called with each finished row.

    Returns:
        One row per run: notion, method, dim, seed, left_out, fit_seconds, refused, and the metrics. `left_out` is the number of images without a
            label, or with several rows of different labels. `refused` is "", or the reason why the method does not apply, with NaN metrics: PCA needs
            more prompts than dimensions, "ae-code" and the like need the lengths of the encoder's features (`Space.lengths`; the first run computes
            them), and only "random" and "random-transform" allow more dimensions than the encoder. "raw", without dimension or seed, has one row per
            notion, "pca" one per dimension; "dim" is then the width of the result.

    Raises:
        InputError: unknown or repeated method, metric or ranking, no notion, dimension or seed, a dimension that is not a whole number of at least 1,
            two notions of the same name, or a notion without a label column in the table, without labels in it, or joined with others.
    """
    no_runs(base.table, notions, methods, dims, seeds, metrics=metrics, ranking=ranking)
    chosen, wanted = named_methods(methods), chosen_metrics(metrics, words=True)
    runs = list(_runs(base, notions, chosen, dims, seeds))
    rows: list[dict[str, Any]] = []
    for run in runs:
        if should_stop and should_stop():
            break
        report_progress(progress, len(rows), len(runs))
        rows.append(_measured(run, wanted, ranking))
        if on_run:
            on_run(dict(rows[-1]))
    if progress and len(rows) == len(runs):
        progress(len(runs), len(runs))
    return pd.DataFrame(rows, columns=[*_COLUMNS, *(metric.name for metric in wanted)])


def embedding_sizes(
    base: Space,
    notions: Sequence[Notion],
    methods: Methods = PAPER_METHODS,
    sizes: Sequence[int] = SIZES,
    seeds: Sequence[int] = range(5),
    *,
    metrics: Sequence[str] = ANALYSIS_METRICS,
    **options: Any,
) -> pd.DataFrame:
    """The metrics of every notion and method at each embedding size, over several runs (InDiReCT, section 6 and Figure 3).

    Sizes and methods default to the paper's. The raw encoder has one row, at its own size: the reference line of the paper's figure. Sizes that a
    method does not support are refused runs with the reason: PCA needs more prompts than dimensions, and learned projections at most as many
    dimensions as the encoder. Arguments, further `options`, errors and result are those of `compare`; the size is the column `dim`.
    """
    return compare(base, notions, methods, sizes, seeds, metrics=metrics, **options)


def no_runs(
    table: ImageTable,
    notions: Sequence[Notion],
    methods: Iterable[MethodLike] = METHODS,
    dims: Sequence[int | str] = (128,),
    seeds: Sequence[int] = range(5),
    *,
    metrics: Sequence[MetricLike] | None = None,
    ranking: DistanceMetric = "cosine",
) -> pd.DataFrame:
    """The empty table of `compare`, after all its checks, before anything is computed. InputError: as `compare`."""
    check_comparison(notions, methods, dims, seeds, metrics=metrics, ranking=ranking)
    _check(table, notions)
    return pd.DataFrame(columns=[*_COLUMNS, *(metric.name for metric in chosen_metrics(metrics, words=True))])


def check_comparison(
    notions: Sequence[Notion] = (),
    methods: Iterable[MethodLike] = METHODS,
    dims: Sequence[int | str] = (128,),
    seeds: Sequence[int] = range(5),
    *,
    metrics: Sequence[MetricLike] | None = None,
    ranking: DistanceMetric = "cosine",
) -> None:
    """The checks of `compare` that need no images. InputError: as `compare`."""
    named_methods(methods)
    chosen_metrics(metrics, words=True)
    checked_metric(ranking)
    for what, values, such in (("dimension", dims, "128"), ("seed", seeds, "0")):
        if not len(values):
            raise InputError(f"There is no {what} to measure; pass at least one, such as {such}.")
    for dim in dims:
        if dim != SUGGESTED and (not isinstance(dim, int | np.integer) or dim < 1):
            raise InputError(f"The dimension {dim!r} cannot be measured; choose whole numbers of at least 1, or '{SUGGESTED}'.")
    names = [notion.name for notion in notions]
    for notion in notions:
        if names.count(notion.name) > 1:
            raise InputError(f"Two notions are called '{notion.name}', and their rows would be mixed up; rename one.")
        if notion.joined:
            raise InputError(
                f"The notion '{notion.name}' joins several, but methods are compared on single ones; measure its space by `Space.metrics`."
            )
        if notion.attribute is None:
            raise InputError(f"The notion '{notion.name}' has no attribute to evaluate it; choose another, or add `attribute` to its file.")


@folder_kept_out()
def compare_in_parallel(
    base: Space,
    notions: Sequence[Notion],
    methods: Iterable[MethodLike] = METHODS,
    dims: Sequence[int | str] = (128,),
    seeds: Sequence[int] = range(5),
    *,
    workers: int | None = None,
    progress: Progress | None = None,
    **options: Any,
) -> pd.DataFrame:
    """`compare` with a process per core, each with one thread, and one notion and seed at a time.

    Most methods take thousands of small steps, which do not parallelize over threads: two processes take about half the time of one. Methods without
    seed ("raw", "pca") are measured by every process of a notion, and listed once.

    Args:
        workers: processes; None: one per core.
        progress: called with (parts done, total parts), in order; a part is a notion with one seed.
        options: `metrics` and `ranking` of `compare`.

    Returns:
        The rows of `compare`, in its order, or its errors. `fit_seconds` are of one thread on a busy machine.
    """
    from joblib import Parallel, delayed

    # raises the errors of `compare` before any process is started
    no_runs(base.table, notions, methods, dims, seeds, **options)
    parts = [delayed(compare)(base, [notion], methods, dims, [seed], **options) for seed in seeds for notion in notions]
    frames: list[pd.DataFrame] = []
    for frame in Parallel(n_jobs=workers or -1, return_as="generator")(parts):
        frames.append(frame)
        report_progress(progress, len(frames), len(parts))
    runs = pd.concat(frames, ignore_index=True).drop_duplicates([*_PLACE, "seed"])
    # the frames of the first seed have every notion, method and dimension, in the order of `compare`
    first = pd.concat(frames[: len(notions)])[_PLACE].itertuples(index=False, name=None)
    order = {place: number for number, place in enumerate(dict.fromkeys(first))}
    places = pd.Series([order[place] for place in runs[_PLACE].itertuples(index=False, name=None)])
    return runs.iloc[places.argsort(kind="stable")].reset_index(drop=True)


class _Task:
    """A notion on the images; its texts are embedded once, on first use."""

    def __init__(self, base: Space, notion: Notion) -> None:
        self.base, self.notion = base, notion
        labels = base.table.frame[notion.attribute]
        known = has_label(labels)
        rows, differing = base.judged_rows(labels.where(known))
        self.left_out = int((~known).sum()) + differing
        self.labeled = known & np.isin(np.arange(len(base)), rows)  # several rows of an image must not find each other
        every = self.labeled.all()
        self.vectors, self.labels = (base.vectors, labels) if every else (base.vectors[self.labeled], labels[self.labeled].reset_index(drop=True))

    @cached_property
    def texts(self) -> Any:
        """Embeddings (n, r) of the prompts, a row per aspect."""
        return self.base.embed_aspects(self.notion)[0]

    @cached_property
    def features(self) -> Any:
        """The encoder's features (m, r) of the images, not scaled to unit length."""
        return self.vectors * self.base.lengths[self.labeled, None]

    def material(self, learns_from: LearnsFrom, seed: int) -> tuple[Any, ...]:
        """Arguments of a method's `fit`. Methods that learn nothing get the images, of which only the width matters."""
        if learns_from == "labels":
            return self.vectors, self.labels
        if learns_from == "nothing":
            return (self.vectors,)
        if learns_from == "other text":
            return (self.base.embed_aspects(with_other_words(self.notion, seed))[0],)
        return self.base.fit_material(self.notion, self.texts, learns_from, self.vectors)

    def size(self, dim: int | str) -> int:
        from likeness.notions import notion_dim

        return notion_dim(self.notion, self.texts) if dim == SUGGESTED else int(dim)


class _Run(NamedTuple):
    task: _Task
    method: NotionMethod
    dim: int
    seed: int


def _check(table: ImageTable, notions: Sequence[Notion]) -> None:
    if not len(notions):
        raise InputError("There is no notion to measure; pass at least one, such as 'car color'.")
    for notion in notions:
        assert notion.attribute is not None
        if notion.attribute not in table.attributes:
            raise InputError(f"The notion '{notion.name}' needs the attribute '{notion.attribute}', but the images have {table.attributes}.")
        if not has_label(table.frame[notion.attribute]).any():
            raise InputError(f"No image has a label of '{notion.attribute}', which '{notion.name}' needs; choose other images.")


def _runs(base: Space, notions: Sequence[Notion], methods: Sequence[NotionMethod], dims: Sequence[int | str], seeds: Sequence[int]) -> Iterator[_Run]:
    for notion in notions:
        task = _Task(base, notion)
        sizes = list(dict.fromkeys(task.size(dim) for dim in dims))
        for method in methods:
            for dim in sizes if method.dims else [task.vectors.shape[1]]:
                yield from (_Run(task, method, dim, seed) for seed in (seeds if method.seeds else [0]))


def _measured(run: _Run, metrics: Sequence[Metric], ranking: DistanceMetric) -> dict[str, Any]:
    row = {"notion": run.task.notion.name, "method": run.method.name, "dim": run.dim, "seed": run.seed, "left_out": run.task.left_out}
    estimator = run.method.make(dim=run.dim, seed=run.seed)
    material = run.task.material(run.method.learns_from, run.seed)
    try:
        images = run.task.features if run.method.lengths else run.task.vectors
        start = time.perf_counter()
        estimator.fit(*material)
        seconds = time.perf_counter() - start
    except InputError as error:
        return row | {"fit_seconds": np.nan, "refused": str(error)} | {metric.name: np.nan for metric in metrics}
    found = _zero_shot(estimator, images, run.task) if any(metric.kind == "words" for metric in metrics) else {}
    places = estimator.transform(images)
    found |= measure(places, run.task.labels, metrics, run.method.ranking or ranking, run.seed)
    row |= {} if run.method.dims else {"dim": np.shape(places)[1]}
    return row | {"fit_seconds": seconds, "refused": ""} | {metric.name: found[metric.name] for metric in metrics}


def _zero_shot(estimator: Any, images: Any, task: _Task) -> dict[str, float]:
    aspects = np.array([aspect.casefold() for aspect in task.notion.aspects])
    labels = np.array([str(label).strip().casefold() for label in task.labels])
    if not np.isin(labels, aspects).any():
        return {"zero_shot": np.nan}
    # in one call, since a random embedding depends on row numbers
    rows = np.asarray(estimator.transform(np.concatenate([images, task.texts])), np.float32)
    places, prompts = rows[: len(labels)], unit_rows(rows[len(labels) :], "The prompts", zeros=True)
    return {"zero_shot": float((aspects[best_aspects(places, prompts)] == labels).mean())}


def collected(rows: Iterable[dict[str, Any]], on_run: OnRun | None) -> list[dict[str, Any]]:
    """The rows as a list; `on_run` is called with each."""
    found = []
    for row in rows:
        found.append(row)
        if on_run:
            on_run(dict(row))
    return found


def labeled(on_run: OnRun | None, **label: Any) -> OnRun | None:
    """Wraps `on_run` to put a label in front of each row."""
    return (lambda row: on_run(label | row)) if on_run else None


def joined(frames: Sequence[tuple[Any, pd.DataFrame]], column: str, empty: pd.DataFrame) -> pd.DataFrame:
    """Concatenates all runs, with their labels as the first column; the columns of `empty` if there are none."""
    filled = [frame.assign(**{column: label}) for label, frame in frames if len(frame)]
    runs = pd.concat(filled, ignore_index=True) if filled else empty.assign(**{column: None})
    return runs[[column, *empty.columns]]
