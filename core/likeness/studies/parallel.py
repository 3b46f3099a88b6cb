"""A comparison on all cores of the machine."""

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

import pandas as pd

from likeness.io import folder_kept_out
from likeness.notions import METHODS, MethodLike
from likeness.progress import Progress
from likeness.studies.comparison import compare, no_runs

if TYPE_CHECKING:
    from likeness.notions import Notion
    from likeness.space import Space

_PLACE = ["notion", "method", "dim"]


@folder_kept_out()
def compare_in_parallel(
    base: "Space",
    notions: Sequence["Notion"],
    methods: Iterable[MethodLike] = METHODS,
    dims: Sequence[int | str] = (128,),
    seeds: Sequence[int] = range(5),
    *,
    workers: int | None = None,
    progress: Progress | None = None,
    **options: Any,
) -> pd.DataFrame:
    """The runs of `compare`, a process per core, each with one thread and one notion and seed at a time.

    Most methods learn by thousands of small steps, which two threads share badly: two processes take about half the time of one.
    What has no seed ("raw", "pca") is measured by every process of its notion, and listed once.

    Args:
        base, notions, methods, dims, seeds: as in `compare`.
        workers: processes; None: one per core.
        progress: called with (parts done, parts in all) as they are finished, in order; a part is a notion with one seed.
        options: `metrics` and `ranking` of `compare`.

    Returns:
        The rows of `compare`, in its order. `fit_seconds` are of one thread beside busy neighbors.

    Raises:
        InputError: as `compare`.
    """
    from joblib import Parallel, delayed

    # Refuses what `compare` refuses before a process is started.
    no_runs(base.table, notions, methods, dims, seeds, **options)
    parts = [delayed(compare)(base, [notion], methods, dims, [seed], **options) for seed in seeds for notion in notions]
    frames: list[pd.DataFrame] = []
    for frame in Parallel(n_jobs=workers or -1, return_as="generator")(parts):
        frames.append(frame)
        if progress:
            progress(len(frames), len(parts))
    runs = pd.concat(frames, ignore_index=True).drop_duplicates([*_PLACE, "seed"])
    # the first seed's frames have every notion, method and dimension, in the order of `compare`
    first = pd.concat(frames[: len(notions)])[_PLACE].itertuples(index=False, name=None)
    order = {place: number for number, place in enumerate(dict.fromkeys(first))}
    places = pd.Series([order[place] for place in runs[_PLACE].itertuples(index=False, name=None)])
    return runs.iloc[places.argsort(kind="stable")].reset_index(drop=True)
