"""Whether `likeness known` tells new items from known ones, keeps its false-accept rate, and counts items."""

from collections.abc import Callable, Iterator, Sequence
from typing import Annotated, Any

import numpy as np
import pandas as pd
import typer
from numpy.typing import NDArray

from experiments.analyses.run_table import run_table
from likeness.arrays import as_unit_rows
from likeness.commands.inputs import class_columns, embedded, source_table
from likeness.commands.options import Attribute, EncoderName, Format, OutputFile, Source
from likeness.commands.terminal import measured, print_table
from likeness.data import image_classes
from likeness.defaults import DATASET
from likeness.errors import InputError
from likeness.evaluation import ItemCount, OpenSet, accept_threshold, best_items, count_items, known_scores
from likeness.progress import Progress
from likeness.studies import OnRun

FARS = (0.01, 0.05, 0.1)
SCORES: dict[str, Callable[[NDArray[Any]], NDArray[Any]]] = {
    "best": lambda each: each[:, 0],
    "lead over the second": lambda each: each[:, 0] - each[:, 1],
    "best less half the second": known_scores,
}
ENCODER, PROJECTED, SHUFFLED = "encoder", "random projection to 8", "items shuffled"
_FEWEST = 4  # images of an item that takes part


def known_divisions(
    vectors: NDArray[np.float32],
    items: NDArray[np.int64],
    seeds: Sequence[int] = range(20),
    *,
    progress: Progress | None = None,
    on_run: OnRun | None = None,
) -> pd.DataFrame:
    """Stated and reached false-accept rates, and what is found at them, over random divisions.

    Half of the items are known; half of their images are the gallery, the others known queries. All images of the other items are unknown queries.
    Thresholds come from the gallery alone: no item that judges has a part in them.

    Args:
        vectors: (n, d) unit rows.
        items: (n,) item numbers; those with fewer than four images, and -1, are left out.

    Returns:
        A row per division, space, score and stated rate: space, score, seed, far; reached, low and high (of `accept_threshold`), held (reached lies
            between them), dir, rank1, auroc, aurc; best_dir: the largest DIR at the stated rate, known to those who know the answers; of the unknown
            items' images: items, simpson (n^2 / sum m^2), and items_found, items_low, items_high and components of `count_items`, in the encoder's
            space.

    Raises:
        InputError: fewer than twelve items.
    """
    sizes = np.bincount(items[items >= 0])
    kept = np.flatnonzero((items >= 0) & (sizes[items] >= _FEWEST))
    vectors, items = vectors[kept], items[kept]
    names = np.unique(items)
    if len(names) < 12:
        raise InputError(f"{len(names)} items have {_FEWEST} images or more; twelve are needed.")

    def rows_of(seed: int) -> Iterator[dict[str, Any]]:
        rng = np.random.default_rng([seed, 43])
        projection = rng.standard_normal((vectors.shape[1], 8)).astype(np.float32)
        spaces = {
            ENCODER: (vectors, items),
            PROJECTED: (as_unit_rows(vectors @ projection, "The vectors"), items),
            SHUFFLED: (vectors, rng.permutation(items)),
        }
        known = rng.permutation(names)[: len(names) // 2]
        coin = rng.random(len(items)) < 0.5
        for space, (own, labels) in spaces.items():
            yield from ({"space": space, "seed": seed} | line for line in _division(own, labels, np.isin(labels, known), coin, space == ENCODER))

    return run_table(seeds, rows_of, progress, on_run)


def _division(
    vectors: NDArray[np.float32], items: NDArray[np.int64], is_known: NDArray[np.bool_], coin: NDArray[np.bool_], counts: bool
) -> list[dict[str, Any]]:
    gallery, queries = is_known & coin, ~(is_known & coin)
    names = np.unique(items[gallery])
    codes, similarities, _ = best_items(vectors[queries], vectors[gallery], items[gallery])
    right = names[codes[:, 0]] == items[queries]
    left_out = _left_out(vectors[gallery], items[gallery])
    unknown = np.flatnonzero(~is_known)
    sizes = np.bincount(items[unknown])
    count = count_items(vectors[unknown], vectors[gallery], items[gallery]) if counts else ItemCount(np.nan, np.nan, np.nan, 0)
    counted = {"items": int((sizes > 0).sum()), "simpson": float(sizes.sum() ** 2 / (sizes**2).sum()), "items_found": count.items}
    counted |= {"items_low": count.low, "items_high": count.high, "components": count.components}
    lines = []
    for name, score in SCORES.items():
        found = OpenSet(score(similarities), right, is_known[queries])
        for far in FARS:
            limit = accept_threshold(score(left_out), items[gallery], far)
            accepted = found.scores > limit.value
            reached = float(accepted[~found.known].mean())
            line = {"score": name, "far": far, "reached": reached, "low": limit.low, "high": limit.high, "held": limit.low <= reached <= limit.high}
            line |= {"dir": float((accepted & right)[found.known].mean()), "best_dir": found.dir_at(far), "rank1": float(right[found.known].mean())}
            lines.append(line | {"auroc": found.auroc, "aurc": found.aurc} | counted)
    return lines


def _left_out(vectors: NDArray[np.float32], items: NDArray[np.int64]) -> NDArray[Any]:
    """Similarities (n, 2) of each image to the two best of the other items, by a loop over items."""
    found = np.empty((len(items), 2), np.float32)
    for item in np.unique(items):
        own = items == item
        found[own] = best_items(vectors[own], vectors[~own], items[~own])[1][:, :2]
    return found


def known_table(runs: pd.DataFrame) -> pd.DataFrame:
    """A row per space, score and stated rate: means over divisions, and the deviation of the reached rate."""
    by = [name for name in ("images", "space", "score", "far") if name in runs]
    groups = runs.groupby(by, sort=False)
    found = groups[["reached", "held", "dir", "best_dir", "rank1", "auroc", "aurc"]].mean()
    found.insert(1, "deviation", groups["reached"].std())
    return found.reset_index()


def count_table(runs: pd.DataFrame) -> pd.DataFrame:
    """A row per set of images: number of items, Simpson's and the estimate as medians over divisions; how often the interval holds each."""
    own = runs[runs["space"] == ENCODER].drop_duplicates([name for name in ("images", "space", "seed") if name in runs])
    own = own.assign(**{f"holds_{name}": (own["items_low"] <= own[name]) & (own[name] <= own["items_high"]) for name in ("items", "simpson")})
    by = [name for name in ("images", "space") if name in runs]
    columns = ["items", "simpson", "items_found", "items_low", "items_high", "components"]
    return own.groupby(by, sort=False)[columns].median().join(own.groupby(by, sort=False)[["holds_items", "holds_simpson"]].mean()).reset_index()


def main(
    source: Source = DATASET,
    attribute: Attribute = None,
    seeds: Annotated[int, typer.Option(min=2, help="Random divisions of the items.")] = 20,
    encoder: EncoderName = None,
    out: OutputFile = None,
    format: Format = "table",
) -> None:
    """Does `likeness known` keep its false-accept rate for items that had no part in the threshold, and how many known ones does it find at it?

    Examples: `python -m experiments.analyses known -a body_type,car_color`, `python -m experiments.analyses known data/cub100 -a class --seeds 40`
    """
    base = embedded(source_table(source), encoder)
    items = image_classes(base.table, class_columns(attribute, source)).labels
    runs = measured("Known", out, lambda **watch: known_divisions(base.vectors, items, range(seeds), **watch))
    print_table(known_table(runs).round(3), format)
    print_table(count_table(runs).round(3), format)
