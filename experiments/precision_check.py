"""Whether an encoder's nearest neighbors stay the same in bfloat16, and how much time that saves."""

import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, Any

import numpy as np
import typer
from numpy.typing import NDArray

from likeness.commands.encoders import SHIPPED_ENCODERS
from likeness.commands.options import Format, Seed, known_encoders
from likeness.commands.terminal import print_table, progress_bar
from likeness.data import ImageTable
from likeness.defaults import DATASET
from likeness.encoders import load_encoder, prepared_batches, split_precision, with_precision
from likeness.errors import InputError
from likeness.progress import Progress
from likeness.search import overlap

NEIGHBORS, ENOUGH, IMAGES = 10, 0.99, 2000
_BATCH = 128


@dataclass(frozen=True)
class PrecisionCheck:
    """The effect of bfloat16 for an encoder and a set of images.

    Attributes:
        encoder: its name.
        device: that computed, such as "cuda" or "cpu".
        images: how many were embedded in both precisions.
        recall: of each image's ten nearest others in float32, the share that is among the ten nearest in bfloat16, 0 to 1.
        seconds_32, seconds_bf16: that prepared images took on the device, and their vectors back to the host.
    """

    encoder: str
    device: str
    images: int
    recall: float
    seconds_32: float
    seconds_bf16: float

    @property
    def holds(self) -> bool:
        """Whether rankings stay the same: a recall of at least .99."""
        return self.recall >= ENOUGH

    @property
    def figures(self) -> dict[str, object]:
        """A row of a table."""
        return {
            "encoder": self.encoder,
            "device": self.device,
            "images": self.images,
            "recall@10": self.recall,
            "rankings stay": "yes" if self.holds else "no",
            "images/s, 32": self.images / self.seconds_32,
            "images/s, bf16": self.images / self.seconds_bf16,
        }


def check_precision(
    table: ImageTable, encoder: str, *, device: str = "auto", images: int = IMAGES, seed: int = 0, progress: Progress | None = None
) -> PrecisionCheck:
    """Embeds images in float32 and bfloat16, in turns on the same device, and compares their nearest neighbors.

    Args:
        table: the images; those that can't be read are left out.
        encoder: a name that `likeness.encoders.load_encoder` takes.
        device: "auto" or a torch device.
        images: at most so many, drawn at random.
        seed: draws them.
        progress: called with (images done, images in all).

    Raises:
        InputError: an encoder without a network of torch, or fewer than twelve images that can be read.

    Example:
        >>> import likeness as lk
        >>> check_precision(lk.read("cars"), "cars-small", device="cpu", images=50).images
        50
    """
    encoders = [load_encoder(with_precision(encoder, precision), device) for precision in ("32", "bf16")]
    tower: Any = getattr(encoders[0], "tower", None)
    paths = table.paths()
    chosen = [paths[row] for row in np.sort(np.random.default_rng(seed).permutation(len(paths))[:images])]
    rows: tuple[list[NDArray[np.float32]], ...] = ([], [])
    seconds = np.zeros(2)
    for number, batch in enumerate(prepared_batches(chosen, tower.prepare, _BATCH, least=tower.least_side)):
        if batch.values:
            if not rows[0]:
                _in_both(encoders, batch.values)  # the first passes choose kernels
            for kept, (found, spent), side in zip(rows, _in_both(encoders, batch.values), (0, 1), strict=True):
                kept.append(found)
                seconds[side] += spent
        if progress:
            progress(min((number + 1) * _BATCH, len(chosen)), len(chosen))
    count = sum(map(len, rows[0]))
    if count < NEIGHBORS + 2:
        raise InputError(f"{count} images are too few to compare the {NEIGHBORS} nearest of each; use at least {NEIGHBORS + 2} readable images.")
    recall = overlap(np.concatenate(rows[0]), np.concatenate(rows[1]), NEIGHBORS)
    return PrecisionCheck(split_precision(encoder)[1], tower.device.type, count, recall, *seconds.tolist())


def _in_both(encoders: Sequence[Any], prepared: list[Any]) -> list[tuple[NDArray[np.float32], float]]:
    """For each of two encoders, the embeddings of prepared images and the seconds that they took."""
    found = []
    for encoder in encoders:
        begin = time.perf_counter()
        rows = encoder.encode_prepared(prepared)
        found.append((rows, time.perf_counter() - begin))
    return found


def main(
    sources: Annotated[list[str] | None, typer.Argument(help="{datasets}; several are measured one by one.")] = None,
    encoder: Annotated[
        list[str] | None,
        typer.Option("--encoder", "-e", callback=known_encoders, help="{encoders}; repeatable. Default: the three shipped ones."),
    ] = None,
    images: Annotated[int, typer.Option(min=12, help="Maximum number of images per source, drawn at random.")] = 2000,
    device: Annotated[str, typer.Option(help="`auto` (CUDA, MPS or CPU) or a torch device.")] = "auto",
    seed: Seed = 0,
    format: Format = "table",
) -> None:
    """Measure whether rankings stay the same in bfloat16, and how much time that saves on this machine; exits with status 1 if they do not.

    Images are embedded in both precisions. Of the ten nearest of each in float32, the share that is among its ten nearest in bfloat16 is the recall;
    rankings stay from .99 on. `likeness embed --precision bf16` embeds that way.

    Examples: `python -m experiments.precision_check photos/`, `python -m experiments.precision_check cars photos/ -e ViT-B-32/openai --device cuda`
    """
    import pandas as pd

    from likeness.data import read_dataset

    tables = {source: read_dataset(source) for source in sources or [DATASET]}
    found = []
    for source, table in tables.items():
        for name in encoder or SHIPPED_ENCODERS:
            with progress_bar(f"Embedding with {name}") as progress:
                found.append((source, check_precision(table, name, device=device, images=images, seed=seed, progress=progress)))
    rows = [{"source": source} | each.figures for source, each in found]
    print_table(pd.DataFrame(rows).round({"recall@10": 4, "images/s, 32": 1, "images/s, bf16": 1}), format)
    if not all(each.holds for _, each in found):
        raise typer.Exit(1)


if __name__ == "__main__":
    from experiments.command_line import run

    run("precision_check")
