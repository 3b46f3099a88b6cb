"""Which notion, by which method, finds images of the same label best: one table over methods, dimensions and seeds."""

import time
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import pandas as pd

from likeness.errors import InputError
from likeness.evaluation.retrieval import retrieval_metrics

if TYPE_CHECKING:
    from likeness.notions import Notion
    from likeness.spaces import EncoderSpace

SUGGESTED = "suggested"
METHODS = ("random", "raw", "random-transform", "exact", "adam")
METRICS = {"map_at_r": "MAP@R", "precision_at_1": "Prec@1"}


class _Run(NamedTuple):
    notion: "Notion"
    method: str
    dim: int
    seed: int


def compare(
    base: "EncoderSpace",
    notions: Sequence["Notion"],
    methods: Sequence[str] = METHODS,
    dims: Sequence[int | str] = (128,),
    seeds: Sequence[int] = range(5),
    progress: Callable[[int, int], None] | None = None,
) -> pd.DataFrame:
    """Retrieval metrics of every notion, method, dimension and seed (the form of the InDiReCT paper's Table 2).

    Args:
        base: the images in their encoder's space; their table has each notion's `attribute`.
        methods: "random" (uniform on the sphere), "raw" (the encoder), "random-transform" (InDiReCT's start), "exact" and "adam"
            (InDiReCT's two solvers).
        dims: whole numbers, or "suggested": what `likeness.notions.suggest_dim` says of each notion's prompts.

    Returns:
        One row per run: notion, method, dim, seed, fit_seconds and every retrieval metric. "raw" has no choice of dimension or seed
        and stands once.

    Raises:
        InputError: unknown method, or a notion without a label column in the table.
    """
    unknown = sorted(set(methods) - set(METHODS))
    if unknown:
        raise InputError(f"There is no method '{unknown[0]}'; choose from {', '.join(METHODS)}.")
    for notion in notions:
        if notion.attribute not in base.space.table.attributes:
            raise InputError(
                f"The notion '{notion.name}' is judged by the attribute '{notion.attribute}', but the images have {base.space.table.attributes}."
            )
    runs = list(_runs(base, notions, methods, dims, seeds))
    rows = []
    for done, run in enumerate(runs):
        if progress:
            progress(done, len(runs))
        rows.append(_measure(base, run))
    if progress:
        progress(len(runs), len(runs))
    return pd.DataFrame(rows)


def summarize(runs: pd.DataFrame) -> pd.DataFrame:
    """Mean and standard deviation over seeds, one row per notion, method and dimension, as text `0.574 ± 0.002`."""
    groups = runs.groupby(["notion", "method", "dim"], sort=False)
    table = groups.size().rename("runs").reset_index()
    for metric, title in METRICS.items():
        mean, deviation = groups[metric].mean().to_numpy(), groups[metric].std(ddof=0).to_numpy()
        table[title] = [f"{m:.3f} ± {s:.3f}" if n > 1 else f"{m:.3f}" for m, s, n in zip(mean, deviation, table["runs"], strict=True)]
    return table


def _runs(
    base: "EncoderSpace", notions: Sequence["Notion"], methods: Sequence[str], dims: Sequence[int | str], seeds: Sequence[int]
) -> Iterator[_Run]:
    for notion in notions:
        sizes = [_suggested(base, notion) if dim == SUGGESTED else int(dim) for dim in dims]
        for method in methods:
            if method == "raw":
                yield _Run(notion, method, base.space.vectors.shape[1], 0)
            else:
                yield from (_Run(notion, method, dim, seed) for dim in sizes for seed in seeds)


def _suggested(base: "EncoderSpace", notion: "Notion") -> int:
    from likeness.encoders import embed_texts
    from likeness.notions import suggest_dim

    return suggest_dim(embed_texts(base.encoder, notion.prompts).vectors)


def _measure(base: "EncoderSpace", run: _Run) -> dict[str, Any]:
    from likeness.encoders import embed_texts

    estimator = _estimator(run)
    texts = embed_texts(base.encoder, run.notion.prompts).vectors
    start = time.perf_counter()
    estimator.fit(texts)
    seconds = time.perf_counter() - start
    metrics = retrieval_metrics(estimator.transform(base.space.vectors), base.space.table.frame[run.notion.attribute])
    return {"notion": run.notion.name, "method": run.method, "dim": run.dim, "seed": run.seed, "fit_seconds": seconds, **metrics}


def _estimator(run: _Run) -> Any:
    from likeness.notions import Identity, InDiReCT, RandomEmbedding, RandomTransform

    makers: dict[str, Callable[[], Any]] = {
        "random": lambda: RandomEmbedding(dim=run.dim, seed=run.seed),
        "raw": Identity,
        "random-transform": lambda: RandomTransform(dim=run.dim, seed=run.seed),
        "exact": lambda: InDiReCT(dim=run.dim, solver="exact", seed=run.seed),
        "adam": lambda: InDiReCT(dim=run.dim, solver="adam", seed=run.seed),
    }
    return makers[run.method]()
