"""A collection of pictures that the repository draws from a seed, and the dataset that it makes."""

import shutil
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pandas as pd

from likeness.data import Dataset, ImageTable
from likeness.io import cache_dir
from likeness.progress import Progress

_USUAL, _SEED, _WORKERS = 2600, 0, 2
_WORTH_WORKERS = 200  # fewer pictures are drawn before another process has started


@dataclass(frozen=True)
class Render:
    """Pictures that can be drawn. Its package declares it as `RENDER`; one line lists it, in `experiments.renders`.

    Attributes:
        name: what people write.
        title: shown to people.
        help: one sentence.
        write: `write(folder, n, seed, *, workers, progress)`, which writes n pictures and, last of all, "attributes.csv".
    """

    name: str
    title: str
    help: str
    write: Callable[..., pd.DataFrame]

    def draw(self, folder: Path, n: int, seed: int = 0, progress: Progress | None = None) -> None:
        """Draws n pictures, the table last: a folder that has one is complete.

        Raises:
            OSError: nothing can be written there; then the pictures go, too.
        """
        try:
            self.write(folder, n, seed, workers=_WORKERS if n > _WORTH_WORKERS else 1, progress=progress)
        except OSError:
            shutil.rmtree(folder / "images", ignore_errors=True)
            raise
        except BaseException:  # interrupted, with pictures under way
            for begun in (folder / "images").glob(".*.partial"):
                begun.unlink(missing_ok=True)
            raise

    def read(self, count: int | None = None, progress: Progress | None = None) -> ImageTable:
        """The first `count` pictures of seed 0, 2,600 by default; the first call draws them into the cache. They are the same whatever `count`."""
        n = count or _USUAL
        folder = cache_dir() / "generated" / f"{self.name}-{n}"
        if not (folder / "attributes.csv").is_file():
            self.draw(folder, n, _SEED, progress)
        return ImageTable(self.title, folder, pd.read_csv(folder / "attributes.csv"))

    @property
    def dataset(self) -> Dataset:
        """The dataset of this name, drawn when it is first read."""
        return Dataset(self.name, self.title, self.help, self.read, "generated")
