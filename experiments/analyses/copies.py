"""Whether an encoder finds copies of pictures with a threshold suggested by other pictures."""

from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Annotated, Any

import numpy as np
import pandas as pd
import typer
from numpy.typing import NDArray

from likeness.arrays import as_unit_rows
from likeness.commands.inputs import embedded, source_table
from likeness.commands.options import EncoderName, Format, Only, OutputFile, Source
from likeness.commands.terminal import measured, print_table
from likeness.defaults import DATASET
from likeness.duplicates import ALTERATIONS, CopySimilarities, best_threshold, copy_similarities
from likeness.io import read_image
from likeness.progress import Progress, progress_of_part
from likeness.studies import OnRun, collected

if TYPE_CHECKING:
    from PIL.Image import Image

    from likeness.space import Space


CONTROL = "pixels, random projection"
_SIDE = 16  # pixels of the thumbnails that the control sees
_EVERY = "all"


def planted_copies(
    base: "Space", images: int = 100, seeds: Sequence[int] = range(3), *, progress: Progress | None = None, on_run: OnRun | None = None
) -> pd.DataFrame:
    """Precision and recall of altered copies among all images, for an encoder and a control.

    For each seed, images are sampled, altered in four ways (`likeness.duplicates.ALTERATIONS`) and embedded. The copies of every other one suggest
    the threshold, the remaining ones evaluate it. The control uses nothing that the encoder learned: thumbnails of 16 x 16 pixels, minus their mean,
    projected at random to as many dimensions.

    Args:
        base: of an encoder that embeds new images.
        images: how many are drawn by each seed; half of them judge.
        seeds: of the images, and of the random projection.

    Returns:
        Columns space, seed, threshold, alteration ("all" for the four together), copies, recall (share of copies that reach the threshold with their
        original) and precision (of the images that a copy reaches it with, the share that is its original; of others the ten nearest count; NaN
        where there are none).

    Raises:
        InputError: as `likeness.duplicates.copy_similarities`.
    """
    thumbnails = _thumbnails(base)
    rows = []
    for done, seed in enumerate(seeds):
        for place, (name, space) in enumerate((("encoder", base), (CONTROL, _projected(base, thumbnails, seed)))):
            part = progress_of_part(progress, (2 * done + place) * images, 2 * len(seeds) * images)
            found = copy_similarities(space, images, seed, part)
            rows += collected(_judged(found, {"space": name, "seed": seed}), on_run)
    return pd.DataFrame(rows)


def copies_table(runs: pd.DataFrame) -> pd.DataFrame:
    """A row per space, and set of images where there are several: recall of each alteration, and precision, recall and threshold of all."""
    by = [name for name in ("images", "space") if name in runs]
    recall = runs.pivot_table(index=by, columns="alteration", values="recall", sort=False)[[*ALTERATIONS]]
    every = runs[runs["alteration"] == _EVERY].groupby(by, sort=False)[["recall", "precision", "threshold"]].mean()
    return recall.rename_axis(columns=None).join(every).reset_index()


def _judged(found: CopySimilarities, about: dict[str, Any]) -> Iterator[dict[str, Any]]:
    tuned, judged = np.arange(len(found.rows))[::2], np.arange(len(found.rows))[1::2]
    threshold = best_threshold(CopySimilarities(found.rows[tuned], found.own[:, tuned], found.other[:, tuned])).threshold
    hits, false = found.own[:, judged] >= threshold, found.other[:, judged] >= threshold
    for name, places in [(name, [place]) for place, name in enumerate(ALTERATIONS)] + [(_EVERY, list(range(len(ALTERATIONS))))]:
        true_positives, all_positives = int(hits[places].sum()), int(hits[places].sum() + false[places].sum())
        yield about | {
            "threshold": round(threshold, 4),
            "alteration": name,
            "copies": hits[places].size,
            "recall": round(float(hits[places].mean()), 4),
            "precision": round(true_positives / all_positives, 4) if all_positives else float("nan"),
        }


def _pixels(images: "Sequence[Image]") -> NDArray[np.float32]:
    return np.stack([np.asarray(image.convert("RGB").resize((_SIDE, _SIDE)), np.float32).ravel() for image in images])


def _thumbnails(base: "Space") -> NDArray[np.float32]:
    return np.concatenate([_pixels([read_image(path, _SIDE)]) for path in base.table.paths()])


def _projected(base: "Space", thumbnails: NDArray[np.float32], seed: int) -> "Space":
    """The control's space: not an encoder's, but with as many dimensions."""
    mean = thumbnails.mean(axis=0)
    projection = np.random.default_rng(seed).standard_normal((thumbnails.shape[1], base.vectors.shape[1])).astype(np.float32)

    def rows(pixels: NDArray[np.float32]) -> NDArray[np.float32]:
        return as_unit_rows((pixels - mean) @ projection, "The thumbnails", zeros=True)

    embed: Callable[[Sequence[Any]], NDArray[np.float32]] = lambda images: rows(_pixels(images))  # noqa: E731
    return base.replace(vectors=rows(thumbnails), name=CONTROL, encoder=None, embed_images=embed, embed_texts=None, index=None, provenance="")


def main(
    source: Source = DATASET,
    images: Annotated[int, typer.Option(min=4, help="Images to copy per seed; half of them suggest the threshold.")] = 100,
    seeds: Annotated[int, typer.Option(min=1, help="Random samples of images.")] = 3,
    encoder: EncoderName = None,
    only: Only = None,
    out: OutputFile = None,
    format: Format = "table",
) -> None:
    """Does an encoder find copies of pictures that were saved again as JPEG, resized, cropped or brightened?

    Half of the sampled images suggest the threshold, the others evaluate it, among all images of the source. The control uses a random projection of
    thumbnails to as many dimensions, so it contains nothing that an encoder learns.

    Examples: `python -m experiments.analyses copies`, `python -m experiments.analyses copies photos/ --images 200 --out runs.csv`
    """

    base = embedded(source_table(source, only), encoder)
    runs = measured("Copies", out, lambda **watch: planted_copies(base, images, range(seeds), **watch))
    print_table(copies_table(runs).round(3), format)
